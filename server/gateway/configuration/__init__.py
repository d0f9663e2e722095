"""Which MCP servers stand behind the gateway: read from the files that people's hosts already have."""
