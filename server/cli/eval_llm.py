"""The subcommand `eval llm`."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from server.cli.eval_prompts import add_prompts
from server.cli.options import Subcommands, add_command, add_data, add_json, chosen_service, positive
from server.cli.provider_options import add_provider, open_chosen_provider
from server.cli.surface_options import add_surface, start_of
from server.errors import CallerError
from server.output import print_json

if TYPE_CHECKING:
    from server.evals.evaluate import Options
    from server.evals.formats.results import Results
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
    command.add_argument("--html", metavar="FILE", type=Path, help="also write the report as one HTML page")
    add_data(command)
    add_json(command)


def _add_model(command: argparse.ArgumentParser) -> None:
    """Add the options that choose who answers the prompts."""
    caller = command.add_mutually_exclusive_group()
    caller.add_argument(
        "--model", metavar="NAME", help="model to evaluate (default: the built-in router, no language model)"
    )
    caller.add_argument("--replay", metavar="FILE", type=Path, help="score recorded calls (JSON lines) instead")
    add_provider(command)


def _add_limits(command: argparse.ArgumentParser) -> None:
    """Add the options that limit what the model is asked."""
    command.add_argument("--limit", metavar="N", type=positive, help="use only the first N prompts")
    command.add_argument("--steps", metavar="N", type=positive, default=8, help="maximum turns per prompt (default: 8)")


def run(options: argparse.Namespace) -> int:
    """Ask, score and report."""
    import anyio

    from server.cli.eval_llm_text import to_text
    from server.evals.evaluate import evaluate
    from server.evals.reports.json_report import to_json

    # A missing package is reported before the model is asked, which takes long and costs money.
    to_html = _html_report() if options.html else None
    start = start_of(options)
    service = chosen_service(options)
    name, results = anyio.run(evaluate, service, _chosen(options, service, start))
    if to_html:
        _write(options.html, to_html(name, results))
    if options.json:
        print_json(to_json(name, results))
    else:
        print(to_text(name, results))
    return 1 if results.failures else 0


def _html_report() -> "Callable[[str, Results], str]":
    """The function that renders the HTML page.

    Raises:
        CallerError: the package it needs is not installed.
    """
    try:
        from server.evals.reports.html_report import to_html
    except ModuleNotFoundError as error:
        raise CallerError(
            f"--html cannot be used because the package {error.name!r} is not installed; the HTML report needs an "
            "optional package; install it with: pip install 'agent-capabilities[eval]'"
        ) from error
    return to_html


def _chosen(options: argparse.Namespace, service: "Service", start: "Start") -> "Options":
    from server.evals.evaluate import Options

    return Options(
        data_folder=service.catalog.folder,
        concurrency=options.concurrency,
        max_steps=options.steps,
        prompts=options.prompts,
        provider=open_chosen_provider(options) if options.model else None,
        replay=options.replay,
        limit=options.limit,
        out=options.out,
        start=start,
    )


def _write(path: Path, text: str) -> None:
    from embeddings.files import write_atomically

    try:
        write_atomically(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise CallerError(
            f"{str(path)!r} cannot be written ({error.strerror}); the report must be a writable file; give another path"
        ) from error
