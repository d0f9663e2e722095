from server.catalog.catalog import phrase_book
from server.matching.service import Service


def test_a_label_has_name_aliases_definition_and_phrasings(service: Service) -> None:
    label = phrase_book(service.catalog).labels[1]
    assert label.name == "MCP Support"
    assert label.aliases == ("mcp", "snapshots of tools")
    assert label.description == "connect outside tools"
    assert label.phrasings == ("plug in outside tools", "connect")


def test_a_shared_alias_stands_under_each_of_its_labels(service: Service) -> None:
    labels = phrase_book(service.catalog).labels
    assert [label.name for label in labels if "history" in label.aliases] == ["Checkpoints", "Vision"]


def test_phrases_out_of_scope_are_kept(service: Service) -> None:
    assert phrase_book(service.catalog).out_of_scope == ("how much does it cost", "is the service down")
