"""Statements: short texts that say something particular about a label, ranked against what the caller asks."""
