"""Options that limit an answer to some agents, a category or a plan."""

import argparse

from server.catalog.plans import TIERS
from server.cli.options import chosen_service
from server.matching.service import Service


def add_agents(command: argparse.ArgumentParser, help_text: str) -> None:
    """Add the option that names agents."""
    command.add_argument("--agent", metavar="A", dest="agents", action="append", help=help_text)


def add_category(command: argparse.ArgumentParser, help_text: str) -> None:
    """Add the option that names a category."""
    command.add_argument("--category", metavar="C", help=help_text)


def add_tier(command: argparse.ArgumentParser, help_text: str) -> None:
    """Add the option that names the highest plan."""
    command.add_argument("--tier", metavar="T", help=f"{help_text}: {', '.join(TIERS)}")


def service_for_category(options: argparse.Namespace) -> Service:
    """The service of the chosen data folder; its matcher is loaded only if `--category` is not a category's name."""
    service = chosen_service(options, with_matcher=False)
    if options.category and service.catalog.category_names.exact(options.category) is None:
        service.matchers.load()
    return service
