"""The bundle's entry point: serves over stdio."""

from server.cli.command import command

command(["serve"])
