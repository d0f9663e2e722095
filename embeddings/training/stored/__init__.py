"""Builds a catalog into a store."""
