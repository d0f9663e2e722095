"""The debugging notebook, and the code for its figures."""
