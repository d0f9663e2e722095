"""Language models that can be evaluated, each through its vendor's SDK."""
