"""Gateways beside each other on the same upstreams: what `benchmarks.gateway` measures with."""
