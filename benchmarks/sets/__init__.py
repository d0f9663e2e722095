"""Readers of public sets: catalogs with labelled queries, from checkouts of their repositories."""
