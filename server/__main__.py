"""`python -m server` is the `agent-capabilities` command."""

from server.cli.command import command

if __name__ == "__main__":
    command()
