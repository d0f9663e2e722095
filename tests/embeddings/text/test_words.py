from embeddings.text.words import LONGEST_SPLIT, spoken, spoken_alias, spoken_names, stems


def test_a_name_is_split_at_case_and_punctuation() -> None:
    cases = [
        ("createIssue", "create Issue"),
        ("get_job_logs", "get job logs"),
        ("github/create_issue", "github create issue"),
        ("HTMLParser", "HTML Parser"),
        ("web.search:v2", "web search v2"),
        ("plan mode", "plan mode"),
        ("read-only", "read-only"),
        ("ÉcoleÉté", "ÉcoleÉté"),
    ]
    for name, said in cases:
        assert spoken(name) == said, name


def test_a_name_of_punctuation_alone_stays() -> None:
    for name in ["___", "/", "::", ""]:
        assert spoken(name) == name, name


def test_a_namespace_that_all_names_share_is_left_out() -> None:
    assert spoken_names(["github/list_issues", "github/getMe"]) == ["list issues", "get Me"]
    assert spoken_names(["acme/crm/find", "acme/crm/add"]) == ["find", "add"]
    assert spoken_names(["github/", "github/list"]) == ["github", "list"]


def test_a_namespace_that_tells_names_apart_is_kept() -> None:
    cases: list[tuple[list[str], list[str]]] = [
        (["github/list", "gitlab/list"], ["github list", "gitlab list"]),
        (["github/list", "list"], ["github list", "list"]),
        (["github/list"], ["github list"]),
        (["list", "get"], ["list", "get"]),
    ]
    for names, said in cases:
        assert spoken_names(names) == said, names


def test_stems_do_not_depend_on_form_capitals_or_script() -> None:
    assert stems("connect") == stems("connected") == stems("Connecting")
    assert set(stems("github")) <= set(stems("GitHub"))
    assert stems("удалить файл 東京") == ["удалить", "файл", "東京"]
    assert stems("ｆｉｌｅ cafe\u0301") == stems("file café")


def test_words_that_say_nothing_are_left_out() -> None:
    assert stems("I want to see the pictures, please") == ["see", "pictur"]
    assert stems("what is it") == []
    for text in ["", " \n", "?!", "🙂", "_", "\x00", "\ud800"]:
        assert stems(text) == [], text


def test_the_words_of_a_name_are_those_of_its_parts() -> None:
    assert stems("create_issue") == stems("create issue") == ["creat", "issu"]
    assert stems("createIssue") == ["createissu", "creat", "issu"]


def test_an_alias_is_split_only_if_it_is_an_identifier() -> None:
    for alias in ["GitHub", "AGENTS.md", "/rewind", "MCP", "VS Code", "next-edit"]:
        assert spoken_alias(alias) == alias, alias
    for alias in ["create_issue", "createIssue"]:
        assert spoken_alias(alias).casefold() == "create issue", alias


def test_a_word_that_occurs_twice_is_listed_twice() -> None:
    assert stems("file by file") == ["file", "file"]


def test_only_the_beginning_of_a_long_text_counts() -> None:
    start = ("tool " * LONGEST_SPLIT)[:LONGEST_SPLIT]
    assert stems(start + " picture" * 10_000) == stems(start)
