"""Releases of an agent: their order, and which entries hold at one."""
