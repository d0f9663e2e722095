import json
from pathlib import Path
from typing import Any

import pytest

from embeddings.encoder.model_files import MANIFEST_FILE, ModelFiles
from embeddings.errors import ModelError, PhraseBookError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.text.normalization import fold


def test_folding_twice_is_folding_once_with_stacked_accents() -> None:
    for text in ["\u0130\u0321", "\u1f85\u0340", "\u1f8d\u0313"]:
        assert fold(fold(text)) == fold(text), text


def test_every_error_of_a_catalog_file_names_the_file(tmp_path: Path) -> None:
    for content in [
        '{"labels": []}',
        '{"labels": [{"name": "a"}, {"name": "A"}]}',
        '{"labels": [{"name": ""}]}',
        "[" * 200_000,
    ]:
        (tmp_path / "catalog.json").write_text(content, encoding="utf-8")
        with pytest.raises(PhraseBookError, match=r"catalog\.json"):
            PhraseBook.from_json(tmp_path / "catalog.json")


def test_impossible_sizes_in_a_manifest_are_refused(tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [{"dimensions": float("inf")}, {"dimensions": 0}, {"maxTokens": -1}, {"maxTokens": 0}]
    for changes in cases:
        files = {kind: {"name": kind, "sha256": ""} for kind in ("model", "tokenizer")}
        manifest = {"files": files, "dimensions": 3, "maxTokens": 8} | changes
        (tmp_path / MANIFEST_FILE).write_text(json.dumps(manifest), encoding="utf-8")
        with pytest.raises(ModelError, match="cannot be used"):
            ModelFiles.open(tmp_path)
