"""The store in one file, of which a process keeps little in memory."""
