"""Measures how well a caller (a language model or a recording) uses the tools."""
