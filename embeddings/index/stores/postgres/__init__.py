"""The store in PostgreSQL with pgvector; imported only when it is chosen."""
