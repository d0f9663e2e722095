"""Measures how well a caller (a language model, a recording or the router) uses the tools."""
