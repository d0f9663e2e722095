"""Embeds batches of texts in other processes, of this machine or of many."""
