from datetime import date
from pathlib import Path

import pytest

from embeddings.ranking.decision import Costs
from server import package_version
from server.matching.service import Service, open_service
from server.web.answers.about import about
from server.web.answers.identity import catalog_id
from tests.server.label_catalog import CATALOG, label_service
from tests.toy import ToyEncoder

VIEWS = ("try", "map", "agents", "health")


def test_a_catalog_of_agents_is_described(service: Service) -> None:
    answer = about(service, "3 capabilities of 2 agents", VIEWS, {"upload": 5}, paths=True)
    assert (answer["title"], answer["kind"], answer["views"]) == ("3 capabilities of 2 agents", "agents", [*VIEWS])
    assert (answer["labels"], answer["degraded"], answer["paths"]) == (3, False, True)
    assert answer["limits"] == {"phrase": 10_000, "upload": 5}
    assert (answer["version"], answer["catalog"]) == (package_version(), catalog_id(service))
    date.fromisoformat(answer["today"])


def test_phrases_are_those_of_the_catalog_without_the_background(service: Service) -> None:
    book = service.matchers.get().book
    assert about(service, "", VIEWS, {}, paths=False)["phrases"] == len([*book.phrases()]) + len(book.out_of_scope)


def test_a_catalog_of_labels_has_no_view_of_agents(tmp_path: Path) -> None:
    answer = about(label_service(tmp_path, CATALOG), "catalog.json", VIEWS, {}, paths=False)
    assert (answer["kind"], answer["views"]) == ("labels", ["try", "map", "health"])
    assert "paths" not in answer


def test_only_permitted_views_are_told(service: Service) -> None:
    assert about(service, "", ("try",), {}, paths=False)["views"] == ["try"]


def test_a_degraded_catalog_says_so(degraded_service: Service) -> None:
    answer = about(degraded_service, "", VIEWS, {}, paths=False)
    assert answer["degraded"] is True
    assert answer["catalog"] == catalog_id(degraded_service, degraded=True)


@pytest.mark.parametrize("longest", [None, 50])
def test_the_limits_and_costs_are_those_of_the_service(toy_data: Path, longest: int | None) -> None:
    service = open_service(toy_data, lambda threads: ToyEncoder(), longest, Costs(wrong=4.0))
    answer = about(service, "", VIEWS, {}, paths=False)
    assert answer["limits"] == {"phrase": longest or 10_000}
    assert answer["costs"] == {"wrong": 4.0, "candidates": 1.0, "useless": 2.0, "missed": 3.0, "unfounded": 15.0}


def test_an_address_for_others_is_named_where_the_pages_own_has_a_token(service: Service) -> None:
    assert "link" not in about(service, "", VIEWS, {}, paths=False)
    assert about(service, "", VIEWS, {}, paths=False, link="/")["link"] == "/"
