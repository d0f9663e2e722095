from datetime import date
from pathlib import Path

from embeddings.ranking.decision import Costs
from server import package_version
from server.matching.service import Service, open_service
from server.web.answers.catalog import about
from server.web.answers.label_detail import catalog_id
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
    book = service.matchers.get().book
    assert about(service, "", VIEWS, {}, paths=False)["phrases"] == len([*book.phrases()]) + len(book.out_of_scope)
    assert about(service, "", ("try",), {}, paths=False)["views"] == ["try"]


def test_a_catalog_of_labels_has_no_view_of_agents(tmp_path: Path) -> None:
    answer = about(label_service(tmp_path, CATALOG), "catalog.json", VIEWS, {}, paths=False)
    assert (answer["kind"], answer["views"]) == ("labels", ["try", "map", "health"])
    assert "paths" not in answer


def test_a_degraded_catalog_says_so(degraded_service: Service) -> None:
    answer = about(degraded_service, "", VIEWS, {}, paths=False)
    assert answer["degraded"] is True
    assert answer["catalog"] == catalog_id(degraded_service, degraded=True)


def test_the_limits_and_costs_are_those_of_the_service(toy_data: Path) -> None:
    cases: list[int | None] = [None, 50]
    for longest in cases:
        service = open_service(toy_data, lambda threads: ToyEncoder(), longest, Costs(wrong=4.0))
        answer = about(service, "", VIEWS, {}, paths=False)
        assert answer["limits"] == {"phrase": longest or 10_000}, longest
        assert answer["costs"] == {"wrong": 4.0, "candidates": 1.0, "useless": 2.0, "missed": 3.0, "unfounded": 15.0}, (
            longest
        )


def test_an_address_for_others_is_named_where_the_pages_own_has_a_token(service: Service) -> None:
    assert "link" not in about(service, "", VIEWS, {}, paths=False)
    assert about(service, "", VIEWS, {}, paths=False, link="/")["link"] == "/"
