"""Forwards messages between a caller of the gateway and an upstream, and the upstreams' prompts and resources."""
