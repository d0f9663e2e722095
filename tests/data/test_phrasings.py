"""Rules for `data/phrasings.json`, as CONTRIBUTING states them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process

from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.matcher import Matcher
from embeddings.text.normalization import fold
from server.matching.matcher_provider import VECTORS_FILE
from server.paths import shipped_data

ROOT = Path(__file__).resolve().parents[2]
FILE: dict[str, Any] = json.loads((shipped_data() / "phrasings.json").read_text(encoding="utf-8"))
PHRASINGS: dict[str, list[str]] = FILE["phrasings"]
OUT_OF_SCOPE: list[str] = FILE["outOfScope"]
LABELS = sorted(PHRASINGS)
DEV = [json.loads(line) for line in (ROOT / "benchmarks" / "dev.jsonl").read_text(encoding="utf-8").splitlines()]

LIKEST = 85
NEAREST = 0.95
SUSPECT = 0.85
"""The file has mapped vectors; pairs nearer than this there are embedded anew. Of 14,133 phrases, none nearer than
NEAREST was below 0.95 there."""
OPENING_SHARE = 0.05


def test_a_capability_has_at_least_70_phrasings() -> None:
    for label in LABELS:
        assert len(PHRASINGS[label]) >= 70, label


def test_there_are_at_least_700_out_of_scope_phrases() -> None:
    assert len(OUT_OF_SCOPE) >= 700


def test_no_phrase_is_near_a_development_query() -> None:
    mine = [fold(text) for text in [*OUT_OF_SCOPE, *(text for texts in PHRASINGS.values() for text in texts)]]
    queries = [fold(row["query"]) for row in DEV]
    likeness = process.cdist(mine, queries, scorer=fuzz.token_sort_ratio, dtype=np.uint8, workers=-1)
    near = [(mine[row], queries[column]) for row, column in np.argwhere(likeness >= LIKEST)]
    assert near == []


def test_no_opening_is_worn_out() -> None:
    for label in LABELS:
        openings = Counter(tuple(fold(text).split()[:3]) for text in PHRASINGS[label] if len(fold(text).split()) >= 3)
        opening, times = openings.most_common(1)[0]
        assert times <= OPENING_SHARE * len(PHRASINGS[label]), " ".join(opening)


def test_no_phrase_stands_twice() -> None:
    counts = Counter(fold(text) for text in [*OUT_OF_SCOPE, *(text for texts in PHRASINGS.values() for text in texts)])
    assert [text for text, times in counts.items() if times > 1] == []


def test_no_two_phrasings_of_a_capability_mean_quite_the_same() -> None:
    encoder = Encoder.load(official_model_folder())
    index, vectors = Matcher.load(shipped_data() / VECTORS_FILE, encoder).texts_and_vectors()
    rows = {text: row for row, text in enumerate(index)}
    for texts in PHRASINGS.values():
        mine = vectors[[rows[text] for text in texts]]
        for first, second in np.argwhere(np.triu(mine @ mine.T, k=1) > SUSPECT):
            one, other = encoder.encode([texts[first]])[0], encoder.encode([texts[second]])[0]
            assert one @ other <= NEAREST, (texts[first], texts[second])
