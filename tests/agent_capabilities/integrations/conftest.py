"""The integrations build with the real model, and so with all background phrases."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def all_background(whole_background: None) -> None:
    """Build with all background phrases."""
