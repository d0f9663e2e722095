"""A gateway: the tools of a person's MCP servers behind a search, as a server like `serve`."""
