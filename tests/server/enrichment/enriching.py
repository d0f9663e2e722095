"""The command `enrich`, put to the local model server."""

import json
from pathlib import Path
from typing import Any

from embeddings.labels.phrase_book import PhraseBook
from server.enrichment.answers import Answer, read_answers
from server.enrichment.prompts import ONCE_MORE
from tests.server.cli.commands import Commands
from tests.server.evals.asking import MODEL
from tests.server.providers.model_server import ModelServer, Reply
from tests.server.providers.wire_shapes import Say
from tests.toy import BOOK

QUERIES = {
    "Checkpoints": ["take me to yesterday", "i broke everything, rewind", "where did my old version go"],
    "MCP Support": ["plug my database into it", "can it connect somewhere outside", "more tools would be nice"],
    "Vision": ["see what is in this picture", "here is a photo of the fault", "look at my drawing"],
    "near": ["how old are you", "paint the wall", "what is for lunch"],
}


class Enrich:
    """Runs `enrich` over the toy catalog, with a model that replies as the script says."""

    def __init__(self, command: Commands, server: ModelServer, vendor: str, folder: Path) -> None:
        self.command = command
        self.server = server
        self.catalog = folder / "catalog.json"
        self.out = folder / "out.json"
        self.journal = folder / "out.json.answers.jsonl"
        self._model = ["--model", MODEL, "--provider", vendor, "--base-url", server.base_url(vendor)]
        self.write(BOOK)

    def write(self, book: PhraseBook) -> None:
        self.catalog.write_text(json.dumps(book.to_dict()), encoding="utf-8")

    def __call__(self, *options: str) -> int:
        return self.command("enrich", str(self.catalog), "--out", str(self.out), "--per-label", "3", *options)

    def ask(self, *options: str) -> int:
        """Run it with the model."""
        return self(*self._model, "--folds", "0", "--retries", "1", "--concurrency", "1", *options)

    def prompts(self, *options: str) -> dict[str, str]:
        """Return the prompts that are missing: text by id."""
        assert self("--prompts", "-", *options) == 0
        return {value["id"]: value["prompt"] for value in self.command.objects()}

    def script(self, **replies: list[Reply]) -> dict[str, str]:
        """Let the model reply with good queries, except for the given labels. Returns the ids by label."""
        ids = {}
        for identifier, prompt in self.prompts().items():
            name = "near" if identifier.startswith("near:") else identifier.partition("#")[0]
            ids[name] = identifier
            good: list[Reply] = [Say(json.dumps(QUERIES[name]))]
            chosen = replies.get(name.split()[0], good)
            self.server.script |= {prompt: chosen, prompt + ONCE_MORE: chosen[1:] or chosen}
        return ids

    def answers(self) -> list[Answer]:
        return list(read_answers(self.journal).answers)

    def written(self) -> dict[str, Any]:
        """Texts and marks of the written catalog's phrasings by label."""
        content = json.loads(self.out.read_text(encoding="utf-8"))
        return {label["name"]: label["phrasings"] for label in content["labels"]} | {"near": content["outOfScope"]}

    def generated(self) -> dict[str, list[str]]:
        """Return the generated queries by label."""
        found = {
            name: [item["text"] for item in items if not isinstance(item, str)]
            for name, items in self.written().items()
        }
        return found | {"near": [text for text in self.written()["near"] if text not in BOOK.out_of_scope]}
