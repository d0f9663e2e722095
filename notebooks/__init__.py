"""The debugging notebook, and what it draws with."""
