from pathlib import Path

import pytest

from embeddings.errors import ModelError
from embeddings.model_build.weights import check_source


def test_a_missing_source_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no model\.safetensors"):
        check_source(tmp_path)


def test_a_truncated_source_file_is_refused_with_both_digests(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"cut")
    with pytest.raises(ModelError, match=r"3 bytes.*53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"):
        check_source(tmp_path)
