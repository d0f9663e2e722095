"""Builds and describes a release, and runs it for a team. This package is not part of the wheel."""
