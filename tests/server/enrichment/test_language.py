import pytest

from server.enrichment.language import is_english


@pytest.mark.parametrize("text", ["where is my parcel", "naïve café", "12345", "", "what is 退款 on my bill"])
def test_latin_letters_may_be_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize("text", ["где моя посылка", "我的包裹在哪里", "أين طردي", "refund 我的包裹在哪里我的包裹"])
def test_other_scripts_are_not_english(text: str) -> None:
    assert not is_english(text)
