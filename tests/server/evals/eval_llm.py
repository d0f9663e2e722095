"""The command `eval llm`, put to the local model server."""

from pathlib import Path

from tests.server.cli.commands import Commands
from tests.server.evals.asking import MODEL
from tests.server.providers.model_server import ModelServer


class EvalLlm:
    """Runs `eval llm` over the small suite."""

    def __init__(self, command: Commands, server: ModelServer, vendor: str, data: Path, prompts: Path) -> None:
        self.command = command
        self.server = server
        self.files = ["--data", str(data), "--prompts", str(prompts)]
        self._model = ["--model", MODEL, "--provider", vendor, "--base-url", server.base_url(vendor)]

    def __call__(self, *options: str) -> int:
        return self.command("eval", "llm", *self._model, *self.files, *options)
