"""The catalog of agents as static pages, for any web host and for reading from disk."""
