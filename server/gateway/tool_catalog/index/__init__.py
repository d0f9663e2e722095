"""The matcher of the newest tools, and the cache of their texts as vectors."""
