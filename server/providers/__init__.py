"""Language models that can be asked, each through its vendor's SDK."""
