"""The facts: data files, their models, and the catalog built from them."""
