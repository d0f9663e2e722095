"""`python -m agent_capabilities` is the `agent-capabilities` command."""

from agent_capabilities.command import command

if __name__ == "__main__":
    command()
