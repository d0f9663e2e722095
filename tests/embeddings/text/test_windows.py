from embeddings.text.clauses import LONGEST_WINDOW, MAX_WINDOWS, is_long, windows


def test_a_long_text_is_cut_into_its_sentences() -> None:
    assert windows("One thing. Another thing. What now?").texts == ("One thing.", "Another thing.", "What now?")


def test_windows_are_short_enough_for_the_encoder_and_few() -> None:
    for text in ["word " * 400, "a" * 5000, "字" * 3000, "A sentence of six words only. " * 200]:
        found = windows(text).texts
        assert len(found) <= MAX_WINDOWS, text
        assert max(len(window.encode()) for window in found) <= LONGEST_WINDOW, text


def test_no_sentence_is_lost_up_to_the_limit() -> None:
    for count in [30, 100, 250]:
        found = windows(" ".join(f"This is sentence {number}." for number in range(count)))
        assert not found.truncated, count
        assert " ".join(found.texts) == " ".join(f"This is sentence {number}." for number in range(count)), count


def test_the_last_sentence_has_a_window_of_its_own() -> None:
    assert windows("It was a day. " * 100 + "Where is my bag?").texts[-1] == "Where is my bag?"


def test_a_text_beyond_the_limit_keeps_its_ends_and_says_so() -> None:
    found = windows("The first one. " + "It went on and on and on. " * 2000 + "The last one.")
    assert found.truncated
    assert found.texts[0].startswith("The first one.")
    assert found.texts[-1] == "The last one."


def test_only_long_texts_are_long() -> None:
    assert is_long("word " * 81)
    assert is_long("字" * 400)
    assert not is_long("I want my money back, and where is my parcel?")
