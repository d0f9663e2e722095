"""The bill of what ships, and of its licences."""

import json
from typing import Any

import pytest

from deploy.licences import LicenceError, check, licence, table
from deploy.sbom import MODEL, with_model
from embeddings.files import sha256_of

BILL: dict[str, Any] = {
    "metadata": {"component": {"bom-ref": "root"}},
    "components": [],
    "dependencies": [{"ref": "root", "dependsOn": ["numpy"]}, {"ref": "numpy"}],
}


def component(*licences: dict[str, Any], name: str = "part") -> dict[str, Any]:
    return {"name": name, "version": "1", "licenses": list(licences)}


def identified(identifier: str) -> dict[str, Any]:
    return {"license": {"id": identifier}}


def worded(text: str) -> dict[str, Any]:
    return {"license": {"name": text}}


def test_a_licence_is_read_from_what_a_package_declares() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        (component(identified("MIT")), "MIT"),
        (component({"expression": "MIT OR Apache-2.0"}), "MIT OR Apache-2.0"),
        (component(identified("MPL-2.0"), worded("License :: OSI Approved :: Mozilla")), "MPL-2.0"),
        (component(worded("License :: OSI Approved :: Apache Software License")), "Apache-2.0"),
        (component(name="protobuf"), "BSD-3-Clause"),
        (component(identified("MIT"), name="PyStemmer"), "MIT AND BSD-3-Clause"),
    ]
    for made, expected in cases:
        assert licence(made) == expected, made
        check(made)


def test_a_licence_that_is_not_allowed_stops_the_release() -> None:
    for expression in ["GPL-3.0-only", "MIT AND AGPL-3.0-only", "(MIT OR SSPL-1.0)", "LicenseRef-own"]:
        with pytest.raises(LicenceError, match="not allowed"):
            check(component({"expression": expression}))


def test_a_part_without_a_known_licence_stops_the_release() -> None:
    cases: list[dict[str, Any]] = [component(), component(worded("do what you like"))]
    for made in cases:
        with pytest.raises(LicenceError, match="declares no known licence"):
            check(made)


def test_the_table_has_a_line_for_each_part() -> None:
    assert table([component(identified("MIT"))]) == "| name | version | licence |\n|---|---|---|\n| part | 1 | MIT |\n"


def test_the_model_is_in_the_bill_with_the_hashes_of_its_files() -> None:
    bill = with_model(BILL, json.loads(MODEL.read_text(encoding="utf-8")))
    (model,) = bill["components"]
    files = {part["name"]: part["hashes"][0]["content"] for part in model["components"]}
    assert model["type"] == "machine-learning-model"
    assert files == {name: sha256_of(MODEL.parent / name) for name in ("model.onnx", "tokenizer.json")}
    check(model)


def test_the_project_depends_on_the_model() -> None:
    bill = with_model(BILL, json.loads(MODEL.read_text(encoding="utf-8")))
    reference = bill["components"][0]["bom-ref"]
    assert bill["dependencies"] == [
        {"ref": "root", "dependsOn": [reference, "numpy"]},
        {"ref": "numpy"},
        {"ref": reference},
    ]
    assert BILL["components"] == []
