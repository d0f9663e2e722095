"""Fits the ranking head, and corrects it where phrases changed."""
