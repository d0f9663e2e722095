import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import MANIFEST_FILE, official_model_folder
from embeddings.errors import ModelError

NAMES = ["model.onnx", "tokenizer.json"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(official_model_folder(), tmp_path / "model"))


def assert_refused(folder: Path, named: Path, why: str) -> None:
    with pytest.raises(ModelError) as raised:
        Encoder.load(folder)
    assert repr(str(named)) in str(raised.value)
    assert why in str(raised.value)


def approve(folder: Path) -> None:
    """Let the manifest say what the files are now."""
    manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    for file in manifest["files"].values():
        file["sha256"] = hashlib.sha256((folder / file["name"]).read_bytes()).hexdigest()
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest), encoding="utf-8")


def test_a_copied_model_folder_works_like_the_shipped_one(folder: Path, shipped_encoder: Encoder) -> None:
    copied = Encoder.load(str(folder))
    assert copied.fingerprint == shipped_encoder.fingerprint
    assert np.array_equal(copied.encode(["undo"]), shipped_encoder.encode(["undo"]))


def test_a_missing_truncated_or_changed_file_is_refused_and_named(folder: Path) -> None:
    for name in NAMES:
        intact = (folder / name).read_bytes()
        (folder / name).unlink()
        assert_refused(folder, folder / name, "is missing")
        for left in (0, 1000):
            (folder / name).write_bytes(intact[:left])
            assert_refused(folder, folder / name, f"({left} bytes)")
        middle = len(intact) // 2
        (folder / name).write_bytes(intact[:middle] + bytes([intact[middle] ^ 1]) + intact[middle + 1 :])
        assert_refused(folder, folder / name, "has sha256")
        (folder / name).write_bytes(intact)


def test_a_damaged_graph_leaves_nothing_on_stdout(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    content = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(content.replace(b"MatMulNBits", b"\xffatMulNBits", 1))
    approve(folder)
    with pytest.raises(ModelError, match="cannot be loaded"):
        Encoder.load(folder)
    assert capfd.readouterr().out == ""


def test_swapped_files_are_refused_and_named(folder: Path) -> None:
    model, tokenizer = (folder / name for name in NAMES)
    model.rename(folder / "aside")
    tokenizer.rename(model)
    (folder / "aside").rename(tokenizer)
    assert_refused(folder, model, "has sha256")


def test_a_file_that_is_no_model_is_refused_even_if_the_manifest_approves(folder: Path) -> None:
    for name in NAMES:
        intact = (folder / name).read_bytes()
        (folder / name).write_bytes(b"not a model")
        approve(folder)
        assert_refused(folder, folder, "cannot be loaded")
        (folder / name).write_bytes(intact)


def test_a_missing_folder_is_refused_and_named(tmp_path: Path) -> None:
    assert_refused(tmp_path / "absent", tmp_path / "absent", "no model in")
