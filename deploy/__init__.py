"""How a release is built, described and run for a team; nothing of it is installed."""
