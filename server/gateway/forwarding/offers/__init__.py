"""Prompts and resources of upstreams, offered under their server's name."""
