"""Fits the weights that a catalog starts from, `embeddings/training/priors.json`: `python -m benchmarks.fit_priors`.

FOLDER holds checkouts of the repositories of `benchmarks/sets/sources.py`, each as FOLDER/owner/name. No row of them is
stored: only the weights that --write names, where they come from, and what was read. The weights `outside` are not
fitted here; under `origins` the file says where those come from that this script did not fit.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.labelled_data import shipped_book
from benchmarks.priors import cases, logit
from benchmarks.priors.cases import Case
from benchmarks.priors.measured import Measured, measure
from benchmarks.sets import sources
from embeddings.arrays import DoubleArray
from embeddings.encoder.caching import CachedEncoder
from embeddings.encoder.encoder import Encoder
from embeddings.index.fitted_index import SIGNALS
from embeddings.training import conditional_logit

FILE: Final = Path(conditional_logit.__file__).with_name("priors.json")
ORIGIN: Final = "benchmarks/fit_priors.py, from the sets below"
Weights = dict[str, dict[str, dict[str, float]]]
"""With or without the model, kind, signal."""

_NONE: Final = ("none", "catalog size")
FREE: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "full": {
        "thin": ("nearest", "whole", "part", "words", "coverage", *_NONE, "none cosine"),
        "examples": ("kernel", "cosine", "part", "spelling", *_NONE, "none cosine"),
    },
    "lexical": {
        "thin": ("words", "coverage", "spelling", *_NONE, "none spelling"),
        "examples": ("words", "spelling", *_NONE, "none spelling"),
    },
}
"""The signals that get a weight: with and without the model, for labels without and with examples. Those that were
left out got a weight near zero or below.

With the model, thin labels would get -2.41 for `spelling`, and 2.58 for `none spelling`, which takes it back. Without
both, beside the weights of before, of 199 requests that a tool of ToolAlpaca serves and 205 that none does (one seed):
first 0.779 (0.789), AUROC 0.963 (0.947), calibration error 0.055 (0.076), refused wrongly 0.070 (0.050) and rightly
0.878 (0.834); on a tenth of the queries of CLINC150 by its names first 0.682 (0.676), AUROC 0.867 (0.854). That these
weights were kept was decided by these figures and those of `few_examples.py`, so neither is held out for the choice."""


def fitted(measured: Mapping[str, Sequence[Measured]]) -> Weights:
    """Fit the weights of each kind of catalog, with and without the model."""
    return {
        model: {
            kind: _named(logit.fit(measured[kind], np.array([signal in free for signal in SIGNALS])))
            for kind, free in kinds.items()
        }
        for model, kinds in FREE.items()
    }


def with_weights(content: dict[str, Any], weights: Weights, names: Iterable[str]) -> dict[str, Any]:
    """Put the named weights, such as `full/thin`, and their origin into what the file holds."""
    for name in names:
        model, kind = name.split("/")
        content["weights"][model][kind] = weights[model][kind]
        content["origins"][model][kind] = ORIGIN
    return content


def described(used: Iterable[Case]) -> list[dict[str, Any]]:
    """Count what was read of each repository."""
    every = list(used)
    found = []
    for source in (*sources.TOOLS, sources.CLINC, sources.HWU):
        own = [case for case in every if case.source == source.repository]
        found.append(
            {
                "source": source.repository,
                "commit": source.commit,
                "licence": source.licence,
                "catalogs": len(own),
                "labels": len({label.name for case in own for label in case.book.labels}),
                "queries": len({query.query for case in own for query in case.queries if query.gold}),
            }
        )
    return found


def _named(weights: DoubleArray) -> dict[str, float]:
    return {name: round(float(weight), 2) for name, weight in zip(SIGNALS, weights, strict=True) if round(weight, 2)}


def _measured(used: Sequence[Case]) -> dict[str, list[Measured]]:
    encoder = CachedEncoder(Encoder.load(threads=2))
    found: dict[str, list[Measured]] = {}
    for case in used:
        print(f"{case.data}: {len(case.book.labels)} labels", file=sys.stderr, flush=True)
        found.setdefault(case.kind, []).append(measure(case, encoder))
    return found


def main() -> None:
    """Fit the weights and print them; with --write, store them."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sets", type=Path, metavar="FOLDER", required=True, help="checkouts, as FOLDER/owner/name")
    options.add_argument(
        "--write",
        nargs="+",
        choices=[f"{model}/{kind}" for model, kinds in FREE.items() for kind in kinds],
        default=[],
        help=f"store these in {FILE.name}",
    )
    chosen = options.parse_args()
    for source in (*sources.TOOLS, sources.CLINC, sources.HWU):
        if not (chosen.sets / source.repository).is_dir():
            options.error(
                f"{str(chosen.sets)!r} has no folder {source.repository!r}; --sets takes checkouts as owner/name; "
                f"check out github.com/{source.repository} at {source.commit}"
            )
    used = [*cases.thin(chosen.sets, shipped_book().out_of_scope), *cases.with_examples(chosen.sets)]
    weights = fitted(_measured(used))
    print(json.dumps(weights, indent=1))
    if chosen.write:
        content = with_weights(json.loads(FILE.read_text(encoding="utf-8")), weights, chosen.write)
        FILE.write_text(json.dumps(content | {"sets": described(used)}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
