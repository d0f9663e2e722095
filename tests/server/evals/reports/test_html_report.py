import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from server.evals.formats.prompt_result import PromptResult
from server.evals.formats.prompts import Prompt
from server.evals.formats.recording import Call, Message
from server.evals.formats.results import Results, ScenarioResult
from server.evals.reports.html_report import to_html
from tests.server.evals.made_results import CALL, made, result

HOSTILE = "<script>alert('x')</script><img src=\"http://evil.example/\"> & </pre></details>"


class Page(HTMLParser):
    """The tags of a page with their attributes, its text, and the tags that are left open."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile() -> Results:
    """Every text that comes from a file or a model is markup."""
    call = Call(tool=HOSTILE, arguments={HOSTILE: HOSTILE})
    messages = (Message(role="assistant", text=HOSTILE, calls=(call, Call(tool="t", arguments=HOSTILE))),)
    expected = {"input": HOSTILE, "stratum": HOSTILE, "expectedTool": HOSTILE, "expectedArgs": {"agent": HOSTILE}}
    miss: PromptResult = replace(
        result(HOSTILE, call, right_tool=False, right_arguments=False, messages=messages),
        prompt=Prompt.model_validate(expected),
    )
    failed = result(HOSTILE, right_tool=False, right_arguments=False, ending="failed", error=HOSTILE)
    return Results([miss, failed], [ScenarioResult(HOSTILE, 1, 1, 2)], [HOSTILE])


def test_the_page_is_whole_and_every_tag_is_closed() -> None:
    page = to_html("some model", made())
    assert page.startswith("<!doctype html>\n")
    assert Page(page).open == []
    assert ("meta", {"charset": "utf-8"}) in Page(page).tags


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    page = to_html("some model", made())
    tags = Page(page).tags
    assert {tag for tag, _ in tags}.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "base", "form"})
    assert {name for _, attributes in tags for name in attributes}.isdisjoint({"src", "href", "srcset", "style"})
    assert not re.search(r"https?://|url\(|@import|javascript:", page)


def test_markup_in_texts_is_shown_and_not_obeyed() -> None:
    page = to_html(HOSTILE, hostile())
    plain = Page(to_html("m", made()))
    assert {tag for tag, _ in Page(page).tags} <= {tag for tag, _ in plain.tags}
    assert "<script" not in page
    assert Page(page).open == []
    assert Page(page).text.count(HOSTILE) >= 12


def test_names_of_attributes_do_not_come_from_texts() -> None:
    attributes = {name for _, attributes in Page(to_html(HOSTILE, hostile())).tags for name in attributes}
    assert {name for name in attributes if name.startswith("on")} == set()


def test_the_same_results_give_the_same_bytes() -> None:
    assert to_html("some model", made()).encode() == to_html("some model", made()).encode()


def test_the_page_has_the_metrics_of_all_and_of_each_stratum() -> None:
    cells = re.findall(r"<tr>(.*?)</tr>", to_html("m", made()))
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", line) for line in cells]
    assert ["all", "4", "75.0%", "33.3%", "25.0%", "50.0%", "66.7%", "50.0%", "1.3", "50"] in rows
    assert ["vague", "2", "50.0%", "0.0%", "0.0%", "25.0%", "0.0%", "-", "1.0", "25"] in rows
    assert ["lookup_capability", "list_capabilities", "1"] in rows
    assert ["tour", "no", "3", "1 to 2"] in rows


def test_a_bar_is_as_long_as_its_metric() -> None:
    widths = [float(attributes["width"] or 0) for tag, attributes in Page(to_html("m", made())).tags if tag == "rect"]
    shares = [3 / 4, 1 / 3, 1 / 4, 2 / 3, 1 / 2, 1.0, 0.5, 0.5, 1.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0]
    full = widths[5]
    assert full > 0
    assert widths == pytest.approx([full * value for value in shares], abs=0.1)


def test_metrics_over_nothing_have_a_dash_and_no_bar() -> None:
    page = to_html("m", Results([], [], []))
    assert {attributes["width"] for tag, attributes in Page(page).tags if tag == "rect"} == {"0.0"}
    assert "invocation -" in Page(page).text


def test_what_was_not_settled_is_on_the_page_with_what_no_answer_contained() -> None:
    page = to_html("m", made())
    assert "<h2>1 not settled</h2>" in page
    assert "<td>half right</td><td>sees pictures</td>" in page


def test_the_page_names_the_options_of_the_server() -> None:
    assert "<h1>m, --profile full</h1>" in to_html("m", replace(made(), start="--profile full"))


def test_a_miss_has_its_transcript() -> None:
    text = Page(to_html("m", made())).text
    assert "2 misses" in text
    assert "user: sees pictures?" in text
    assert "assistant: I'll look.\nlookup_capability(agent='claude-code', capability='Vision')" in text
    assert "tool: unknown agent" in text


def test_a_miss_of_a_replay_has_its_calls() -> None:
    assert "assistant: list_capabilities(agent='claude-code')" in Page(to_html("m", made())).text


def test_a_miss_that_failed_says_why() -> None:
    failed = result("asked", right_tool=False, right_arguments=False, ending="failed", error="429 too many requests")
    assert "429 too many requests" in Page(to_html("m", Results([failed], [], []))).text


def test_every_miss_is_on_the_page() -> None:
    missed = [result(f"prompt {number}", CALL, right_arguments=False) for number in range(30)]
    tags = Page(to_html("m", Results(missed, [], []))).tags
    assert [tag for tag, _ in tags].count("details") == 30


def test_what_was_not_recorded_is_counted() -> None:
    assert "1 prompts were not recorded" in Page(to_html("m", made())).text
