import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.reading import read_aliases, read_capabilities_file, read_phrasings_file
from server.errors import CatalogError


def written(folder: Path, content: Any) -> Path:
    path = folder / "texts.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_an_alias_stands_for_one_name_or_for_several(tmp_path: Path) -> None:
    assert read_aliases(written(tmp_path, {"a": "X", "b": ["X", "Y"]})) == {"a": ("X",), "b": ("X", "Y")}


def test_an_alias_of_another_kind_is_refused_and_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for value in [3, None, {"X": 1}, [3]]:
        with subtests.test(value=value):
            path = written(tmp_path, {"good": "X", "bad": value})
            with pytest.raises(CatalogError) as caught:
                read_aliases(path)
            assert str(caught.value).startswith(f"{path}: bad")


def test_phrasings_and_out_of_scope_are_optional(tmp_path: Path) -> None:
    file = read_phrasings_file(written(tmp_path, {}))
    assert (file.phrasings, file.out_of_scope) == ({}, ())


def test_a_phrasing_that_is_no_text_is_refused_with_its_capability(tmp_path: Path) -> None:
    path = written(tmp_path, {"phrasings": {"Vision": ["see", 3]}})
    with pytest.raises(CatalogError) as caught:
        read_phrasings_file(path)
    assert str(caught.value).startswith(f"{path}: phrasings.Vision[1] is 3;")


def test_a_capability_without_a_category_is_refused_and_named(tmp_path: Path) -> None:
    path = written(tmp_path, {"capabilities": [{"name": "Vision"}]})
    with pytest.raises(CatalogError) as caught:
        read_capabilities_file(path)
    assert str(caught.value).startswith(f"{path}: capabilities[0].category (entry 'Vision')")
