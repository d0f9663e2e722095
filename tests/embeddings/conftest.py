"""Fixtures of the tests of `embeddings`."""

import pytest

from embeddings.training import background

SHORT_BACKGROUND = {"Tell jokes": ["tell me a joke", "make me laugh"], "Chat about food": ["what goes with rice"]}


@pytest.fixture(autouse=True)
def short_background(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three background phrases, so that a toy catalog builds in milliseconds; all of them with the real model."""
    if "shipped_encoder" not in request.fixturenames:
        monkeypatch.setattr(background, "_groups", lambda: SHORT_BACKGROUND)
