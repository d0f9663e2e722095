"""Parts of `benchmarks.scale`."""
