"""Tools of other servers: described by their own schemas, run elsewhere."""
