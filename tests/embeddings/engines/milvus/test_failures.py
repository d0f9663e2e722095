"""Failures of Milvus as the store's own errors."""

import pytest

pytest.importorskip("pymilvus")

from embeddings.engines.milvus_address import Address
from embeddings.engines.milvus_connection import told
from embeddings.errors import StoreAwayError


class FailureError(Exception):
    """Like an error of the client."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__()
        self.code, self.message = code, message


def test_only_an_engine_that_may_come_back_is_away() -> None:
    cases = [
        (2, "Fail connecting to server on 127.0.0.1:1, illegal connection params or server unavailable", True),
        (1, "Retry run out of 75 retry times", True),
        (8, "request is rejected by the rate limiter", True),
        (65535, "auth check failure, please check username and password are correct", False),
        (1, "[Errno 28] No space left on device", False),
        (6, "cannot parse expression", False),
    ]
    for code, message, away in cases:
        found = told(FailureError(code, message), Address.parse("milvus+http://db.example"))
        assert isinstance(found, StoreAwayError) == away, code
        assert str(found).count(";") >= 2, code
