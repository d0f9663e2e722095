import sys
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.text.normalization import MAX_MARKS, fold, normalize, words


def test_case_width_punctuation_and_spacing_are_folded_away() -> None:
    cases = [
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
    ]
    for text, folded in cases:
        assert fold(text) == folded, text


def test_a_phrase_of_punctuation_alone_keeps_its_characters() -> None:
    for text, folded in [("?", "?"), ("- -", "--"), (" /* ", "/*")]:
        assert fold(text) == folded, text


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=0x24F) | st.sampled_from("ﬁＡ½’🙂日\u200b")))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@settings(deadline=None)
@given(st.text(st.sampled_from("aé\uff9e\u0300\u0315\u0344\u0f73\u1e69"), max_size=200))
def test_runs_of_marks_fold_to_the_same_when_folded_again(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_a_text_with_no_more_marks_than_scripts_need_is_normalized_as_unicode_says() -> None:
    for text in ["é" * 100, "a" + "\u0315" * MAX_MARKS, "각", "ﬁ\u0323"]:
        assert normalize(text) == unicodedata.normalize("NFKC", text), text


def test_every_character_that_begins_with_a_mark_when_decomposed_counts_as_one() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.combining(unicodedata.normalize("NFKD", character)[0]):
            assert len(normalize(character * 100)) <= 3 * MAX_MARKS


def test_marks_beyond_those_that_scripts_need_are_dropped() -> None:
    assert normalize("x" + "\u0315" * 100_000 + "y") == "x" + "\u0315" * MAX_MARKS + "y"


@settings(deadline=None)
@given(st.text(st.characters(codec="ascii")))
def test_case_and_surrounding_space_never_change_a_folded_phrase(text: str) -> None:
    assert fold(f" {text.upper()}\n") == fold(text.lower())


@settings(deadline=None)
@given(st.text())
def test_only_a_blank_phrase_folds_to_nothing(text: str) -> None:
    assert (fold(text) == "") == (not text.strip())


def test_words_are_folded_to_lower_case_in_their_order() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("Can it UNDO that?", ["can", "it", "undo", "that"]),
        ("don't, it’s", ["don't", "it’s"]),
        ("'quoted'", ["quoted"]),
        ("snake_case sub-agent", ["snake_case", "sub", "agent"]),
        ("ｗｉｄｅ 日本", ["wide", "日本"]),
        ("?! 🙂", []),
        ("\ud800", []),
    ]
    for text, found in cases:
        assert words(text) == found, text
