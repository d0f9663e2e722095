"""Compares matchers on the same catalogs, queries and vectors: `python -m benchmarks.matching`.

The data are the shipped catalog with `dev.jsonl`, which the project is tuned on; with --clinc CLINC150, with --hwu64
HWU64, each with few phrases an intent; with --hint3 the bots of HINT3, beside the published figures of other platforms;
with --tools the tools of ToolAlpaca with one description each, and with examples written by a language model.
`benchmarks/matching_figures.py` says what the figures are.
"""

import argparse
import importlib.util
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from benchmarks import labelled_data, matching_plot, matching_report, public_data
from benchmarks.labelled_data import Case
from benchmarks.matching_figures import figures
from benchmarks.peer import CannotFitError, Decider, Peer, Texts
from benchmarks.peers import PEERS
from benchmarks.sets import intents
from embeddings.encoder.caching import CachedEncoder
from embeddings.encoder.encoder import Encoder

SEEDS: Final = 5
SMALL_STEP: Final = 10
"""With --small, only every tenth CLINC150 query is used."""


def cases(chosen: argparse.Namespace) -> Iterator[Case]:
    """Yield every sample to measure."""
    if not chosen.public_only:
        yield labelled_data.dev()
    if chosen.clinc:
        for case in labelled_data.clinc(chosen.clinc, 1 if chosen.small else SEEDS):
            yield case.every(SMALL_STEP) if chosen.small else case
    if chosen.hwu64:
        for case in public_data.hwu(chosen.hwu64):
            yield case.every(2) if chosen.small else case
    if chosen.hint3:
        yield from public_data.hint3(chosen.hint3)
    if chosen.tools:
        yield from public_data.tools(chosen.tools, chosen.clinc)


def available() -> list[type[Peer]]:
    """List the installed peers; name the others on stderr."""
    found = []
    for peer in PEERS:
        if not peer.package or importlib.util.find_spec(peer.package):
            found.append(peer)
        else:
            print(
                f"{peer.name} is left out; package {peer.package} is not installed; pip install '.[benchmark]'",
                file=sys.stderr,
            )
    return found


def measure(samples: Iterator[Case], peers: list[type[Peer]]) -> matching_report.Results:
    """Measure every matcher on every sample: data, matcher, figure, one value per seed."""
    encoder = CachedEncoder(Encoder.load(threads=2))
    found: matching_report.Results = {}
    for case in samples:
        catalog = Texts.of(case.book, encoder)
        for kind in peers:
            try:
                measured = _measured(case, catalog, kind)
            except CannotFitError as problem:
                print(f"{case.data}: {kind.name} is left out; {problem}", file=sys.stderr)
                continue
            print(f"{case.data}, seed {case.seed}: {kind.name}: {measured}", file=sys.stderr, flush=True)
            values = found.setdefault(case.data, {}).setdefault(kind.name, {})
            for name, value in measured.items():
                values.setdefault(name, []).append(round(value, 4))
    return found


def _measured(case: Case, catalog: Texts, kind: type[Peer]) -> dict[str, float]:
    peer = kind()
    peer.fit(catalog)
    queries = [query.query for query in case.queries]
    scores = peer.scores(queries)
    decisions = peer.decisions(queries) if isinstance(peer, Decider) else None
    found = asdict(figures(case, scores, calibrated=kind.calibrated, decisions=decisions))
    return {name: value for name, value in found.items() if value is not None}


def published(root: Path) -> matching_report.Results:
    """Read the published figures of the bots, each at the threshold that is best on the test set."""
    return {
        f"hint3-{bot}": {
            f"{platform} (published)": {name: [round(value, 4)] for name, value in values.items()}
            for platform, values in intents.hint3_published(root, bot).items()
        }
        for bot in intents.hint3_bots(root)
    }


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--clinc", type=Path, metavar="FILE", help="CLINC150, data_full.json of github.com/clinc/oos-eval"
    )
    checkouts = {
        "--hwu64": "jianguoz/Few-Shot-Intent-Detection",
        "--hint3": "hellohaptik/HINT3",
        "--tools": "tangqiaoyu/ToolAlpaca",
    }
    for option, repository in checkouts.items():
        options.add_argument(option, type=Path, metavar="FOLDER", help=f"checkout of github.com/{repository}")
    options.add_argument("--small", action="store_true", help="one seed, one CLINC150 query in ten, half of HWU64's")
    options.add_argument("--public-only", action="store_true", help="leave out the shipped catalog")
    options.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options.add_argument(
        "--write",
        action="store_true",
        help="store the figures in results/matching.json beside those of other data, plot them, print the docs' table",
    )
    return options


def main() -> None:
    """Measure and print the tables; with --write, store them."""
    options = _options()
    chosen = options.parse_args()
    if chosen.clinc and not chosen.clinc.is_file():
        options.error(f"{str(chosen.clinc)!r} is not a file; --clinc takes CLINC150's data_full.json; check the path")
    for folder in filter(None, (chosen.hwu64, chosen.hint3, chosen.tools)):
        if not folder.is_dir():
            options.error(
                f"{str(folder)!r} is not a folder; --hwu64, --hint3 and --tools take checkouts; check the path"
            )
    if chosen.tools and not chosen.clinc:
        options.error("--tools has no requests that no tool serves; they are CLINC150's; give --clinc FILE as well")
    found = measure(cases(chosen), available())
    for data, platforms in (published(chosen.hint3) if chosen.hint3 else {}).items():
        found[data] |= platforms
    print(json.dumps(found) if chosen.json else matching_report.tables(found))
    if chosen.write:
        stored = matching_report.write(found, labelled_data.shipped_book().fingerprint)
        matching_plot.write(stored)
        print(matching_report.readme(stored), file=sys.stderr if chosen.json else sys.stdout)


if __name__ == "__main__":
    main()
