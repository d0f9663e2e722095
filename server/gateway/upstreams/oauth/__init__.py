"""Signing in to upstreams with OAuth 2, and the tokens kept from it."""
