import json
from pathlib import Path
from typing import Any

import pytest

from server.errors import CallerError
from server.toolset.permissions import Allowlist

DEEP = [b"[" * 100_000, b"a = " + b"[" * 100_000]
ALL = {"core", "match", "decide", "catalog"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "allowlist.json"


def allowlist(path: Path, rules: Any) -> Allowlist:
    path.write_text(json.dumps(rules), encoding="utf-8")
    return Allowlist.read(path)


def refusal(path: Path) -> tuple[str, str, str]:
    with pytest.raises(CallerError) as caught:
        Allowlist.read(path)
    value, rule, step = str(caught.value).split("; ")
    assert value.startswith(f"allowlist {str(path)!r} ")
    return value, rule, step


def test_toml_says_the_same_as_json(subtests: pytest.Subtests, tmp_path: Path, path: Path) -> None:
    for name in ["rules.toml", "rules.TOML"]:
        with subtests.test(name=name):
            toml = tmp_path / name
            toml.write_text('ann = ["core", "match"]\n"ci-*" = ["full"]\n', encoding="utf-8")
            assert Allowlist.read(toml) == allowlist(path, {"ann": ["core", "match"], "ci-*": ["full"]})
            assert Allowlist.read(toml).permitted("ann") == {"core", "match"}


def test_the_identity_itself_comes_before_any_pattern(path: Path) -> None:
    rules = allowlist(path, {"*": ["full"], "ann*": ["decide"], "ann": ["match"], "an*n": ["catalog"]})
    assert rules.permitted("ann") == {"match"}


def test_the_longest_fitting_pattern_decides_whatever_the_order(subtests: pytest.Subtests, path: Path) -> None:
    for order in [1, -1]:
        with subtests.test(order=order):
            rules = {"*": ["core"], "ci-*": ["match"], "ci-nightly-*": ["decide"], "ci-nightly-build-*": ["catalog"]}
            read = allowlist(path, dict(list(rules.items())[::order]))
            assert read.permitted("ci-nightly-7") == {"decide"}
            assert read.permitted("ci-7") == {"match"}
            assert read.permitted("ann") == {"core"}


def test_a_star_stands_for_any_text(path: Path) -> None:
    for identity in ["team-ann", "team-", "team-a-b", "team-a\nb"]:
        assert allowlist(path, {"team-*": ["match"]}).permitted(identity) == {"match"}, identity


def test_a_pattern_fits_the_whole_identity_with_its_case(path: Path) -> None:
    for identity in ["Team-ann", "my-team-ann", "team"]:
        assert allowlist(path, {"team-*": ["match"]}).permitted(identity) == {"core"}, identity


def test_only_the_star_is_special(path: Path) -> None:
    for pattern, itself, other in [
        ("a?c*", "a?c", "abc"),
        ("[x]*", "[x]", "x"),
        ("[!x]*", "[!x]", "y"),
        ("[a?]*", "[a?]", "a"),
        ("a.c*", "a.c", "abc"),
        ("\\d*", "\\d", "7"),
    ]:
        rules = allowlist(path, {pattern: ["match"]})
        assert rules.permitted(itself) == rules.permitted(f"{itself}...") == {"match"}, (pattern, itself, other)
        assert rules.permitted(other) == {"core"}, (pattern, itself, other)


def test_a_caller_whom_no_rule_fits_has_core(path: Path) -> None:
    assert allowlist(path, {"ann": ["full"], "ci-*": ["match"]}).permitted("bob") == {"core"}
    assert allowlist(path, {}).permitted("bob") == {"core"}


def test_a_caller_without_an_identity_has_core_unless_the_star_has_a_rule(path: Path) -> None:
    assert allowlist(path, {"ann": ["full"], "a*": ["full"]}).permitted(None) == {"core"}
    assert allowlist(path, {"*": ["match"]}).permitted(None) == {"match"}


def test_full_is_every_family_that_can_be_chosen(path: Path) -> None:
    for families in [["full"], ["core", "full"], ["full", "meta"]]:
        assert allowlist(path, {"ann": families}).permitted("ann") == ALL, families


def test_meta_has_no_effect(path: Path) -> None:
    rules = allowlist(path, {"ann": ["match", "meta"], "bob": ["meta"]})
    assert rules.permitted("ann") == {"match"}
    assert rules.permitted("bob") == set()


def test_a_rule_need_not_give_core(path: Path) -> None:
    assert allowlist(path, {"ann": ["match"]}).permitted("ann") == {"match"}
    assert allowlist(path, {"ann": []}).permitted("ann") == set()


def test_a_rule_that_is_no_list_of_known_families_is_refused(path: Path) -> None:
    cases: list[Any] = [["nothing"], ["core", "Match"], "core", {"core": True}, None, 1, [["core"]], [1]]
    for families in cases:
        path.write_text(json.dumps({"bob": ["core"], "ann": families}), encoding="utf-8")
        assert refusal(path) == (
            f"allowlist {str(path)!r} has the rule 'ann': {families!r}",
            "a rule is a list of core, match, decide, catalog, full",
            "fix the rule",
        ), families


def test_a_name_that_stands_twice_is_refused(path: Path) -> None:
    path.write_text('{"ann": ["core"], "ann": ["full"]}', encoding="utf-8")
    assert refusal(path)[0].endswith("cannot be read (ValueError)")


def test_a_caller_without_an_identity_has_the_rule_of_anyone_alone(path: Path) -> None:
    path.write_text('{"": ["full"], "**": ["full"], "*": ["match"]}', encoding="utf-8")
    assert Allowlist.read(path).permitted(None) == {"match"}


def test_a_file_that_is_no_table_is_refused(path: Path) -> None:
    cases: list[Any] = [[], ["core"], "core", None, 1]
    for value in cases:
        path.write_text(json.dumps(value), encoding="utf-8")
        assert refusal(path) == (
            f"allowlist {str(path)!r} does not hold a table",
            "it must map identities to lists of families",
            "fix the file",
        ), value


def test_a_file_that_cannot_be_read_is_refused(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[bytes | None] = [None, b"{", b"ann = [", b'{"ann": ["\xff"]}', *DEEP]
    for name in ["rules.json", "rules.toml"]:
        for content in cases:
            with subtests.test(name=name, content=content and content[:20]):
                if content is not None:
                    (tmp_path / name).write_bytes(content)
                value, rule, step = refusal(tmp_path / name)
                assert value.startswith(f"allowlist {str(tmp_path / name)!r} cannot be read (")
                assert rule == "it must be UTF-8 JSON with each name once, or TOML in a .toml file"
                assert step == "check the path and the file"
