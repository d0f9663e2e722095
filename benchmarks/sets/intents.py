"""Reads sets of intents with examples: CLINC150, HWU64 and the bots of HINT3."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.sets.files import csv_rows, json_file
from benchmarks.sets.labelled_set import LabelledSet, SetBuilder
from embeddings.metrics import LabelledQuery

_HWU: Final = "Datasets/HWU64"
_NOTHING: Final = "NO_NODES_DETECTED"
"""Name in HINT3 of the queries that no intent fits."""


def clinc(root: Path) -> LabelledSet:
    """Read the intents of CLINC150 with their training phrases in random order, and its validation queries."""
    content = json_file(root / "data/data_full.json")
    phrases: dict[str, list[str]] = defaultdict(list)
    for text, intent in content["train"]:
        phrases[intent].append(text)
    collected, generator = SetBuilder("clinc150"), np.random.default_rng(0)
    for intent, texts in sorted(phrases.items()):
        collected.label(spoken(intent), phrasings=[texts[row] for row in generator.permutation(len(texts))])
    for text, intent in content["val"]:
        collected.query(text, [spoken(intent)])
    return collected.build()


def clinc_outside(root: Path, part: str) -> list[str]:
    """Read queries of CLINC150 that no intent fits: those of `oos_train`, `oos_val` or `oos_test`."""
    return [text for text, _ in json_file(root / "data/data_full.json")[part]]


def hwu(root: Path, examples: int = 10, queries: str = "valid") -> LabelledSet:
    """Read HWU64 with 5 or 10 phrases an intent, and its queries for validation or for the test."""
    phrases: dict[str, list[str]] = defaultdict(list)
    for text, intent in _pairs(root / _HWU / f"train_{examples}"):
        phrases[intent].append(text)
    collected = SetBuilder("hwu64")
    for intent, texts in sorted(phrases.items()):
        collected.label(spoken(intent), phrasings=texts)
    for text, intent in _pairs(root / _HWU / queries):
        collected.query(text, [spoken(intent)])
    return collected.build()


def hint3(folder: Path, bot: str) -> LabelledSet:
    """Read one bot of HINT3's first version, with which the published figures were measured; no query is left out."""
    phrases: dict[str, list[str]] = defaultdict(list)
    for row in csv_rows(folder / f"dataset/v1/train/{bot}_train.csv"):
        phrases[row["label"]].append(row["sentence"])
    collected = SetBuilder(f"hint3-{bot}")
    for intent, texts in sorted(phrases.items()):
        collected.label(spoken(intent.lower()), phrasings=texts)
    queries = tuple(
        LabelledQuery(row["sentence"], () if row["label"] == _NOTHING else (spoken(row["label"].lower()),))
        for row in csv_rows(folder / f"dataset/v1/test/{bot}_test.csv")
        if row["sentence"].strip()
    )
    return replace(collected.build(), queries=queries)


def hint3_bots(folder: Path) -> list[str]:
    """List the bots that are there with all their phrases."""
    names = sorted(path.name for path in (folder / "dataset/v1/test").glob("*_test.csv"))
    return [name.removesuffix("_test.csv") for name in names]


def hint3_published(folder: Path, bot: str) -> dict[str, dict[str, float]]:
    """Read the published figures of each platform at the threshold that is best for it on the test set."""
    found = {}
    for path in sorted((folder / "results").glob(f"*_{bot}.csv")):
        best = max(csv_rows(path), key=lambda row: float(row["MCC"]))
        found[path.stem.removesuffix(f"_{bot}")] = {"overall": float(best["Accuracy"]), "mcc": float(best["MCC"])}
    return found


def spoken(intent: str) -> str:
    """Return the name of an intent as words."""
    return intent.replace("_", " ")


def _pairs(folder: Path) -> list[tuple[str, str]]:
    texts = (folder / "seq.in").read_text(encoding="utf-8").splitlines()
    intents = (folder / "label").read_text(encoding="utf-8").splitlines()
    return [(text, intent.strip()) for text, intent in zip(texts, intents, strict=True) if intent.strip()]
