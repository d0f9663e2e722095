"""Try shows what the matcher makes of a phrase, and why."""

import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process, asked
from tests.server.web.browser.views_parts import PHRASE, candidates, phrase_box, verdict
from tests.server.web.browser.visits import Visits

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

ABROAD: Final = {
    "Arabic": "التراجع عن التغييرات",
    "Japanese": "変更を元に戻す",
    "German": "größere Änderungen rückgängig machen",
}


@pytest.fixture
def page(shipped: Process, visits: Visits) -> "Page":
    return visits.page(shipped.address)


def match(server: Process, phrase: str) -> dict[str, object]:
    answer: dict[str, object] = asked(f"{server.address}api/match?q={phrase.replace(' ', '%20')}&top=10")
    return answer


def test_the_candidates_of_a_phrase_are_those_of_the_matcher(shipped: Process, page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    expect(candidates(page).first).to_contain_text("Checkpoints")
    page.get_by_role("button", name="more candidates").click()
    answer = match(shipped, PHRASE)
    names = [candidate["name"] for candidate in answer["candidates"]]  # type: ignore[attr-defined]
    for place, name in enumerate(names):
        expect(candidates(page).nth(place)).to_contain_text(name)


def test_a_bar_says_the_confidence_to_a_screen_reader(shipped: Process, page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    bar = page.get_by_role("meter", name="Confidence of Checkpoints")
    confidence = match(shipped, PHRASE)["candidates"][0]["matchConfidence"]  # type: ignore[index]
    expect(bar).to_have_attribute("aria-valuenow", f"{confidence:.3f}")


def test_a_bar_is_as_long_as_its_value(page: "Page") -> None:
    phrase_box(page).fill("can I see what it costs and go back")
    bars = page.get_by_role("meter")
    expect(bars.first).to_be_visible()
    page.wait_for_timeout(500)
    for bar in bars.all():
        shares = bar.evaluate(
            "(bar) => [bar.firstElementChild.getBoundingClientRect().width / bar.getBoundingClientRect().width,"
            " Number(bar.getAttribute('aria-valuenow'))]"
        )
        assert shares[0] == pytest.approx(shares[1], abs=0.02)


def test_none_of_them_has_a_bar_of_its_own(page: "Page") -> None:
    phrase_box(page).fill("what is the weather in Paris")
    expect(page.get_by_role("meter", name="none of them is meant")).to_have_attribute(
        "aria-valuenow", re.compile(r"0\.[5-9]|1\.0")
    )


@pytest.mark.parametrize(
    ("phrase", "decision"),
    [(PHRASE, "Resolved"), ("what is the weather in Paris", "No match")],
)
def test_the_decision_is_said_in_words(page: "Page", phrase: str, decision: str) -> None:
    phrase_box(page).fill(phrase)
    expect(verdict(page)).to_contain_text(decision)


def test_the_least_of_the_expected_costs_is_marked(page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    costs = page.get_by_role("region", name="Why this decision")
    expect(costs.get_by_role("listitem").filter(has_text="least")).to_have_count(1)
    expect(costs.get_by_role("listitem").filter(has_text="least")).to_contain_text("answer with the first")


def test_nearest_phrasings_are_shown(shipped: Process, page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    nearest = match(shipped, PHRASE)["candidates"][0]["nearest"]  # type: ignore[index]
    assert nearest
    for phrase in nearest:
        expect(candidates(page).first).to_contain_text(phrase["text"])


def test_a_corrected_spelling_is_told(shipped: Process, page: "Page") -> None:
    phrase = "can it reveiw my pull requset"
    phrase_box(page).fill(phrase)
    expect(verdict(page)).to_contain_text(str(match(shipped, phrase)["readAs"]))


def test_the_signals_of_a_candidate_are_shown_on_demand(page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    first = candidates(page).first
    expect(first.get_by_role("table")).to_have_count(0)
    first.get_by_text("Signals").click()
    expect(first.get_by_role("table")).to_be_visible()
    expect(first.get_by_role("row").filter(has_text="score")).to_be_visible()


def test_signals_stay_open_while_typing(page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    candidates(page).first.get_by_text("Signals").click()
    phrase_box(page).fill(f"{PHRASE} please")
    page.wait_for_function("() => location.hash.includes('please')")
    expect(candidates(page).first.get_by_role("table")).to_be_visible()


def test_the_decision_is_announced_after_a_pause(page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    expect(page.locator("#status")).to_contain_text("Checkpoints")


@pytest.mark.parametrize("language", ABROAD)
def test_a_phrase_in_another_script_is_answered_and_reads_as_typed(
    shipped: Process, visits: Visits, language: str
) -> None:
    page = visits.page(shipped.address)
    phrase_box(page).fill(ABROAD[language])
    expect(verdict(page)).to_be_visible()
    expect(phrase_box(page)).to_have_value(ABROAD[language])
    direction = phrase_box(page).evaluate("(box) => getComputedStyle(box).direction")
    assert direction == ("rtl" if language == "Arabic" else "ltr")


def test_a_phrase_over_the_limit_is_refused_with_the_limit(page: "Page") -> None:
    phrase_box(page).fill("undo " * 2001)
    expect(page.get_by_role("alert").filter(has_text="10,000")).to_be_visible()


def test_an_emptied_box_shows_no_candidates(page: "Page") -> None:
    phrase_box(page).fill(PHRASE)
    expect(candidates(page).first).to_be_visible()
    phrase_box(page).fill("")
    expect(candidates(page)).to_have_count(0)


def test_an_example_is_tried_with_a_click(page: "Page") -> None:
    example = page.get_by_role("main").get_by_role("listitem").get_by_role("button").first
    text = example.inner_text()
    example.click()
    expect(phrase_box(page)).to_have_value(text)
    expect(candidates(page).first).to_be_visible()
