"""Reads the configurations that people have for other hosts."""
