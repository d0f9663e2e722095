import threading
from collections.abc import Sequence
from typing import Any

import pytest

from embeddings.matcher import Matcher
from server.matching.matcher_provider import MatcherProvider
from tests.toy import BOOK, ToyEncoder


class SlowEncoder(ToyEncoder):
    """Embeds nothing before it is let; does not wait for ever, so that a broken provider fails instead of hanging."""

    def __init__(self) -> None:
        super().__init__()
        self.let = threading.Event()

    def encode(self, texts: Sequence[str]) -> Any:
        self.let.wait(timeout=20)
        return super().encode(texts)


def finished(matchers: MatcherProvider, encoder: SlowEncoder, others: set[threading.Thread]) -> Matcher:
    encoder.let.set()
    for loader in set(threading.enumerate()) - others:
        loader.join()
    return matchers.get()


def test_answers_are_degraded_and_said_to_be_until_the_catalog_is_embedded(caplog: pytest.LogCaptureFixture) -> None:
    others, encoder = set(threading.enumerate()), SlowEncoder()
    matchers = MatcherProvider(BOOK, [], lambda threads: encoder)
    matchers.start()
    assert matchers.get().is_degraded
    assert caplog.messages == ["embedding the catalog's 3 labels; answers are degraded meanwhile"]
    assert not finished(matchers, encoder, others).is_degraded


def test_the_degraded_matcher_knows_names_and_aliases_meanwhile() -> None:
    others, encoder = set(threading.enumerate()), SlowEncoder()
    matchers = MatcherProvider(BOOK, [], lambda threads: encoder)
    matchers.start()
    assert matchers.get().match("rewind").matches[0].name == "Checkpoints"
    finished(matchers, encoder, others)
