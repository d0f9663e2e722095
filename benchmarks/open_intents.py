"""Measures open-intent detection as TEXTOIR does: `python -m benchmarks.open_intents --textoir FOLDER [--write]`.

Some intents of a set are known, drawn by a seed: their training examples make the catalog. The other intents, and what
the set itself has out of scope, are open: the right answer to their test queries is "none of them". The matcher answers
with what is likeliest, none included; it has no open examples, no development set and no training of its encoder.
Prints accuracy and F1 (the mean over the known intents and the open one), and F1 of the known intents and of the open
one apart, as means over the seeds, in percent. The sets are those in `data/` of a checkout of
github.com/thuiar/TEXTOIR.

*told* knows the share of the intents that are open, as `outOfScopeShare`; *estimated* states the share that
`Matcher.estimate_share` finds in the test queries, without their labels. Logistic regression, on the same vectors,
answers "none" where its largest probability is below one half (maximum softmax probability).
"""

import argparse
import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.fitted_peers import LogisticRegression
from benchmarks.peer import Texts
from embeddings.encoder.caching import CachedEncoder
from embeddings.encoder.encoder import Encoder
from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.metrics import estimate_share

RESULTS: Final = Path(__file__).parent / "results" / "open_intents.json"
SETS: Final = {"banking": "BANKING", "oos": "OOS", "stackoverflow": "StackOverflow"}
RATIOS: Final = (0.25, 0.5, 0.75)
SEEDS: Final = 3
METHODS: Final = ("agent-capabilities", "estimated", "told", "logistic regression")
OPEN: Final = ""
"""The label of what is open."""

SURE: Final = 0.5
"""Probability below which logistic regression answers "none"."""

PUBLISHED: Final[dict[str, dict[str, tuple[float, float]]]] = {
    "KNNCL": {"BANKING": (86.1, 77.0), "OOS": (93.1, 82.5), "StackOverflow": (85.0, 79.1)},
    "DA-ADB": {"BANKING": (81.2, 73.7), "OOS": (89.5, 79.9), "StackOverflow": (89.1, 82.8)},
    "LOF": {"BANKING": (66.7, 63.4), "OOS": (87.8, 78.1), "StackOverflow": (25.0, 35.3)},
}
"""Accuracy and F1 with a quarter of the intents known, of models that are fine-tuned on the known intents: Zhou, Liu &
Qiu, KNN-Contrastive Learning for Out-of-Domain Intent Classification, ACL 2022; Zhang et al., Learning Discriminative
Representations and Decision Boundaries for Open Intent Detection, 2023, which has LOF, too."""


@dataclass(frozen=True)
class OpenSet:
    """A set of which some intents are known.

    Attributes:
        book: the known intents with their training examples.
        queries: of the test set.
        right: index of each query's intent in the book; that of "none", the last, if it is open.
    """

    book: PhraseBook
    queries: Sequence[str]
    right: Sequence[int]

    @classmethod
    def draw(cls, folder: Path, ratio: float, seed: int, share: float | None = None) -> "OpenSet":
        """Draw the known intents of a set.

        Args:
            folder: of the set's files.
            ratio: share of the intents that are known.
            seed: of the draw.
            share: of the queries that are open, if the catalog states it.
        """
        train, test = (_rows(folder / f"{part}.tsv") for part in ("train", "test"))
        intents = sorted({label for _, label in train} - {"oos"})
        drawn = np.random.default_rng(seed).choice(len(intents), round(ratio * len(intents)), replace=False)
        known = [intents[place] for place in sorted(drawn.tolist())]
        examples: dict[str, list[str]] = {name: [] for name in known}
        for text, label in train:
            if label in examples:
                examples[label].append(text)
        labels = tuple(Label(name.replace("_", " "), phrasings=tuple(texts)) for name, texts in examples.items())
        place = {name: number for number, name in enumerate(known)}
        right = [place.get(label, len(known)) for _, label in test]
        return cls(PhraseBook(labels, out_of_scope_share=share), [text for text, _ in test], right)


def _rows(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        found = [(row["text"].strip(), row["label"]) for row in rows]
    return [(text, label) for text, label in found if text]


def scores(drawn: OpenSet, answers: Sequence[int]) -> tuple[float, ...]:
    """Return accuracy, F1, F1 of the known intents and F1 of the open one, in [0, 100]."""
    right, given = np.array(drawn.right), np.array(answers)
    f1 = []
    for label in range(len(drawn.book.labels) + 1):
        hits = int(((right == label) & (given == label)).sum())
        f1.append(200 * hits / max(1, int((right == label).sum() + (given == label).sum())))
    return 100 * float((right == given).mean()), float(np.mean(f1)), float(np.mean(f1[:-1])), f1[-1]


def ours(drawn: OpenSet, encoder: CachedEncoder) -> tuple[list[int], float]:
    """Return the matcher's answers, and the share of open queries that it estimates."""
    probabilities = Matcher.build(drawn.book, encoder).probabilities(drawn.queries)
    share = estimate_share(probabilities[:, -1], drawn.book.assumed_share)
    return [int(place) for place in probabilities.argmax(axis=1)], share


def logistic(drawn: OpenSet, encoder: CachedEncoder) -> list[int]:
    """Return the answers of logistic regression."""
    peer = LogisticRegression()
    peer.fit(Texts.of(drawn.book, encoder))
    found = peer.scores(drawn.queries)[:, : len(drawn.book.labels)]
    best = found.argmax(axis=1)
    answers = np.where(found.max(axis=1) < SURE, len(drawn.book.labels), best)
    return [int(place) for place in answers]


def measure(root: Path, encoder: CachedEncoder, name: str, ratio: float) -> list[dict[str, Any]]:
    """Measure each method on one set with one ratio of known intents."""
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in METHODS}
    for seed in range(SEEDS):
        drawn = OpenSet.draw(root / "data" / name, ratio, seed)
        answers, share = ours(drawn, encoder)
        found["agent-capabilities"].append(scores(drawn, answers))
        for method, stated in (("estimated", share), ("told", 1 - ratio)):
            again = OpenSet.draw(root / "data" / name, ratio, seed, stated)
            found[method].append(scores(again, ours(again, encoder)[0]))
        found["logistic regression"].append(scores(drawn, logistic(drawn, encoder)))
    return [
        {
            "set": SETS[name],
            "known": ratio,
            "method": method,
            **dict(zip(("accuracy", "f1", "f1Known", "f1Open"), np.mean(each, axis=0).round(1).tolist(), strict=True)),
        }
        for method, each in found.items()
    ]


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Format figures as a Markdown table: a row for each ratio and method, accuracy and F1 of each set."""
    lines = ["| known | method | " + " | ".join(SETS.values()) + " |", "|---|---|" + "---|" * len(SETS)]
    cells = {(row["set"], row["known"], row["method"]): f"{row['accuracy']:.1f} / {row['f1']:.1f}" for row in rows}
    for ratio in (ratio for ratio in RATIOS if any(row["known"] == ratio for row in rows)):
        for method in dict.fromkeys(row["method"] for row in rows):
            found = [cells.get((name, ratio, method), "") for name in SETS.values()]
            lines.append(f"| {ratio:.0%} | {method} | " + " | ".join(found) + " |")
        if ratio == RATIOS[0]:
            for method, known in PUBLISHED.items():
                found = [f"{accuracy} / {f1}" for accuracy, f1 in (known[name] for name in SETS.values())]
                lines.append(f"| {ratio:.0%} | {method} (published) | " + " | ".join(found) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print; with --write, store the figures for the docs."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--textoir", type=Path, metavar="FOLDER", required=True, help="checkout of TEXTOIR")
    options.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS), help="default: all")
    options.add_argument("--known", nargs="+", type=float, choices=RATIOS, default=list(RATIOS), help="default: all")
    options.add_argument("--write", action="store_true", help=f"store {RESULTS.name}; other sets and ratios in it stay")
    chosen = options.parse_args()
    encoder = CachedEncoder(Encoder.load(threads=2))
    measured = [measure(chosen.textoir, encoder, name, ratio) for name in chosen.sets for ratio in chosen.known]
    rows = [row for some in measured for row in some]
    if chosen.write:
        kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
        anew = {(row["set"], row["known"]) for row in rows}
        rows = [row for row in kept if (row["set"], row["known"]) not in anew] + rows
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8", newline="\n")
    print(table(rows))


if __name__ == "__main__":
    main()
