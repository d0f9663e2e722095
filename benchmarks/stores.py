"""Compares answers through stores with those in memory: `python -m benchmarks.stores --store URI ...`.

Each catalog is built in memory and into each store, whose content is lost. All queries are asked of both; the vectors
of texts are kept, so that times are those beside the encoder. Printed are, for each catalog and store, the share of
queries with the same decision and the same first label, expected calibration errors, times, and seconds to build.
The catalogs are the shipped one; with --clinc CLINC150, with 10 and with all phrases an intent; with --tools
510 and 2,000 tools without examples. "hard" queries are made of them: typing errors, two needs, refusals, stories,
fragments, other languages. The engines are started by the caller.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import stores_cases
from benchmarks.labelled_data import Case
from benchmarks.stores_answers import Answers, answer, compared
from embeddings.encoder.caching import CachedEncoder
from embeddings.encoder.encoder import Encoder
from embeddings.engines.uri import open_store
from embeddings.matcher import Matcher
from embeddings.store_matcher import StoreMatcher
from embeddings.training.store_build import build_store


def measure(case: Case, uris: Sequence[str], encoder: CachedEncoder, shown: int) -> Iterator[dict[str, Any]]:
    """Compare each store with memory on one catalog."""
    matcher = Matcher.build(case.book, encoder)
    cases = [case, stores_cases.hard(case)]
    for each in cases:
        Answers.of(matcher, each)  # So that all texts are encoded.
    wanted = [Answers.of(matcher, each) for each in cases]
    for uri in uris:
        store = open_store(uri)
        began = time.perf_counter()
        build_store(case.book, encoder, store)
        built = time.perf_counter() - began
        began = time.perf_counter()
        stored = StoreMatcher(store, encoder)
        stored.match(case.queries[0].query)
        opened = time.perf_counter() - began
        engine = uri.partition(":")[0] if ":" in uri else "file"
        for each, in_memory in zip(cases, wanted, strict=True):
            found = Answers.of(stored, each)
            seconds = {"build seconds": round(built), "first match seconds": round(opened, 2)}
            yield {"store": engine, **seconds, **compared(each, in_memory, found)}
            _show(each, in_memory, found, shown)
        stored.close()


def _show(case: Case, wanted: Answers, found: Answers, most: int) -> None:
    """Tell on stderr of queries that are answered otherwise."""
    pairs = zip(case.queries, wanted.results, found.results, strict=True)
    differing = [each for each in pairs if answer(each[1]) != answer(each[2])]
    for query, one, other in differing[:most]:
        told = [f"{answer(each)} {each.matches[0].match_confidence:.3f}" for each in (one, other)]
        print(f"  {query.stratum}: {query.query[:70]!r}: {told[0]} in memory, {told[1]}", file=sys.stderr)


def main() -> None:
    """Measure and print one JSON object a line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--store", metavar="URI", action="append", required=True, help="a store, overwritten")
    options.add_argument("--clinc", type=Path, metavar="FILE", help="data_full.json of github.com/clinc/oos-eval")
    options.add_argument("--tools", type=Path, metavar="FILE", help='tools of servers: {"server": {"tools": [...]}}')
    options.add_argument("--only", nargs="*", metavar="CATALOG", help="measure these catalogs alone")
    options.add_argument("--every", type=int, default=1, metavar="N", help="ask one query in N")
    options.add_argument("--show", type=int, default=0, metavar="N", help="tell of N queries answered otherwise")
    chosen = options.parse_args()
    cases = [stores_cases.shipped()]
    cases += stores_cases.clinc(chosen.clinc) if chosen.clinc else []
    cases += [stores_cases.thin_tools(chosen.tools, count) for count in stores_cases.TOOLS] if chosen.tools else []
    encoder = CachedEncoder(Encoder.load(threads=2))
    for case in cases:
        if not chosen.only or case.data in chosen.only:
            for row in measure(case.every(chosen.every), chosen.store, encoder, chosen.show):
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
