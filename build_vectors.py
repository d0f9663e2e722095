"""Embed the catalog into data/capability-vectors.npz: `python build_vectors.py --help`."""

import sys

from agent_capabilities.command import command

if __name__ == "__main__":
    command(["build-vectors", *sys.argv[1:]])
