"""Turns a query's signals into probabilities, a decision and an explanation; contains all that a query needs."""
