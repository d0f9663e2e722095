"""The bundle's entry point: serves over stdio."""

from server.cli.main import command

command(["serve"])
