"""What the texts of a data folder may hold."""
