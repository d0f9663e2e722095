import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from embeddings.matcher import Matcher
from embeddings.projection import Projection
from server.matching.service import Service
from server.web.answers.plane import NoMapError, Planes, plane_answer
from tests.server.label_catalog import CATALOG, label_service

PLANTED = "<img src=x onerror=alert(1)>"


def test_the_map_has_every_label_and_every_phrase_with_its_label(service: Service) -> None:
    answer = plane_answer(service, Planes().of(service))
    assert [label["name"] for label in answer["labels"]] == ["Checkpoints", "MCP Support", "Vision"]
    assert all(set(label) == {"name", "x", "y"} for label in answer["labels"])
    drawn = {(text, kind): label for _, _, label, text, kind in answer["points"]}
    assert drawn["undo it", "phrasing"] == 0
    assert drawn["can it see a picture", "phrasing"] == 2
    assert drawn["is the service down", "phrasing"] == -1
    assert len(answer["points"]) == service.matchers.get().phrase_count
    assert "leftOut" not in answer


def test_coordinates_are_within_the_picture_and_the_same_each_time(service: Service) -> None:
    answer = plane_answer(service, Planes().of(service))
    places = [(label["x"], label["y"]) for label in answer["labels"]]
    places += [(x, y) for x, y, *_ in answer["points"]]
    assert all(-1 <= value <= 1 and round(value, 3) == value for place in places for value in place)
    one, other = (json.dumps(plane_answer(service, Planes().of(service))) for _ in range(2))
    assert one == other


def test_labels_have_their_ids(tmp_path: Path) -> None:
    service = label_service(tmp_path, CATALOG)
    answer = plane_answer(service, Planes().of(service))
    assert [label["id"] for label in answer["labels"]] == ["id-0", "id-1", "id-2"]


def test_markup_and_arabic_are_drawn_as_they_are(tmp_path: Path) -> None:
    labels = [{"name": PLANTED, "phrasings": ["التراجع عن التغييرات", "undo " * 3_000]}, {"name": "B"}]
    service = label_service(tmp_path, {"labels": labels})
    answer = plane_answer(service, Planes().of(service))
    assert answer["labels"][0]["name"] == PLANTED
    texts = {point[3] for point in answer["points"]}
    assert {"التراجع عن التغييرات", ("undo " * 3_000).strip()} <= {text.strip() for text in texts}


def test_what_is_left_out_is_told(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Matcher.projection
    monkeypatch.setattr(Matcher, "projection", lambda self: whole(self, 5))
    answer = plane_answer(service, Planes().of(service))
    assert len(answer["points"]) + answer["leftOut"] == service.matchers.get().phrase_count
    assert len(answer["points"]) <= 5


def test_a_degraded_catalog_has_no_map_and_says_why(degraded_service: Service) -> None:
    planes = Planes()
    assert planes.of(degraded_service) is None
    with pytest.raises(NoMapError, match=r"no map; .*vectors.*; ask again"):
        plane_answer(degraded_service, planes.of(degraded_service))


def test_a_map_is_drawn_once_for_requests_that_come_at_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    together = threading.Barrier(4)
    original = Projection.of

    def counted(*given: object) -> Projection:
        drawn.append(1)
        return original(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(Projection, "of", counted)
    planes = Planes()

    def ask(_: int) -> object:
        together.wait()
        return planes.of(service)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(4)))
    assert drawn == [1]
    assert all(plane is found[0] for plane in found)


def test_another_catalog_has_another_map(service: Service, tmp_path: Path) -> None:
    planes, other = Planes(), label_service(tmp_path, {"labels": [{"name": "A"}, {"name": "B"}]})
    first = planes.of(service)
    second = planes.of(other)
    assert first is not None
    assert second is not None
    assert (len(first.labels), len(second.labels)) == (3, 2)


def test_only_the_last_two_maps_are_kept(tmp_path: Path) -> None:
    planes = Planes()
    services = [label_service(tmp_path, {"labels": [{"name": name}, {"name": "B"}]}) for name in ("X", "Y", "Z")]
    drawn = [planes.of(service) for service in services]
    kept = [planes.of(service) is plane for service, plane in reversed([*zip(services, drawn, strict=True)])]
    assert kept == [True, True, False]
