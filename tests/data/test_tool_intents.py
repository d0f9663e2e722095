import json

import numpy as np
from rapidfuzz import fuzz, process

from benchmarks.intents import FILES
from embeddings.encoder.encoder import Encoder
from embeddings.matcher import Matcher
from embeddings.text.normalization import fold
from server.paths import shipped_data
from server.toolset.registry import TOOLS
from server.toolset.tool_matcher import VECTORS_FILE, read_intents, tool_book

NEAR = 85
"""Token-sort similarity from which two phrases are the same but for a word."""


def all_phrases() -> list[str]:
    intents = read_intents()
    return [phrase for phrases in intents["tools"].values() for phrase in phrases] + list(intents["outOfScope"])


def test_every_tool_has_intents_and_no_other() -> None:
    assert list(read_intents()["tools"]) == [tool.name for tool in TOOLS]
    assert min(len(phrases) for phrases in read_intents()["tools"].values()) >= 30


def test_no_intent_stands_twice() -> None:
    folded = [fold(phrase) for phrase in all_phrases()]
    assert len(set(folded)) == len(folded)


def test_no_measured_intent_is_near_one_that_is_built_in() -> None:
    for path in FILES:
        measured = [json.loads(line)["query"] for line in path.read_text(encoding="utf-8").splitlines()]
        built = [fold(phrase) for phrase in all_phrases()]
        likeness = process.cdist(list(map(fold, measured)), built, scorer=fuzz.token_sort_ratio, dtype=np.uint8)
        assert [(measured[row], built[column]) for row, column in np.argwhere(likeness >= NEAR)] == [], path


def test_the_vectors_are_of_these_intents_and_this_model(shipped_encoder: Encoder) -> None:
    path = shipped_data() / VECTORS_FILE
    assert Matcher.load(path, shipped_encoder, tool_book(TOOLS)).names == [tool.name for tool in TOOLS]
