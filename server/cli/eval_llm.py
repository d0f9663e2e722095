"""The subcommand `eval llm`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from server.cli.options import (
    Subcommands,
    add_command,
    add_data,
    add_json,
    add_provider,
    chosen_service,
    open_chosen_provider,
    positive,
)
from server.cli.serve_options import add_surface, start_of
from server.errors import CallerError
from server.output import print_json, print_text

if TYPE_CHECKING:
    from server.evals.evaluate import Options
    from server.matching.service import Service
    from server.toolset.start import Start


def add(actions: Subcommands) -> None:
    """Register the action."""
    command = add_command(
        actions, "llm", "measure how well a language model, or a recording of one, uses the tools", run
    )
    add_prompts(command)
    add_surface(command.add_argument_group("the server's tools"))
    _add_model(command)
    _add_limits(command)
    command.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="record all conversations in this file (JSON lines); if it exists, the evaluation resumes from it",
    )
    add_data(command)
    add_json(command)


def add_prompts(command: argparse.ArgumentParser) -> None:
    """Add the option that names the file of prompts."""
    command.add_argument(
        "--prompts",
        metavar="FILE",
        type=Path,
        help="prompts with their expected calls, as JSON (default: the shipped ones for the server's tools)",
    )


def _add_model(command: argparse.ArgumentParser) -> None:
    """Add the options that choose who answers the prompts."""
    caller = command.add_mutually_exclusive_group()
    caller.add_argument("--model", metavar="NAME", help="model to evaluate; this option or --replay is required")
    caller.add_argument("--replay", metavar="FILE", type=Path, help="score recorded calls (JSON lines) instead")
    add_provider(command)


def _add_limits(command: argparse.ArgumentParser) -> None:
    """Add the options that limit what the model is asked."""
    command.add_argument("--limit", metavar="N", type=positive, help="use only the first N prompts")
    command.add_argument("--steps", metavar="N", type=positive, default=8, help="maximum turns per prompt (default: 8)")


def run(options: argparse.Namespace) -> int:
    """Ask, score and report."""
    import anyio

    from server.evals.evaluate import evaluate
    from server.evals.reports import to_json, to_text

    start = start_of(options)
    _check_caller(options)
    service = chosen_service(options)
    name, results = anyio.run(evaluate, service, _chosen(options, service, start))
    if options.json:
        print_json(to_json(name, results))
    else:
        print_text(to_text(name, results))
    return 1 if results.failures else 0


def _check_caller(options: argparse.Namespace) -> None:
    """Check that the options say whose calls are scored.

    Raises:
        CallerError: they do not.
    """
    if not options.model and not options.replay:
        raise CallerError(
            "eval llm was given neither --model nor --replay; it scores the calls of a model or of a recording; add "
            "--model NAME or --replay FILE"
        )


def _chosen(options: argparse.Namespace, service: "Service", start: "Start") -> "Options":
    from server.evals.evaluate import Options

    return Options(
        caller=options.replay or open_chosen_provider(options),
        data_folder=service.catalog.folder,
        concurrency=options.concurrency,
        max_steps=options.steps,
        prompts=options.prompts,
        limit=options.limit,
        out=options.out,
        start=start,
    )
