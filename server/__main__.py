"""`python -m server` is the `agent-capabilities` command."""

import sys

from server.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
