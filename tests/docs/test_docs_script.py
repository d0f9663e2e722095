"""The output that pages show is compared with what their commands print."""

import importlib.util
import os
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


docs_script = _module("docs_script")
needs_bash = pytest.mark.skipif(os.name != "posix", reason="the script is for bash")


def page(code: str, answers: str | None = None, language: str = "sh") -> str:
    block = f"```{language}\n{code}\n```\n"
    return block if answers is None else f"{block}\n<!-- answers -->\n```text\n{answers}\n```\n"


def ran(text: str) -> subprocess.CompletedProcess[str]:
    script = docs_script.script([text])
    return subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_every_promise_of_the_security_page_has_a_test() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert len(named) > 15
    for path, name in named:
        assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8"), (path, name)


def test_lines_that_occur_in_order_are_accepted() -> None:
    cases = [
        ("one\nthree", "one\ntwo\nthree\n"),
        ("a ... d", "a b c d"),
        ("...\nend", "start\nend"),
        ("sure 0.99", "sure 0.97"),
        ("Sandboxing 57% x", "Sandboxing 55% x"),
        ("", "anything"),
    ]
    for expected, printed in cases:
        assert docs_script.missing(expected, printed) is None, expected


def test_the_first_line_that_is_not_printed_in_its_place_is_named() -> None:
    cases = [
        ("one\nthree", "three\none\n", "three"),
        ("a ... d", "a b c", "a ... d"),
        ("sure 0.99", "sure 0.90", "sure 0.99"),
        ("Sandboxing 57%", "Sandboxing 50%", "Sandboxing 57%"),
        ("part", "part of a line", "part"),
        ("twice\ntwice", "twice", "twice"),
    ]
    for expected, printed, line in cases:
        assert docs_script.missing(expected, printed) == line, expected


def test_an_answer_that_follows_no_block_is_refused() -> None:
    with pytest.raises(ValueError, match="1 blocks are marked"):
        docs_script.blocks("Some prose.\n\n<!-- answers -->\n```text\nhello\n```\n")


def test_a_command_whose_answer_is_not_shown_is_refused() -> None:
    for command in ["lookup a b", "recommend x", "sources --agent a", "match x"]:
        with pytest.raises(ValueError, match="does not show"):
            docs_script.blocks(page(f".venv/bin/agent-capabilities {command}"))


def test_a_command_that_answers_nothing_needs_no_answer() -> None:
    assert len(docs_script.blocks(page(".venv/bin/agent-capabilities build-vectors --catalog a.json"))) == 1


UNSETTLED = [
    "'that' could mean several capabilities:",
    "'that' fits no capability; the nearest:",
    "'that': ambiguous",
    '{"agent": "a", "decision": "no_match"}',
]


def test_an_answer_that_is_not_settled_is_named_unless_the_page_shows_it() -> None:
    for line in UNSETTLED:
        assert docs_script.unsettled("agent  page\n...", f"{line}\nagent  page\n") == line, line
        assert docs_script.unsettled(f"{line}\n...", f"{line}\nagent  page\n") is None, line


def test_a_settled_answer_is_accepted() -> None:
    assert docs_script.unsettled("...", "'that': resolved\nCheckpoints\n") is None


@pytest.mark.processes
@needs_bash
def test_a_script_whose_answer_is_not_settled_fails_though_its_lines_are_as_written() -> None:
    result = ran(page("echo \"'x' could mean several capabilities:\"; echo page", "page"))
    assert result.returncode != 0
    assert "does not show" in result.stderr


@pytest.mark.processes
@needs_bash
def test_a_script_whose_commands_answer_as_written_succeeds() -> None:
    result = ran(page("echo hello world", "hello ..."))
    assert (result.returncode, result.stdout) == (0, "hello world\n"), result.stderr


@pytest.mark.processes
@needs_bash
def test_a_script_whose_commands_answer_otherwise_fails_and_shows_the_line() -> None:
    result = ran(page("echo goodbye", "hello") + page("echo never"))
    assert result.returncode != 0
    assert "'hello'" in result.stderr
    assert "never" not in result.stdout


@pytest.mark.processes
@needs_bash
def test_a_command_that_fails_ends_the_script_and_shows_what_it_printed() -> None:
    result = ran(page("echo before\nfalse\necho after", "before"))
    assert result.returncode != 0
    assert "before\n" in result.stderr


def test_every_relative_link_of_the_documentation_leads_to_a_file() -> None:
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
        (ROOT / "docs").glob("*.md")
    )
    links = [
        (each, link)
        for each in pages
        for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", each.read_text(encoding="utf-8"))
    ]
    assert len(links) > 20
    assert [(str(each), link) for each, link in links if not (each.parent / link).exists()] == []


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 160
