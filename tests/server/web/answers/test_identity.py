"""The page notices when another catalog answers, also one that differs only in what is shown."""

import json
from pathlib import Path

from server.matching.service import open_service
from server.web.answers.label_detail import catalog_id
from tests.server.label_catalog import CATALOG, label_service
from tests.toy import ToyEncoder, write_data


def test_the_same_files_are_the_same_catalog(tmp_path: Path) -> None:
    folder = write_data(tmp_path)
    first, second = (open_service(folder, lambda threads: ToyEncoder()) for _ in range(2))
    assert catalog_id(first, degraded=False) == catalog_id(second, degraded=False)


def test_a_fact_that_changed_makes_another_catalog(tmp_path: Path) -> None:
    folder = write_data(tmp_path)
    before = catalog_id(open_service(folder, lambda threads: ToyEncoder()), degraded=False)
    path = next(folder.glob("agents/*/capabilities/current.json"))
    content = json.loads(path.read_text(encoding="utf-8"))
    content["capabilities"][0]["description"] = "changed"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert catalog_id(open_service(folder, lambda threads: ToyEncoder()), degraded=False) != before


def test_metadata_that_changed_make_another_catalog(tmp_path: Path) -> None:
    before = catalog_id(label_service(tmp_path, CATALOG), degraded=False)
    labels = [{**CATALOG["labels"][0], "metadata": {"queue": 8}}, *CATALOG["labels"][1:]]
    assert catalog_id(label_service(tmp_path, {**CATALOG, "labels": labels}), degraded=False) != before
