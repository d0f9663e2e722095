"""Fixtures of the enrichment's tests."""

from pathlib import Path

import pytest

from tests.server.cli.commands import Commands
from tests.server.enrichment.enriching import Enrich
from tests.server.providers.model_server import ModelServer


@pytest.fixture
def enrich(command: Commands, model_server: ModelServer, tmp_path: Path) -> Enrich:
    """Runs `enrich` over the toy catalog with a model behind an OpenAI-compatible API."""
    return Enrich(command, model_server, "openai", tmp_path)
