from server.catalog.reading import read_agent_file, read_aliases, read_capabilities_file, read_phrasings_file
from server.catalog.safe_text import first_fault
from server.paths import shipped_data

AGENT_FILES = sorted(shipped_data().glob("agents/*/capabilities/current.json"))


def test_no_text_of_an_agent_hides_or_floods() -> None:
    for path in AGENT_FILES:
        assert first_fault(read_agent_file(path)) is None, path


def test_no_other_text_that_ships_hides_or_floods() -> None:
    folder = shipped_data()
    assert first_fault(read_capabilities_file(folder / "capabilities.json")) is None
    assert first_fault(read_phrasings_file(folder / "phrasings.json")) is None
    assert first_fault(read_aliases(folder / "aliases.json"), "name") is None
