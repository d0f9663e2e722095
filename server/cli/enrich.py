"""The subcommand `enrich`."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from server.cli.options import Subcommands, add_command, add_json, add_provider, add_server_configs, positive
from server.errors import CallerError

if TYPE_CHECKING:
    from server.cli.enrich_run import Enrichment
    from server.cli.enrich_target import Target

STANDARD_OUTPUT = "-"


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(
        subcommands, "enrich", "add example queries to a catalog, written by a language model and checked", run
    )
    judged = command.add_mutually_exclusive_group(required=True)
    judged.add_argument("catalog", metavar="CATALOG", type=Path, nargs="?", help="catalog file; it is never changed")
    add_server_configs(
        judged,
        "write queries for the tools of the MCP servers of these configurations, and keep them beside the first one, "
        "in gateway-examples.json, for the gateway",
    )
    command.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="write the enriched catalog here, and the answers to FILE.answers.jsonl, from which a run resumes",
    )
    source = command.add_mutually_exclusive_group()
    source.add_argument("--model", metavar="NAME", help="model to ask for what is not answered yet")
    source.add_argument(
        "--prompts",
        metavar="FILE",
        nargs="?",
        const=STANDARD_OUTPUT,
        help="write only the prompts that are not answered yet: JSON lines with 'id' and 'prompt' (default: print)",
    )
    command.add_argument(
        "--answers",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="use what any model replied: JSON lines with the 'id' of a prompt and 'text'; may be repeated",
    )
    command.add_argument(
        "--per-label", metavar="N", type=positive, default=8, help="queries to ask for in each prompt (default: 8)"
    )
    command.add_argument(
        "--known",
        metavar="FILE",
        type=Path,
        help="with --config: also add the queries to this file of known tools, such as data/known-tools.json, under "
        "the names that the configuration gives the servers",
    )
    command.add_argument(
        "--folds",
        metavar="K",
        type=folds,
        default=5,
        help="parts of the cross-validation that estimates the gain (default: 5; 0: no estimate)",
    )
    add_provider(command)
    add_json(command)


def folds(text: str) -> int:
    """Parse a number of folds.

    Raises:
        argparse.ArgumentTypeError: it is neither 0 nor a whole number of 2 or more.
    """
    if not text.isdecimal() or int(text) == 1:
        raise argparse.ArgumentTypeError(f"{text!r} is neither 0 nor a whole number of 2 or more")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Print the prompts, or enrich the catalog. Returns 1 if prompts are left without an answer."""
    # Imported here because every start of the command, a server's included, imports this module.
    from server.cli.enrich_run import Enrichment

    enrichment = Enrichment(options, _target(options))
    if options.prompts is not None:
        return _write_prompts(options, enrichment)
    if not (options.model or options.answers or enrichment.answers):
        raise CallerError(
            f"nothing answers the {len(enrichment.missing)} prompts; they are answered by a model or from a file; add "
            "--model NAME or --answers FILE, or print them with --prompts"
        )
    return enrichment.run()


def _target(options: argparse.Namespace) -> "Target":
    """The target that is enriched."""
    from server.cli.enrich_target import CatalogTarget, GatewayTarget

    if options.config:
        if options.out is not None:
            raise CallerError(
                f"--out {str(options.out)!r} was given with --config; queries for servers' tools are kept beside the "
                "configuration, where the gateway finds them; leave --out out"
            )
        return GatewayTarget.of(options.config, options.per_label, options.known)
    if options.known is not None:
        raise CallerError(
            f"--known {str(options.known)!r} was given without --config; known tools are those of MCP servers; add "
            "--config FILE, or leave it out"
        )
    if options.prompts is None and options.out is None:
        raise CallerError("no --out was given; the enriched catalog is a new file; add --out FILE, or --prompts")
    return CatalogTarget(options.catalog, options.out)


def _write_prompts(options: argparse.Namespace, enrichment: "Enrichment") -> int:
    from server.enrichment.catalog_file import prompt_lines, write_prompts

    lines = prompt_lines(enrichment.missing, enrichment.wording())
    if options.prompts == STANDARD_OUTPUT:
        for line in lines:
            print(line)
        return 0
    write_prompts(Path(options.prompts), lines)
    print(f"{options.prompts}: {len(enrichment.missing)} prompts", file=sys.stderr)
    return 0
