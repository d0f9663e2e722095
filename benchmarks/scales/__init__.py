"""What `benchmarks.scale` is made of."""
