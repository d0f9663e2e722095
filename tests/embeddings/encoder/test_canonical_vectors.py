"""The shipped encoder against the reference implementation, whose first components the JSON file beside holds."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.encoder.encoder import Encoder

CANONICAL: dict[str, Any] = json.loads(Path(__file__).with_name("canonical_vectors.json").read_text(encoding="utf-8"))
TOLERANCE = 0.01
"""Of a component of a unit vector: 8 bits move one by 0.007 at most in these texts, the float32 graph by 2e-7."""


def test_a_vector_starts_as_the_reference_computes_it(shipped_encoder: Encoder) -> None:
    for row in CANONICAL["vectors"]:
        (vector,) = shipped_encoder.encode([row["text"] * row["times"]])
        np.testing.assert_allclose(vector[: len(row["starts"])], row["starts"], atol=TOLERANCE)
