"""Fits the weights that a catalog starts from to public sets."""
