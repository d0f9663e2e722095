"""Ranks the few labels of a stored catalog that a phrase may mean, as if all of it were at hand."""
