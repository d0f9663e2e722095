"""Catalogs outside the process: what every store offers, and how a label is kept in one."""
