"""Rebuild a model folder from the official weights: `python models/build_model.py --help`."""

import sys
from pathlib import Path

# When this file runs as a script, only its folder is on the path; the packages are in the folder above.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from embeddings.model_build.command import main

if __name__ == "__main__":
    sys.exit(main())
