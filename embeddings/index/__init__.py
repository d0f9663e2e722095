"""Stores and compares vectors: 8-bit blocks, products with them, and the vector file."""
