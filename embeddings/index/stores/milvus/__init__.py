"""The store in Milvus: a Lite file, a server or a cluster; imported only when it is chosen."""
