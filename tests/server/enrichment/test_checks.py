from server.enrichment.collecting import MAX_CHARACTERS, SeenTexts, cleaned, fault, is_refusal

NAMES = frozenset({"refund", "money back"})
SEEN = ["where is my parcel"]


def test_a_query_that_cannot_be_an_example_is_told_why() -> None:
    cases = [
        ("", "blank"),
        ("?!", "blank"),
        ("word " * 100, "too_long"),
        ("give it\u202e back", "hidden_characters"),
        ("give it\x07 back", "hidden_characters"),
        ("half a \ud800 pair", "hidden_characters"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("As an AI language model I have no parcels", "refusal"),
        ("верните мне деньги", "not_english"),
        ("お金を返して", "not_english"),
        ("Refund?", "name"),
        ("money-back", "name"),
        ("Where is my parcel??", "near_copy"),
        ("my parcel, where is it", "near_copy"),
        ("wheres my parcel", "near_copy"),
    ]
    for query, reason in cases:
        assert fault(query, NAMES, SeenTexts(SEEN)) == reason, query


def test_a_query_of_a_user_is_kept() -> None:
    cases = [
        "i paid twice",
        "I can't create an account",
        "sorry, wrong parcel, what now",
        "I can't help but notice that half is missing",
        "my café order (crème brûlée) never came 🙁",
        "what does возврат mean on my bill",
        "x" * MAX_CHARACTERS,
    ]
    for query in cases:
        assert fault(query, NAMES, SeenTexts(SEEN)) is None, query


def test_a_text_that_was_added_counts_as_seen() -> None:
    seen = SeenTexts(())
    assert not seen.has_near_copy("i paid twice")
    seen.add("I paid twice")
    assert seen.has_near_copy("i paid twice")


def test_a_query_is_put_on_one_line() -> None:
    assert cleaned("  i paid\n\ttwice ") == "i paid twice"


def test_refusals_are_recognized() -> None:
    for text in ["I’m sorry, but I cannot do that", "Sorry, I can't.", "I cannot assist with this."]:
        assert is_refusal(text), text
