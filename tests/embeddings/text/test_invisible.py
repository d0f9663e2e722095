import re
import sys
import unicodedata
from typing import Final

from embeddings.text.invisible import DEFAULT_IGNORABLE, all_visible, escaped, is_hidden
from server.catalog.safe_text import first_fault

IGNORABLE: Final = frozenset(code for first, last in DEFAULT_IGNORABLE for code in range(first, last + 1))
EVERY: Final = range(sys.maxunicode + 1)
DRAWN_FORMATS: Final = frozenset(
    (*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD, 0xFFF9, 0xFFFA, 0xFFFB)
).union(range(0x13430, 0x13440))
"""Format characters without the property Default_Ignorable_Code_Point: signs around numbers, marks of annotations, and
controls of hieroglyphs."""


def name_of(code: int) -> str:
    return unicodedata.name(chr(code), "")


def test_the_ranges_hold_as_many_code_points_as_the_unicode_database_counts() -> None:
    assert len(IGNORABLE) == sum(last - first + 1 for first, last in DEFAULT_IGNORABLE) == 4174


def test_every_format_character_that_is_not_drawn_is_default_ignorable() -> None:
    formats = {code for code in EVERY if unicodedata.category(chr(code)) == "Cf"}
    assert formats - IGNORABLE <= DRAWN_FORMATS
    assert not DRAWN_FORMATS & IGNORABLE


def test_every_selector_of_variants_and_every_blank_letter_of_hangul_is_default_ignorable() -> None:
    kind = re.compile("(MONGOLIAN FREE )?VARIATION SELECTOR|(HALFWIDTH )?HANGUL (CHOSEONG |JUNGSEONG )?FILLER")
    found = {code for code in EVERY if kind.match(name_of(code))}
    assert len(found) >= 256 + 3 + 4
    assert found <= IGNORABLE


def test_what_is_default_ignorable_is_no_space_and_no_symbol() -> None:
    categories = {unicodedata.category(chr(code)) for code in IGNORABLE}
    assert categories == {"Cf", "Cn", "Lo", "Mn"}


def test_every_default_ignorable_code_point_between_letters_is_refused() -> None:
    passing = [f"{code:04X}" for code in IGNORABLE if first_fault(f"a{chr(code)}b") is None]
    assert passing == []


def test_control_unassigned_and_private_code_points_are_refused_in_a_text_but_newline_and_tab() -> None:
    """Try the first 256, the ends of each run of a category, and every sixteenth code point within."""
    kinds = [unicodedata.category(chr(code)) for code in EVERY]
    inner = {code for code in EVERY[256:-1] if code % 16 and kinds[code - 1] == kinds[code] == kinds[code + 1]}
    hiding = [code for code in EVERY if kinds[code][0] == "C" and code not in inner]
    passing = {chr(code) for code in hiding if first_fault(f"a{chr(code)}b") is None}
    assert passing == {"\n", "\t"}


def test_a_code_point_without_a_meaning_is_refused_by_its_number() -> None:
    for code in [0x0378, 0xE000, 0xF8FF, 0xFDD0, 0xFFFE, 0xF0000, 0x10FFFF]:
        fault = first_fault(f"ab{chr(code)}")
        assert fault is not None, code
        assert fault.message.startswith(f"has U+{code:04X} as character 3; "), code


def test_a_text_is_all_visible_only_where_no_character_of_it_is_hidden() -> None:
    assert [code for code in EVERY if all_visible(chr(code)) and is_hidden(chr(code))] == []


def test_hidden_characters_are_spelled_out_and_others_left() -> None:
    cases = [
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[31m\x7f\x85", "\\x1b[31m\\x7f\\x85"),
        ("\u2028\u202e\ufeff", "\\u2028\\u202e\\ufeff"),
        ("\u3164\U000e0041\ud800", "\\u3164\\U000e0041\\ud800"),
        ("naïve 日本語 👍 \u00a0 C:\\new", "naïve 日本語 👍 \u00a0 C:\\new"),
    ]
    for text, shown in cases:
        assert escaped(text) == shown, text
