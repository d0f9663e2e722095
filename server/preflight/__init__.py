"""What a preflight found: without what was accepted before, placed in its file, written in several formats."""
