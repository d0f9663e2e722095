import sys
from pathlib import Path

import pytest

from tests.server.evals.asking import MODEL
from tests.server.evals.eval_llm import EvalLlm


def test_the_page_names_the_model_and_needs_nothing_else(eval_llm: EvalLlm, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert eval_llm("--html", str(page)) == 0
    html = page.read_text(encoding="utf-8")
    assert f"<h1>{MODEL}</h1>" in html
    assert "<svg" in html
    assert not any(outside in html for outside in ("http://", "https://", "<script", "<link", "@import", " src="))


def test_a_page_without_its_package_is_refused_before_anything_is_asked(
    eval_llm: EvalLlm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.delitem(sys.modules, "server.evals.reports.html_report", raising=False)
    assert eval_llm("--html", str(tmp_path / "page.html")) == 2
    problem, rule, step = eval_llm.command.err.splitlines()[-1].split("; ")
    assert problem == "error: --html cannot be used because the package 'jinja2' is not installed"
    assert "optional" in rule
    assert step == "install it with: pip install 'agent-capabilities[eval]'"
    assert eval_llm.server.requests == []


def test_without_a_page_its_package_is_not_needed(eval_llm: EvalLlm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert eval_llm("--json") == 0


def test_a_page_that_cannot_be_written_is_refused(eval_llm: EvalLlm, tmp_path: Path) -> None:
    assert eval_llm("--html", str(tmp_path)) == 2
    assert "give another path" in eval_llm.command.err
