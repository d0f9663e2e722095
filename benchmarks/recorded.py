"""Scores a language model's recorded calls with the code of today: `python -m benchmarks.recorded` stores the figures.

The calls are in `recordings/`; each is run again on the server as it is now, so that figures of the same calls change
with the matcher and the tools. Steps, tokens and which tools were called are as recorded.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio

from server.evals.evaluate import MORE_PROMPTS_FILE, Options, evaluate
from server.evals.prompts import PROMPTS_FILE
from server.evals.results import Results
from server.matching.service import Service, open_service
from server.paths import shipped_data
from server.tools.families import CHOOSABLE
from server.toolset.start import Start, profile_of

RECORDINGS: Final = Path(__file__).parent / "recordings"
RESULTS: Final = Path(__file__).parent / "results" / "recorded.json"

DEFAULT: Final = Start()
NINE: Final = Start(profile=profile_of(CHOOSABLE))
DYNAMIC: Final = Start(dynamic=True)

FIGURES: Final = {
    "prompts": "count",
    "invocationAccuracy": "invocation",
    "argumentAccuracy": "arguments",
    "retryRate": "retries",
    "reached": "reached",
    "settled": "settled",
    "steps": "steps",
    "tokens": "tokens",
}


@dataclass(frozen=True)
class Run:
    """A file of recorded calls.

    Attributes:
        title: how the model met the tools.
        start: how the server was started.
        prompts: file of the shipped data with the prompts.
    """

    title: str
    start: Start
    prompts: str


RUNS: Final[Mapping[str, Run]] = {
    "four_tools": Run("core prompts, default tools", DEFAULT, PROMPTS_FILE),
    "four_tools_hurried": Run("the same, told to hurry", DEFAULT, PROMPTS_FILE),
    "nine_tools": Run("core prompts, `--profile full`", NINE, PROMPTS_FILE),
    "dynamic": Run("core prompts, `--dynamic-tools`", DYNAMIC, PROMPTS_FILE),
    "others_nine_tools": Run("other prompts, `--profile full`", NINE, MORE_PROMPTS_FILE),
    "others_dynamic": Run("other prompts, `--dynamic-tools`", DYNAMIC, MORE_PROMPTS_FILE),
}
"""The recordings by the name of their file."""


async def replayed(service: Service, name: str) -> Results:
    """Return the results of one file of recordings."""
    run, data = RUNS[name], shipped_data()
    options = Options(
        caller=RECORDINGS / f"{name}.jsonl",
        data_folder=data,
        concurrency=1,
        max_steps=1,
        prompts=data / run.prompts,
        start=run.start,
    )
    return (await evaluate(service, options))[1]


def table(stored: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the stored figures as Markdown."""
    lines = [f"| recorded | {' | '.join(FIGURES.values())} |", "|---|" + "---:|" * len(FIGURES)]
    for name, figures in stored.items():
        cells = (_cell(figure, figures[figure]) for figure in FIGURES)
        lines.append(f"| {RUNS[name].title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if name == "steps" else f"{value:,.0f}" if name in ("prompts", "tokens") else f"{value:.3f}"


async def _measure() -> None:
    service = open_service(shipped_data())
    service.matchers.load()
    found = {name: (await replayed(service, name)).metrics.to_dict() for name in RUNS}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8", newline="\n")
    print(table(found))


if __name__ == "__main__":
    anyio.run(_measure)
