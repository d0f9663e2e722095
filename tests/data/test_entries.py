import re

from tests.data.shipped import AGENTS, EVERY, NAMES, OFFERED, Entry, entries, read

CATEGORIES = {item["name"]: item["category"] for item in read("capabilities.json")["capabilities"]}


def labelled(found: list[tuple[str, Entry]]) -> list[str]:
    return [f"{agent}: {entry['name']}" for agent, entry in found]


def test_there_are_six_agents_or_more() -> None:
    assert len(AGENTS) >= 6


def test_an_agents_data_say_as_of_which_release_they_stand() -> None:
    for agent in AGENTS:
        as_of = read("agents", agent, "capabilities", "current.json")["asOf"]
        assert as_of["version"], agent
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", as_of["date"]), agent


def test_an_agent_has_every_capability_once_in_the_order_of_the_vocabulary() -> None:
    for agent in AGENTS:
        assert [entry["name"] for entry in entries(agent)] == NAMES, agent


def test_categories_are_those_of_the_vocabulary() -> None:
    assert labelled([(a, entry) for a, entry in EVERY if entry["category"] != CATEGORIES[entry["name"]]]) == []


def test_every_entry_has_a_source() -> None:
    assert labelled([(agent, entry) for agent, entry in EVERY if not entry["sources"]]) == []


def test_every_source_is_https_dated_and_described() -> None:
    faulty = [
        (agent, entry)
        for agent, entry in EVERY
        for source in entry["sources"]
        if not source["url"].startswith("https://")
        or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", source.get("verifiedDate", ""))
        or not source.get("description")
    ]
    assert labelled(faulty) == []


def test_no_source_copies_a_passage_of_the_page() -> None:
    assert labelled([(a, entry) for a, entry in EVERY if any("excerpt" in source for source in entry["sources"])]) == []


def test_what_is_available_has_description_and_maturity() -> None:
    for field in ["description", "maturityLevel"]:
        assert labelled([(agent, entry) for agent, entry in OFFERED if not entry.get(field)]) == [], field


def test_what_is_available_says_which_plan_or_what_else_opens_it() -> None:
    assert labelled([(a, entry) for a, entry in OFFERED if not (entry.get("tier") or entry.get("access"))]) == []


def test_every_entry_says_how_it_was_checked() -> None:
    assert labelled([(agent, entry) for agent, entry in EVERY if not entry.get("checked")]) == []


def test_an_entry_has_three_gotchas_at_most() -> None:
    notes = [(agent, entry, entry.get("implementationNotes", {})) for agent, entry in EVERY]
    assert labelled([(agent, entry) for agent, entry, found in notes if len(found.get("gotchas", [])) > 3]) == []


def test_every_statement_has_an_id() -> None:
    lists = ["description", "limitations", "requirements", "details"]
    said = [
        (agent, entry, text)
        for agent, entry in EVERY
        for text in [
            *(text for name in lists for text in entry.get(name, [])),
            *entry.get("implementationNotes", {}).get("gotchas", []),
        ]
    ]
    assert labelled([(a, entry) for a, entry, text in said if not isinstance(text, dict) or "id" not in text]) == []


def test_what_is_available_has_a_page_to_start_on() -> None:
    faulty = [
        (agent, entry)
        for agent, entry in OFFERED
        if not entry.get("implementationNotes", {}).get("startUrl", "").startswith("https://")
    ]
    assert labelled(faulty) == []


def test_what_is_available_says_how_to_set_it_up() -> None:
    notes = [(agent, entry, entry.get("implementationNotes", {})) for agent, entry in OFFERED]
    assert (
        labelled([(a, entry) for a, entry, found in notes if not (found.get("setup") or found.get("configFile"))]) == []
    )


def test_what_is_not_available_has_no_plan_and_no_setup() -> None:
    lacking = [(agent, entry) for agent, entry in EVERY if not entry["available"]]
    assert (
        labelled([(a, entry) for a, entry in lacking if {"tier", "access", "implementationNotes"} & set(entry)]) == []
    )
