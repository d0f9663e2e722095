"""The subcommand `preflight`."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from embeddings.preflight.finding import SEVERITIES
from server.cli.options import (
    CATALOG_FILE,
    Subcommands,
    add_command,
    add_data,
    add_json,
    add_server_configs,
    chosen_loader,
)
from server.cli.progress import growing_progress
from server.errors import CallerError, brief

# Imported where they are used otherwise, because every start of the command, a server's included, imports this module.
if TYPE_CHECKING:
    from embeddings.preflight.finding import Report
    from embeddings.preflight.texts import LimitedEncoder
    from server.matching.encoders import EncoderLoader
    from server.preflight.baseline import Baseline
    from server.preflight.outcome import Outcome

NEVER: Final = "never"
FORMATS: Final = ("text", "json", "sarif", "github")


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(
        subcommands, "preflight", "find the labels of a catalog that plain language will not reach, and say why", run
    )
    command.epilog = (
        "exit status: 0 if no new finding reaches --fail-on, 1 if one does, or for a fault, 2 for bad arguments or "
        "input files"
    )
    origin = command.add_mutually_exclusive_group()
    origin.add_argument(
        "--catalog",
        metavar="FILE",
        help=f"judge {CATALOG_FILE} (- for standard input); default: the capabilities of the data folder",
    )
    origin.add_argument(
        "--skills", dest="catalog", metavar="DIR", help="judge the Agent Skills below this folder, as --catalog does"
    )
    add_data(origin)
    add_server_configs(origin, "judge the tools of all MCP servers of these configurations, as `gateway` reads them")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--format", choices=FORMATS, default="text", help="format of the report (default: text)")
    add_json(form)
    command.add_argument("--out", metavar="FILE", type=Path, help="write the report to this file")
    command.add_argument(
        "--fail-on",
        choices=(*SEVERITIES, NEVER),
        default="warning",
        help="exit with status 1 if there is a new finding of at least this severity (default: warning)",
    )
    command.add_argument(
        "--baseline", metavar="FILE", type=Path, help="file of findings that are accepted and do not count"
    )
    command.add_argument(
        "--write-baseline",
        action="store_true",
        help="accept all findings: write them to the file of --baseline, with the reasons that it has",
    )


def run(options: argparse.Namespace) -> int:
    """Judge, write the report, and return 1 if a new finding reaches `--fail-on`, otherwise 0."""
    from server.cli.preflight_input import chosen_catalog
    from server.preflight.outcome import Outcome

    _check_files(options)
    before = _baseline(options)
    with growing_progress("preflight", "steps") as progress:
        source, content = chosen_catalog(options)
        report = judge(content, progress, chosen_loader(options))
    outcome = Outcome(report, source, before)
    if options.write_baseline:
        outcome = _accepted(options, outcome)
    _tell_stale(options, outcome)
    _write(options, outcome)
    return int(options.fail_on != NEVER and outcome.reaches(options.fail_on))


def judge(content: Any, progress: Any, loader: "EncoderLoader") -> "Report":
    """Judge a catalog's JSON value with the model that it is embedded with."""
    from embeddings.preflight.preflight import preflight

    return preflight(content, cast("LimitedEncoder", loader(os.cpu_count() or 1)), progress)


def _check_files(options: argparse.Namespace) -> None:
    """Check that no file would be written over another one that is named."""
    from server.cli.preflight_input import STANDARD_INPUT
    from server.enrichment.catalog_file import refuse_same_file

    if options.write_baseline and not options.baseline:
        raise CallerError(
            "--write-baseline was given without --baseline; the accepted findings need a file; add --baseline FILE"
        )
    read = list(options.config)
    if options.catalog not in {None, STANDARD_INPUT}:
        read.append(Path(options.catalog))
    if options.out:
        for path in (*read, *([options.baseline] if options.baseline else [])):
            refuse_same_file(options.out, "--out", path)
    if options.baseline:
        for path in read:
            refuse_same_file(options.baseline, "--baseline", path)


def _baseline(options: argparse.Namespace) -> "Baseline | None":
    from server.preflight.baseline import Baseline

    if not options.baseline:
        return None
    if options.write_baseline and not options.baseline.exists():
        return Baseline()
    return Baseline.read(options.baseline)


def _accepted(options: argparse.Namespace, outcome: "Outcome") -> "Outcome":
    """Write the baseline that accepts all findings. Returns the outcome with it."""
    from server.preflight.baseline import Baseline
    from server.preflight.outcome import Outcome

    found = Baseline.accepting(outcome.report.findings, outcome.baseline or Baseline())
    found.write(options.baseline)
    return Outcome(outcome.report, outcome.source, found)


def _tell_stale(options: argparse.Namespace, outcome: "Outcome") -> None:
    from server.preflight.messages import stale

    for entry in outcome.stale:
        print(f"{options.baseline}: {stale(entry)}", file=sys.stderr)


def _write(options: argparse.Namespace, outcome: "Outcome") -> None:
    """Print the report, or write it to its file and print on stderr what was found."""
    from embeddings.files import write_atomically
    from server.preflight.formats import WRITERS
    from server.preflight.messages import summary

    text = WRITERS["json" if options.json else options.format](outcome)
    if not options.out:
        print(text)
        return
    try:
        write_atomically(options.out, f"{text.rstrip()}\n".encode())
    except OSError as error:
        raise CallerError(
            f"--out {brief(str(options.out))} cannot be written ({error.strerror}); it must be a writable file; give "
            "another path"
        ) from error
    print(f"{options.out}: {summary(outcome)}", file=sys.stderr)
