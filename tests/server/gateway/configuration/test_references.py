from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from server.gateway.configuration.references import Reference, Syntax, expand
from tests.server.gateway.configuration.reading import left_out, one, read, read_one, written

LITERALS = st.text(st.characters(exclude_characters="${}", exclude_categories=["Cs"]))
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
VALUES = st.text(max_size=12) | st.sampled_from(["${A}", "$A", "{env:A}", "\\1", "\\g<0>"])


@given(st.lists(st.tuples(LITERALS, NAMES, VALUES)), st.sampled_from(["${%s}", "${env:%s}"]))
def test_references_alone_are_replaced_and_values_are_not_expanded_again(
    parts: list[tuple[str, str, str]], form: str
) -> None:
    values = {name: value for _, name, value in parts}
    text = "".join(literal + form % name for literal, name, _ in parts)
    expected = "".join(literal + values[name] for literal, name, _ in parts)
    assert expand(text, Syntax.BRACES, lambda reference: values[reference.name]) == expected


@given(LITERALS, NAMES, LITERALS)
def test_a_default_is_kept_with_its_reference(before: str, name: str, default: str) -> None:
    found: list[Reference] = []

    def resolve(reference: Reference) -> str:
        found.append(reference)
        return "value"

    assert expand(f"{before}${{{name}:-{default}}}", Syntax.BRACES, resolve) == f"{before}value"
    assert found == [Reference(f"${{{name}:-{default}}}", "", name, default)]


@given(st.text(), st.sampled_from(Syntax))
def test_any_text_can_be_expanded(text: str, syntax: Syntax) -> None:
    references: list[str] = []

    def same(reference: Reference) -> str:
        references.append(reference.text)
        return reference.text

    assert expand(text, syntax, same) == text
    assert all(reference in text for reference in references)


def test_a_long_text_of_unfinished_references_takes_no_time() -> None:
    text = "${" * 200_000 + "${a" * 100_000 + "{env:" * 100_000
    assert all(expand(text, syntax, lambda reference: "") == text for syntax in Syntax)


def test_references_of_mcp_json_are_expanded(tmp_path: Path) -> None:
    cases = [
        ("${A}", "1"),
        ("${A:-d}", "1"),
        ("${B:-d}", "d"),
        ("${EMPTY:-d}", "d"),
        ("${EMPTY}", ""),
        ("${B:-}", ""),
        ("${B:-${A}}", "1"),
        ('${B:-{"a": 1}}', '{"a": 1}'),
        ("${B:-https://x:1/}", "https://x:1/"),
        ("${env:A}", "1"),
        ("$A", "$A"),
        ("${A%.*} ${#A} $ ${}", "${A%.*} ${#A} $ ${}"),
        ("a${A}b${A}", "a1b1"),
    ]
    for text, value in cases:
        upstream = one(tmp_path, {"command": "run", "args": [text], "env": {"X": text}}, A="1", EMPTY="")
        assert upstream.args == (value,), text
        assert upstream.env == {"X": value}, text


def test_references_in_addresses_headers_and_folders_are_expanded(tmp_path: Path) -> None:
    upstream = one(tmp_path, {"url": "${BASE:-https://a.example}/mcp", "headers": {"X": "Bearer ${A}"}}, A="1")
    assert (upstream.url, upstream.headers) == ("https://a.example/mcp", {"X": "Bearer 1"})
    assert one(tmp_path, {"command": "${A}", "cwd": "${A}"}, A="x").cwd == tmp_path / "x"


def test_a_bare_name_is_a_reference_where_the_host_has_it_so(tmp_path: Path) -> None:
    for folder in [".gemini", ".copilot"]:
        assert one(tmp_path, {"command": "$A/run"}, f"{folder}/settings.json", A="/x").command == "/x/run", folder


def test_a_variable_that_is_not_set_leaves_the_server_out(tmp_path: Path) -> None:
    for text in ["${B}", "${env:B}", "x${A}${B}"]:
        report = left_out(tmp_path, {"command": "run", "env": {"X": text}}, A="planted-secret")
        assert "server 'one' of " in report, text
        assert report.endswith(
            "needs the environment variable 'B', which is not set; the server is left out; set it"
        ), text
        assert "planted-secret" not in report, text


def test_what_cannot_be_resolved_leaves_its_server_alone_out(tmp_path: Path) -> None:
    servers = {"bad": {"command": "${B}"}, "good": {"command": "run"}}
    assert [each.name for each in read(written(tmp_path / "a.json", {"mcpServers": servers})).upstreams] == ["good"]
    assert "'B', which is not set" in left_out(tmp_path, {"command": "${B}"}, B="${B}")
    assert "'${command:pick}', which only its host can resolve" in left_out(tmp_path, {"command": "${command:pick}"})
    assert "which cannot be read (No such file" in left_out(tmp_path, {"command": "${file:nowhere}"})


def test_the_variables_referred_to_are_named_also_those_that_are_not_set(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", {"mcpServers": {"a": {"command": "${B}"}, "b": {"command": "${A:-x}"}}})
    assert read(path).variables == ("A", "B")


def test_unknown_keys_are_tolerated(tmp_path: Path) -> None:
    content = {"$schema": 5, "mcpServers": {"a": {"command": "run", "autoApprove": {"x": 1}, "oauth": None}}}
    assert read_one(written(tmp_path / "a.json", content)).command == "run"
