from embeddings.text.invisible import first_hidden

FE0E, FE0F, ZWJ, ZWNJ = "\ufe0e", "\ufe0f", "\u200d", "\u200c"

NEEDED = {
    "emoji selector": f"⚠{FE0F} careful ✔{FE0E}",
    "keycap": f"1{FE0F}\u20e3 #{FE0F}\u20e3",
    "emoji of two": f"👩{ZWJ}💻",
    "emoji of two with a selector": f"❤{FE0F}{ZWJ}🔥",
    "emoji of two with a tone of skin": f"👩🏽{ZWJ}🚀",
    "family": f"👨{ZWJ}👩{ZWJ}👧",
    "Persian": f"می{ZWNJ}خواهم",
    "Persian with a mark": f"خانه\u0654{ZWNJ}ها",
    "Devanagari non-joiner": f"क\u094d{ZWNJ}ष",
    "Devanagari joiner": f"क\u094d{ZWJ}ष",
    "Sinhala": f"ශ\u0dca{ZWJ}\u0dbbී",
    "Malayalam at the end of a word": f"ന\u0d4d{ZWJ} ",
    "Bengali joiner before a virama": f"র{ZWJ}\u09cd\u09af",
}

NEEDLESS = {
    "selector after a letter": f"a{FE0F}",
    "selector after a digit": f"1{FE0F}2",
    "selector at the start": f"{FE0F}⚠",
    "two selectors": f"⚠{FE0F}{FE0F}",
    "another selector": "⚠\ufe00",
    "selector of an ideograph": "葛\U000e0100",
    "joiner between letters": f"a{ZWJ}b",
    "joiner before a letter": f"👩{ZWJ}a",
    "joiner after a letter": f"a{ZWJ}👩",
    "joiner at the end": f"👩{ZWJ}",
    "two joiners": f"👩{ZWJ}{ZWJ}💻",
    "non-joiner between letters": f"a{ZWNJ}b",
    "non-joiner between emoji": f"👩{ZWNJ}💻",
    "non-joiner at the end of an Arabic word": f"می{ZWNJ} ",
    "two non-joiners": f"می{ZWNJ}{ZWNJ}خ",
    "two joiners after a virama": f"क\u094d{ZWJ}{ZWJ}ष",
    "flag of tags": "🏴\U000e0067\U000e0062\U000e007f",
}


def test_a_mark_is_visible_only_where_a_word_or_an_emoji_needs_it() -> None:
    for text in NEEDED.values():
        assert first_hidden(text, one_line=False) is None, text
        assert first_hidden(text, one_line=True) is None, text
    for text in NEEDLESS.values():
        assert first_hidden(text, one_line=False) is not None, text
