import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.text import fold, words


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Sub-Agents?", "sub agents"),
        ("  MCP \t\n Support  ", "mcp support"),
        ("AGENTS.md", "agents md"),
        ("ＭＣＰ", "mcp"),
        ("ﬁle", "file"),
        ("Straße", "strasse"),
        ("„quoted“", "„quoted“"),
        ("C++", "c++"),
        ("", ""),
        (" \n", ""),
    ],
)
def test_case_width_punctuation_and_spacing_are_folded_away(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(("text", "folded"), [("?", "?"), ("- -", "--"), (" /* ", "/*")])
def test_a_phrase_of_punctuation_alone_keeps_its_characters(text: str, folded: str) -> None:
    assert fold(text) == folded


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=0x24F) | st.sampled_from("ﬁＡ½’🙂日\u200b")))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@settings(deadline=None)
@given(st.text(st.characters(codec="ascii")))
def test_case_and_surrounding_space_never_change_a_folded_phrase(text: str) -> None:
    assert fold(f" {text.upper()}\n") == fold(text.lower())


@settings(deadline=None)
@given(st.text())
def test_only_a_blank_phrase_folds_to_nothing(text: str) -> None:
    assert (fold(text) == "") == (not text.strip())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Can it UNDO that?", ["can", "it", "undo", "that"]),
        ("don't, it’s", ["don't", "it’s"]),
        ("'quoted'", ["quoted"]),
        ("snake_case sub-agent", ["snake_case", "sub", "agent"]),
        ("ｗｉｄｅ 日本", ["wide", "日本"]),
        ("?! 🙂", []),
        ("\ud800", []),
    ],
)
def test_words_are_folded_to_lower_case_in_their_order(text: str, found: list[str]) -> None:
    assert words(text) == found
