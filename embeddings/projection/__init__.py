"""A catalog drawn in two dimensions: places of its labels, its phrases and of queries."""
