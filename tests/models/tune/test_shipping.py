"""A tuned model is written as the tensors that differ, and loads as the whole."""

import json
from pathlib import Path

import numpy as np

from embeddings.encoder.model_files import OFFICIAL_MODEL, ModelFiles, tuned_model_folder
from models.tune.shipping import average, write_tuned
from tests.embeddings.model_build.test_graph import random_weights

OFFICIAL = random_weights()


def tuned(share: float) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    changed = {name: value + np.float32(0.1) for name, value in OFFICIAL.items() if name.startswith("encoder.layer.5.")}
    return average(OFFICIAL, changed, share)


def test_the_average_lies_between_both_and_leaves_the_rest() -> None:
    name, other = "encoder.layer.5.output.dense.weight", "encoder.layer.0.output.dense.weight"
    np.testing.assert_allclose(tuned(0.5)[name], OFFICIAL[name] + 0.05, atol=1e-6)
    assert tuned(0.5)[other] is OFFICIAL[other]
    np.testing.assert_array_equal(tuned(0.0)[name], OFFICIAL[name])


def test_only_the_tensors_of_tuned_layers_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "tuned"
    write_tuned(folder, OFFICIAL, tuned(1.0), {"pairs": {"a": 1}})
    with np.load(folder / "tensors.npz") as tensors:
        assert tensors.files
        assert all(name.startswith("layer5.") for name in tensors.files)
    manifest = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
    assert (manifest["base"], manifest["pairs"]) == (OFFICIAL_MODEL, {"a": 1})


def test_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_tuned(tmp_path / name, OFFICIAL, tuned(1.0), {})
    one, two = ((tmp_path / name / "tensors.npz").read_bytes() for name in ("one", "two"))
    assert one == two


def test_the_shipped_tensors_are_those_of_the_upper_layers() -> None:
    files = ModelFiles.open(tuned_model_folder())
    assert files.tensors is not None
    files.verify(files.tensors)
    with np.load(files.tensors) as tensors:
        assert {name.partition(".")[0] for name in tensors.files} == {"layer2", "layer3", "layer4", "layer5"}
