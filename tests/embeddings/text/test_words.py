import pytest

from embeddings.text.words import LONGEST_SPLIT, spoken, spoken_alias, spoken_names, stems


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("createIssue", "create Issue"),
        ("get_job_logs", "get job logs"),
        ("github/create_issue", "github create issue"),
        ("HTMLParser", "HTML Parser"),
        ("web.search:v2", "web search v2"),
        ("plan mode", "plan mode"),
        ("read-only", "read-only"),
        ("ÉcoleÉté", "ÉcoleÉté"),
    ],
)
def test_a_name_is_split_at_case_and_punctuation(name: str, said: str) -> None:
    assert spoken(name) == said


@pytest.mark.parametrize("name", ["___", "/", "::", ""])
def test_a_name_of_punctuation_alone_stays(name: str) -> None:
    assert spoken(name) == name


def test_a_namespace_that_all_names_share_is_left_out() -> None:
    assert spoken_names(["github/list_issues", "github/getMe"]) == ["list issues", "get Me"]


def test_nested_namespaces_that_all_names_share_are_left_out_as_a_whole() -> None:
    assert spoken_names(["acme/crm/find", "acme/crm/add"]) == ["find", "add"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["github/list", "gitlab/list"], ["github list", "gitlab list"]),
        (["github/list", "list"], ["github list", "list"]),
        (["github/list"], ["github list"]),
        (["list", "get"], ["list", "get"]),
    ],
)
def test_a_namespace_that_tells_names_apart_is_kept(names: list[str], said: list[str]) -> None:
    assert spoken_names(names) == said


def test_a_name_that_is_its_namespace_alone_keeps_it() -> None:
    assert spoken_names(["github/", "github/list"]) == ["github", "list"]


def test_inflected_forms_have_one_stem() -> None:
    assert stems("connect") == stems("connected") == stems("Connecting")


def test_words_that_say_nothing_are_left_out() -> None:
    assert stems("I want to see the pictures, please") == ["see", "pictur"]
    assert stems("what is it") == []


def test_the_words_of_a_name_are_those_of_its_parts() -> None:
    assert stems("create_issue") == stems("create issue") == ["creat", "issu"]
    assert stems("createIssue") == ["createissu", "creat", "issu"]


def test_a_product_is_found_however_its_capitals_are_written() -> None:
    assert set(stems("github")) <= set(stems("GitHub"))


@pytest.mark.parametrize("alias", ["GitHub", "AGENTS.md", "/rewind", "MCP", "VS Code", "next-edit"])
def test_an_alias_that_is_no_identifier_is_said_as_it_is_written(alias: str) -> None:
    assert spoken_alias(alias) == alias


@pytest.mark.parametrize("alias", ["create_issue", "createIssue"])
def test_an_alias_that_is_an_identifier_is_split(alias: str) -> None:
    assert spoken_alias(alias).casefold() == "create issue"


def test_words_of_other_scripts_stay_whole() -> None:
    assert stems("удалить файл 東京") == ["удалить", "файл", "東京"]


def test_wide_and_composed_letters_are_read_alike() -> None:
    assert stems("ｆｉｌｅ cafe\u0301") == stems("file café")


def test_a_word_that_occurs_twice_is_listed_twice() -> None:
    assert stems("file by file") == ["file", "file"]


def test_only_the_beginning_of_a_long_text_counts() -> None:
    start = ("tool " * LONGEST_SPLIT)[:LONGEST_SPLIT]
    assert stems(start + " picture" * 10_000) == stems(start)


@pytest.mark.parametrize("text", ["", " \n", "?!", "🙂", "_", "\x00", "\ud800"])
def test_a_text_without_letters_or_digits_has_no_words(text: str) -> None:
    assert stems(text) == []
