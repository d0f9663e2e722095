"""The facts: files, their models, and the catalog made of them."""
