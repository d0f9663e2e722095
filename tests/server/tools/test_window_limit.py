"""How much one call embeds, in windows of 256 tokens."""

import json
import random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from embeddings.encoder.encoder import open_tokenizer
from embeddings.encoder.model_files import official_model_folder
from embeddings.ranking.workload import max_tokens
from server.errors import CallerError, Parts
from server.matching.label_service import LONGEST_PHRASE, MAX_WINDOWS
from server.matching.service import Service, open_service
from server.tools.recommend_agent import MAX_NEEDS
from server.web.answers import coverage as coverage_module
from server.web.answers.coverage import MAX_QUERIES, coverage
from tests.server.calls import answer, error
from tests.toy import ToyEncoder, write_data

WINDOW: Final = 256
EIGHTEEN: Final = "\ufdfa"
SENTENCE: Final = "I would like to undo the last change that was made to my files before we go on"
PIECES: Final = st.sampled_from(
    ["undo ", "restor ", "I do not want ", ", and then ", ". ", "?! ", "字", "각", EIGHTEEN, "a\u0315", "x" * 90, "İŉẞ"]
)
TEXTS: Final = st.text(max_size=200) | st.builds(
    lambda pieces, times: "".join(pieces) * times, st.lists(PIECES, min_size=1, max_size=12), st.integers(1, 200)
)


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Service, ToyEncoder]:
    """Return a service over the toy catalog, and its encoder, which notes what it embeds."""
    encoder = ToyEncoder()
    service = open_service(write_data(tmp_path_factory.mktemp("counted") / "data"), lambda threads: encoder)
    service.matchers.load()
    return service, encoder


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return open_tokenizer(official_model_folder() / "tokenizer.json", WINDOW)


def ordinary(characters: int, seed: int = 1) -> str:
    chosen = random.Random(seed)
    return " ".join(chosen.choice(SENTENCE.split()) for _ in range(characters))[:characters]


def lines(queries: list[str]) -> str:
    return "\n".join(json.dumps({"query": query, "gold": []}) for query in queries)


def embedded(encoder: ToyEncoder, tokenizer: Tokenizer) -> int:
    """Return how many tokens were embedded since the last time."""
    tokens = sum(len(tokenizer.encode(text.encode("utf-8", "replace").decode()).ids) for text in encoder.encoded)
    encoder.encoded.clear()
    return tokens


def test_needs_that_are_short_but_stand_for_much_are_refused_before_anything_is_embedded(
    counted: tuple[Service, ToyEncoder],
) -> None:
    service, encoder = counted
    encoder.encoded.clear()
    told = Parts.of(error(service, "recommend_agent", {"needs": [EIGHTEEN * LONGEST_PHRASE] * MAX_NEEDS}))
    assert not encoder.encoded
    assert "windows of 256 tokens" in told.value
    assert f"at most {MAX_WINDOWS}" in told.rule
    assert "in a sentence" in told.next_step


def test_it_is_the_same_through_call_tool(counted: tuple[Service, ToyEncoder]) -> None:
    needs = {"needs": [EIGHTEEN * LONGEST_PHRASE] * MAX_NEEDS}
    assert "windows" in error(counted[0], "call_tool", {"name": "recommend_agent", "arguments": needs})


def test_an_upload_that_stands_for_much_is_refused_before_anything_is_embedded(
    counted: tuple[Service, ToyEncoder],
) -> None:
    service, encoder = counted
    encoder.encoded.clear()
    with pytest.raises(CallerError) as caught:
        coverage(service, lines([EIGHTEEN * 484] * 689), "big.jsonl")
    told = Parts.of(caught.value)
    assert not encoder.encoded
    assert told.value.startswith("big.jsonl can come to ")
    assert f"at most {coverage_module.MAX_WINDOWS:,}" in told.rule
    assert "eval matcher" in told.next_step


def test_as_many_needs_as_a_call_can_have_are_answered(counted: tuple[Service, ToyEncoder]) -> None:
    for characters in [100, 400, 1000]:
        needs = [ordinary(characters, seed) for seed in range(MAX_NEEDS)]
        assert len(answer(counted[0], "recommend_agent", {"needs": needs})["understood"]) == MAX_NEEDS


def test_one_long_message_is_answered(counted: tuple[Service, ToyEncoder]) -> None:
    for message in (ordinary(LONGEST_PHRASE), "ä" + ordinary(LONGEST_PHRASE - 1), EIGHTEEN * LONGEST_PHRASE):
        assert answer(counted[0], "match_capability", {"phrase": message})["matches"]
        assert answer(counted[0], "recommend_agent", {"needs": [message]})["understood"]


@pytest.mark.parametrize("characters", [60, 200])
def test_an_upload_of_plain_queries_is_measured(
    counted: tuple[Service, ToyEncoder], monkeypatch: pytest.MonkeyPatch, characters: int
) -> None:
    service, _ = counted
    matched: list[str] = []
    result = service.match("undo it")

    class Quick:
        """A matcher that answers at once."""

        names = ()
        is_degraded = False

        def match(self, phrase: str, top: int) -> Any:
            matched.append(phrase)
            return result

    monkeypatch.setattr(service.matchers, "get", Quick)
    queries = [ordinary(characters, seed) for seed in range(MAX_QUERIES)]
    assert coverage(service, lines(queries), "x")["queries"] == MAX_QUERIES
    assert matched == queries


@given(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=4), st.integers(1, 5))
def test_no_call_embeds_more_than_the_limit(
    counted: tuple[Service, ToyEncoder], tokenizer: Tokenizer, texts: list[str], times: int
) -> None:
    service, encoder = counted
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recommend_agent", {"needs": texts * times}),
        ("explain_match", {"phrase": texts[0], "capability": texts[-1][:2000]}),
        ("compare_capability", {"capability": texts[0]}),
        ("lookup_capability", {"agent": "claude-code", "capability": texts[0]}),
    ]
    for tool, arguments in calls:
        encoder.encoded.clear()
        refused = False
        try:
            answer(service, tool, arguments)
        except CallerError:
            refused = True
        assert embedded(encoder, tokenizer) <= (0 if refused and tool == "recommend_agent" else MAX_WINDOWS * WINDOW)


@given(TEXTS.filter(str.strip))
def test_no_phrase_embeds_more_than_is_estimated(
    counted: tuple[Service, ToyEncoder], tokenizer: Tokenizer, text: str
) -> None:

    service, encoder = counted
    text = text[:LONGEST_PHRASE]
    encoder.encoded.clear()
    service.match(text, top=3)
    assert embedded(encoder, tokenizer) <= max_tokens(text) < MAX_WINDOWS * WINDOW
