"""The page that people look at: try a phrase, see why, compare agents."""
