"""The same tools in four shapes: how names are written, and whether out-of-scope phrases are given, flips no decision.

`tool_shapes.json` holds three tool lists and phrases that a tool serves or none does, written for this project.
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from tests.remembering import Remembering

pytestmark = pytest.mark.measures

CATALOGS: Final[list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("tool_shapes.json").read_text(encoding="utf-8")
)["catalogs"]

SHAPES: Final = {
    "plain": (False, False),
    "server/tool": (True, False),
    "out of scope": (False, True),
    "both": (True, True),
}
"""Whether names are those of `server/tool` with the bare name as alias, and whether there are out-of-scope phrases."""

MAX_APART: Final = 0.08
"""Largest allowed difference of a share between shapes, over all lists."""


@dataclass(frozen=True)
class Shares:
    """Shares of one shape: of served phrases that are `no_match`, and of unserved ones that are `resolved`."""

    refused: float
    resolved: float


def in_shape(catalog: dict[str, Any], shape: str) -> PhraseBook:
    with_server, with_outside = SHAPES[shape]
    labels = [
        Label(f"{catalog['server']}/{tool['name']}", (tool["name"],), tool["description"])
        if with_server
        else Label(tool["name"], (), tool["description"])
        for tool in catalog["tools"]
    ]
    return PhraseBook(tuple(labels), tuple(catalog["outOfScope"]) if with_outside else ())


def counted(catalog: dict[str, Any], shape: str, encoder: Remembering) -> Counter[str]:
    matcher = Matcher.build(in_shape(catalog, shape), encoder)
    refused = [matcher.match(served["phrase"]).decision == "no_match" for served in catalog["served"]]
    resolved = [matcher.match(phrase).decision == "resolved" for phrase in catalog["unserved"]]
    return Counter(refused=sum(refused), served=len(refused), resolved=sum(resolved), unserved=len(resolved))


def shares(counts: Counter[str]) -> Shares:
    return Shares(counts["refused"] / counts["served"], counts["resolved"] / counts["unserved"])


@pytest.fixture(scope="module")
def found(remembering: Remembering, whole_background: None) -> dict[str, Shares]:
    """Return the shares of each shape over all lists; those of each list are printed."""
    total: dict[str, Counter[str]] = {shape: Counter() for shape in SHAPES}
    for catalog in CATALOGS:
        for shape in SHAPES:
            counts = counted(catalog, shape, remembering)
            total[shape] += counts
            share = shares(counts)
            print(f"{catalog['server']:16}{shape:14}no_match {share.refused:.3f} resolved {share.resolved:.3f}")
    return {shape: shares(counts) for shape, counts in total.items()}


def test_the_shape_of_a_catalog_does_not_turn_served_phrases_away(found: dict[str, Shares]) -> None:
    refused = {shape: share.refused for shape, share in found.items()}
    assert max(refused.values()) - min(refused.values()) <= MAX_APART, refused


def test_the_shape_of_a_catalog_does_not_resolve_phrases_that_no_tool_serves(found: dict[str, Shares]) -> None:
    resolved = {shape: share.resolved for shape, share in found.items()}
    assert max(resolved.values()) - min(resolved.values()) <= MAX_APART, resolved


def test_every_phrase_names_tools_of_its_list() -> None:
    for catalog in CATALOGS:
        names = {tool["name"] for tool in catalog["tools"]}
        assert {name for served in catalog["served"] for name in served["gold"]} <= names
