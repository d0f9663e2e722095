"""Processes texts as strings: normalization, names, words, character n-grams and spelling correction."""
