"""Agent Skills beside the tools: those of local folders and of upstreams, listed, read and found by meaning."""
