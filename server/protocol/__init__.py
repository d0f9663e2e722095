"""MCP: the server, its resources, errors, and the connection over standard input and output."""
