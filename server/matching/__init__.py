"""A catalog and its matcher as a running service: loading, reloading, caching."""
