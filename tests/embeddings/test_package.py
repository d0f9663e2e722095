import subprocess
import sys
from pathlib import Path

import pytest

import embeddings
from embeddings.encoder.encoder import Encoder
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from embeddings.ranking.decision import Costs


def test_the_package_offers_its_public_names() -> None:
    offered = (embeddings.Costs, embeddings.Encoder, embeddings.Matcher, embeddings.PhraseBook)
    assert offered == (Costs, Encoder, Matcher, PhraseBook)


def test_an_unknown_name_is_an_attribute_error_that_lists_the_known() -> None:
    with pytest.raises(AttributeError, match="'Encodr'; it has Costs, Encoder, Matcher, PhraseBook"):
        _ = embeddings.Encodr


@pytest.mark.processes
def test_importing_the_package_does_not_load_the_runtime() -> None:
    script = "import sys, embeddings; embeddings.PhraseBook; print('onnxruntime' in sys.modules)"
    home = Path(embeddings.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", script], cwd=home, capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.strip() == "False"
