"""Gateways beside each other on the same upstreams: what `benchmarks.gateway` measures with."""

import os

# As in `agent-capabilities gateway`, and for the match in process; read when numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
