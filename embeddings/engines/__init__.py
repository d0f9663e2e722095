"""The stores: a file, PostgreSQL, Milvus; `uri` opens the one that a URI names."""
