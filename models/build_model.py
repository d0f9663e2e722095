"""Rebuild a model folder from the official weights: `python models/build_model.py --help`."""

import sys
from pathlib import Path

# Run as a script, only this folder is on the path; the packages are beside it.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from embeddings.model_build.command import main

if __name__ == "__main__":
    sys.exit(main())
