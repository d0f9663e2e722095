"""The `agent-capabilities` command, one module for each subcommand."""
