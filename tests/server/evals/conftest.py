"""Fixtures of the evaluation tests."""

from pathlib import Path

import pytest

from tests.server.cli.commands import Commands
from tests.server.evals.asking import GOOD, write_prompts
from tests.server.evals.eval_llm import EvalLlm
from tests.server.providers.model_server import ModelServer


@pytest.fixture
def vendor() -> str:
    """Return one vendor, as an evaluation is the same with each; tests of a vendor's form are of both."""
    return "openai"


@pytest.fixture
def eval_llm(command: Commands, model_server: ModelServer, vendor: str, toy_data: Path, tmp_path: Path) -> EvalLlm:
    """Runs `eval llm` over the small suite, with a model without a fault."""
    model_server.script.update(GOOD)
    return EvalLlm(command, model_server, vendor, toy_data, write_prompts(tmp_path))
