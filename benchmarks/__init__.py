"""Benchmarks of speed and accuracy, compared with other libraries."""
