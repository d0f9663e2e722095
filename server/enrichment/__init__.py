"""Enriches a catalog with example queries that a language model writes."""
