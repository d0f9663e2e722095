"""Fits and calibrates a catalog, and checks a stored fit; only builds need this."""
