import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from embeddings.encoder.model_files import MANIFEST_FILE, ModelFiles, official_model_folder
from embeddings.errors import ModelError


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def manifest(**changes: Any) -> dict[str, Any]:
    files = {
        "model": {"name": "a.onnx", "sha256": digest(b"model")},
        "tokenizer": {"name": "b.json", "sha256": digest(b"tokenizer")},
    }
    return {"files": files, "dimensions": 3, "maxTokens": 8} | changes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.onnx").write_bytes(b"model")
    (tmp_path / "b.json").write_bytes(b"tokenizer")
    (tmp_path / MANIFEST_FILE).write_text(json.dumps(manifest()), encoding="utf-8")
    return tmp_path


def test_a_manifest_tells_the_paths_and_sizes(folder: Path) -> None:
    assert ModelFiles.open(folder) == ModelFiles(
        folder=folder,
        model=folder / "a.onnx",
        tokenizer=folder / "b.json",
        sha256={"a.onnx": digest(b"model"), "b.json": digest(b"tokenizer")},
        dimensions=3,
        max_tokens=8,
    )


def verify(folder: Path) -> ModelFiles:
    files = ModelFiles.open(folder)
    files.verify(files.model)
    files.verify(files.tokenizer)
    return files


def test_whole_files_are_accepted(folder: Path) -> None:
    verify(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    for name in ["a.onnx", "b.json"]:
        intact = (folder / name).read_bytes()
        (folder / name).unlink()
        with pytest.raises(ModelError, match=rf"{name}' is missing"):
            verify(folder)
        (folder / name).write_bytes(intact)


def test_a_changed_file_is_named_with_both_digests(folder: Path) -> None:
    for name in ["a.onnx", "b.json"]:
        intact = (folder / name).read_bytes()
        expected = digest(intact)
        (folder / name).write_bytes(b"other")
        with pytest.raises(ModelError) as raised:
            verify(folder)
        for part in (str(folder / name), digest(b"other"), "(5 bytes)", expected):
            assert part in str(raised.value), name
        (folder / name).write_bytes(intact)


def test_a_folder_without_manifest_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as raised:
        ModelFiles.open(tmp_path)
    assert f"no model in {str(tmp_path)!r}" in str(raised.value)


def test_a_malformed_manifest_is_refused_and_named(folder: Path) -> None:
    cases = [
        "",
        "{",
        "[]",
        "[" * 100_000,
        "3",
        json.dumps(manifest(files=[])),
        json.dumps(manifest(files={"model": {"name": "a.onnx", "sha256": ""}})),
        json.dumps(manifest(files={"model": {"name": "a.onnx"}, "tokenizer": {"name": "b.json"}})),
        json.dumps(manifest(dimensions="many")),
        json.dumps(manifest(maxTokens=None)),
        json.dumps({"files": manifest()["files"], "dimensions": 3}),
    ]
    for content in cases:
        (folder / MANIFEST_FILE).write_text(content, encoding="utf-8")
        with pytest.raises(ModelError) as raised:
            ModelFiles.open(folder)
        assert f"{str(folder / MANIFEST_FILE)!r} cannot be used" in str(raised.value), content


def test_another_file_gives_another_fingerprint(folder: Path) -> None:
    before = ModelFiles.open(folder).fingerprint
    for kind in ["model", "tokenizer"]:
        changed = manifest()
        changed["files"][kind]["sha256"] = digest(b"other")
        (folder / MANIFEST_FILE).write_text(json.dumps(changed), encoding="utf-8")
        assert ModelFiles.open(folder).fingerprint != before, kind


def test_the_fingerprint_does_not_depend_on_the_folder(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / MANIFEST_FILE).write_text(json.dumps(manifest()), encoding="utf-8")
    assert ModelFiles.open(other).fingerprint == ModelFiles.open(folder).fingerprint


def test_the_shipped_model_is_whole() -> None:
    files = verify(official_model_folder())
    assert (files.dimensions, files.max_tokens) == (384, 256)


def test_the_languages_of_a_model_are_optional(folder: Path) -> None:
    assert ModelFiles.open(folder).languages == ()
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest(languages=["en", "de"])), encoding="utf-8")
    assert ModelFiles.open(folder).languages == ("en", "de")


def test_languages_that_are_no_list_of_codes_are_refused(folder: Path) -> None:
    cases: list[Any] = ["en", [1], {"en": 1}, None]
    for languages in cases:
        (folder / MANIFEST_FILE).write_text(json.dumps(manifest(languages=languages)), encoding="utf-8")
        with pytest.raises(ModelError, match="languages"):
            ModelFiles.open(folder)


def test_the_shipped_model_reads_english() -> None:
    assert ModelFiles.open(official_model_folder()).languages == ("en",)


@pytest.fixture
def tuned(folder: Path) -> Path:
    """A model that differs from the one in a folder `base` beside it."""
    path = folder / "tuned"
    for made in (path, folder / "base"):
        made.mkdir()
    for file in list(folder.glob("*.*")):
        file.rename(folder / "base" / file.name)
    (path / "tensors.npz").write_bytes(b"tensors")
    content = {"base": "base", "files": {"tensors": {"name": "tensors.npz", "sha256": digest(b"tensors")}}}
    (path / MANIFEST_FILE).write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_tuned_model_uses_the_files_of_its_base_and_has_a_fingerprint_of_its_own(tuned: Path) -> None:
    base, files = ModelFiles.open(tuned.parent / "base"), ModelFiles.open(tuned)
    assert (files.folder, files.model, files.tokenizer) == (tuned, base.model, base.tokenizer)
    assert files.tensors == tuned / "tensors.npz"
    files.verify(tuned / "tensors.npz")
    assert files.fingerprint == f"{base.fingerprint}-{digest(b'tensors')[:16]}"


def test_a_base_that_is_no_folder_beside_the_tuned_model_is_refused(tuned: Path) -> None:
    for base in ["../tuned/..", "tuned", "gone", 3, ""]:
        content = json.loads((tuned / MANIFEST_FILE).read_text(encoding="utf-8")) | {"base": base}
        (tuned / MANIFEST_FILE).write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(ModelError):
            ModelFiles.open(tuned)
