"""Embed the catalog into data/capability-vectors.npz: `python build_vectors.py --help`."""

import sys

from server.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["build-vectors", *sys.argv[1:]]))
