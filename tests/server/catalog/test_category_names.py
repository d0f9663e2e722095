import pytest

from server.catalog.catalog import CategoryNames

NAMES = CategoryNames(
    {
        "api-integration": "the outside world: MCP Support",
        "ide-integration": "inside an editor",
        "performance": "speed in a world of its own",
    }
)


def test_a_category_is_found_whatever_its_writing() -> None:
    for spelling in ["performance", "Performance", "PERFORMANCE!", " performance "]:
        assert NAMES.exact(spelling) == "performance", spelling


def test_of_two_names_that_fold_to_one_the_first_counts() -> None:
    assert CategoryNames({"a-b": "", "a b": ""}).exact("A B") == "a-b"


@pytest.mark.parametrize(("spelling", "name"), [("perfomance", "performance"), ("idee integration", "ide-integration")])
def test_a_typo_is_no_other_word(spelling: str, name: str) -> None:
    assert NAMES.spelled(spelling) == name


def test_another_word_is_no_typo() -> None:
    for other in ["performing arts", "integration", "", "x"]:
        assert NAMES.spelled(other) is None, other


def test_words_of_a_name_name_every_category_that_has_them_all() -> None:
    for value, named in [
        ("integrations", ["api-integration", "ide-integration"]),
        ("API", ["api-integration"]),
        ("api performance", []),
        ("", []),
        ("the", []),
    ]:
        assert NAMES.named(value) == named, (value, named)


def test_shared_words_count_less_the_more_categories_have_them() -> None:
    assert NAMES.shared_words("the outside world") == {
        "api-integration": 0.75,
        "ide-integration": 0.0,
        "performance": 0.25,
    }


def test_a_text_without_words_shares_none() -> None:
    assert set(NAMES.shared_words("?!").values()) == {0.0}
