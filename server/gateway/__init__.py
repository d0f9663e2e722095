"""A gateway: other MCP servers behind the same tools."""
