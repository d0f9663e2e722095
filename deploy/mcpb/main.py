"""The bundle's entry point: serves over stdio."""

import sys

from server.cli.main import main

sys.exit(main(["serve"]))
