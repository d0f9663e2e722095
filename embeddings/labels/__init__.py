"""The catalog as given, and its texts arranged for comparison."""
