"""Options and steps that several subcommands share."""

import argparse
import gc
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from embeddings.encoder.model_files import ModelFiles, official_model_folder, tuned_model_folder
from embeddings.engines.uri import check_uri
from embeddings.errors import ModelError, StoreError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.ranking.decision import DEFAULT_COSTS, NAMED_COSTS, Costs
from server.catalog.folders import DATA_VARIABLE, data_folder
from server.errors import CallerError
from server.matching.encoders import EncoderLoader, load_agents_encoder, load_encoder
from server.matching.label_service import read_catalog
from server.matching.service import Service, open_service
from server.output import print_json, print_text
from server.telemetry.logs import log_warnings
from server.tools.answers import Answer

if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder
    from server.providers.base import Provider

Subcommands = Any
"""Type that `ArgumentParser.add_subparsers` returns; argparse has no public name for it."""

CATALOG_FILE: Final = "this catalog file, this tools/list of MCP servers, or the Agent Skills below this folder"
"""Value that `--catalog` takes, for help texts."""

STORE_URI: Final = (
    "a vector file (.npz), a file that ends with .labels, milvus:FILE.db, milvus+http://HOST:PORT, postgresql://..."
)
"""Value that `--store` takes, for help texts."""

Run = Callable[[argparse.Namespace], int]

COSTS: Final = {
    "wrong": "an answer with another label than the right one",
    "candidates": "three candidates that include the right one",
    "useless": "three candidates without the right one",
    "missed": "no_match although a label fits",
    "unfounded": "an answer although no label fits",
}
"""Mistake of which each of `Costs` is the cost."""

PURPOSES: Final = {
    "careful": "an answer is believed (the default)",
    "routing": "a person looks at what is not resolved",
    "offer": "the caller picks among candidates, and no_match ends the matter",
}
"""What answers are for, of each of `NAMED_COSTS`."""


@contextmanager
def without_collections() -> Iterator[None]:
    """Pause the garbage collector for a start, which makes objects that stay, and leave these out afterwards."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def add_command(subcommands: Subcommands, name: str, help_text: str, run: Run) -> argparse.ArgumentParser:
    """Add a subcommand that `main` can run."""
    command: argparse.ArgumentParser = subcommands.add_parser(
        name, help=help_text, description=help_text[0].upper() + help_text[1:] + "."
    )
    command.set_defaults(run=run)
    return command


def add_data(command: "argparse._ActionsContainer") -> None:
    """Add the option that names the data folder."""
    command.add_argument(
        "--data",
        metavar="DIR",
        help=f"folder that contains agents/, or agents/ itself (default: ${DATA_VARIABLE}, else the shipped data)",
    )


def add_server_configs(command: "argparse._ActionsContainer", help_text: str) -> None:
    """Add the option that names configurations of MCP servers."""
    command.add_argument(
        "--config", metavar="FILE", type=Path, action="append", default=[], help=f"{help_text}; repeatable"
    )


def add_model_folder(command: argparse.ArgumentParser) -> None:
    """Add the option that names another model."""
    command.add_argument(
        "--model-folder",
        metavar="DIR",
        help="folder of another model, such as a multilingual one: MANIFEST.json and the files it names (default: the "
        "shipped model)",
    )


def model_folder(options: argparse.Namespace) -> Path | None:
    """Return the chosen model folder; None for a shipped one.

    Raises:
        CallerError: the folder has no manifest that can be used.
    """
    if getattr(options, "model_folder", None) is None:
        return None
    folder = Path(options.model_folder)
    try:
        files = ModelFiles.open(folder)
        for path in files.used:
            files.check_regular(path)
    except ModelError as error:
        raise CallerError(f"--model-folder: {error}") from error
    return folder


def chosen_loader(options: argparse.Namespace, load: Callable[..., "TextEncoder"] | None = None) -> EncoderLoader:
    """Return what loads the chosen model; by default the official one for agents, and the tuned one for other catalogs.

    Args:
        options: with those that choose a catalog, as far as the command has them.
        load: loads the encoder of a folder for a number of threads (default: for one client).

    Raises:
        CallerError: the chosen folder has no manifest that can be used.
    """
    return partial(load or load_encoder, folder=chosen_folder(options))


def chosen_folder(options: argparse.Namespace) -> Path:
    """Return the folder of the model that `chosen_loader` loads."""
    folder = model_folder(options)
    if folder is not None:
        return folder
    if any(getattr(options, name, None) for name in ("catalog", "store", "vectors", "config")):
        return tuned_model_folder()
    return official_model_folder()


def store_uri(text: str) -> str:
    """Parse an option's value as the URI of a store, or the name of a vector file; nothing is opened.

    Raises:
        argparse.ArgumentTypeError: it names neither, or the packages of the engine are not installed.
    """
    try:
        check_uri(text)
    except StoreError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def add_json(command: "argparse._ActionsContainer") -> None:
    """Add the option that switches to JSON."""
    command.add_argument(
        "--json", action="store_true", help="print JSON, one object per line; an error is one, on stderr"
    )


def add_known_tools(command: "argparse._ActionsContainer") -> None:
    """Add the option that leaves the examples of known tools out."""
    command.add_argument(
        "--no-known-tools",
        action="store_true",
        help="do not use the examples that ship for the tools of widely used servers",
    )


def chosen_catalog(options: argparse.Namespace) -> PhraseBook:
    """Return the catalog of `--catalog`, with the examples of known tools unless `add_known_tools` left them out.

    Raises:
        PhraseBookError: the file cannot be used.
    """
    return read_catalog(Path(options.catalog), pipe=True, known_tools=not options.no_known_tools)


def add_costs(command: argparse.ArgumentParser) -> None:
    """Add the option for the costs behind decisions."""
    group = command.add_argument_group("decisions", "A phrase gets the decision whose expected cost is lowest.")
    meanings = "; ".join(f"{field.name}: {COSTS[field.name]} (default: {field.default:g})" for field in fields(Costs))
    purposes = "; ".join(f"{name}: {purpose}" for name, purpose in PURPOSES.items())
    group.add_argument(
        "--costs",
        metavar="FOR|NAME=COST,...",
        type=_costs,
        default={},
        help=f"what the answers are for, or costs by name, or both, as in routing,wrong=6. {purposes}. {meanings}",
    )


def chosen_costs(options: argparse.Namespace) -> Costs:
    """Return the costs that the option of `add_costs` gives."""
    return Costs(**options.costs)


def _costs(text: str) -> dict[str, float]:
    """Parse costs into plain numbers, which worker processes are handed as JSON.

    Raises:
        argparse.ArgumentTypeError: a name is unknown or given twice, or a cost is not a finite number of 0 or more.
    """
    purpose, _, others = text.partition(",")
    if purpose.strip() in NAMED_COSTS:
        return asdict(NAMED_COSTS[purpose.strip()]) | (_numbers(others) if others else {})
    return _numbers(text)


def _numbers(text: str) -> dict[str, float]:
    """Parse `NAME=COST,...`."""
    known = [field.name for field in fields(Costs)]
    given: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        name = name.strip()
        if name not in known or name in given:
            problem = "is given twice" if name in given else "is not the name of a cost"
            purposes = "" if value else f"; or what the answers are for: {', '.join(NAMED_COSTS)}"
            raise argparse.ArgumentTypeError(f"{name!r} {problem}; known: {', '.join(known)}{purposes}")
        given[name] = _cost(name, value, known)
    return given


def _cost(name: str, text: str, known: Sequence[str]) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise argparse.ArgumentTypeError(
            f"{name}={text!r} is not a finite number of 0 or more; known: {', '.join(known)}"
        )
    return value


def chosen_service(
    options: argparse.Namespace,
    *,
    with_matcher: bool = True,
    loader: EncoderLoader = load_agents_encoder,
    costs: Costs = DEFAULT_COSTS,
) -> Service:
    """Open the service of the chosen data folder. Its matcher is loaded, too, unless `with_matcher` is False."""
    log_warnings()
    service = open_service(data_folder(options.data), loader, costs=costs)
    if with_matcher:
        service.matchers.load()
    return service


def show(options: argparse.Namespace, answer: Answer | dict[str, Any], render: Callable[[dict[str, Any]], str]) -> int:
    """Print an answer as JSON or as text. Returns the exit status."""
    value = answer.to_json() if isinstance(answer, Answer) else answer
    if options.json:
        print_json(value)
    else:
        print_text(render(value))
    return 0


def whole(text: str) -> int:
    """Parse an option's value as a whole number, 0 or more.

    Raises:
        argparse.ArgumentTypeError: the value is something else.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def positive(text: str) -> int:
    """Parse an option's value as a whole number, 1 or more.

    Raises:
        argparse.ArgumentTypeError: the value is something else.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def add_provider(command: argparse.ArgumentParser) -> None:
    """Add the options of the API, beside the option `--model`."""
    command.add_argument(
        "--provider", choices=("openai", "anthropic"), default="openai", help="API of the model (default: %(default)s)"
    )
    command.add_argument("--base-url", metavar="URL", help="URL of the API (default: the vendor's own)")
    command.add_argument(
        "--key-variable", metavar="NAME", help="environment variable with the key (default: the vendor's usual one)"
    )
    command.add_argument(
        "--concurrency", metavar="N", type=positive, default=4, help="prompts sent at the same time (default: 4)"
    )
    command.add_argument("--timeout", metavar="S", type=positive, default=60, help="seconds per attempt (default: 60)")
    command.add_argument(
        "--retries", metavar="N", type=whole, default=5, help="retries after a failed attempt (default: 5)"
    )


def open_chosen_provider(options: argparse.Namespace) -> "Provider":
    """Open the provider of `--model`.

    Raises:
        CallerError: there is no key, or the vendor's SDK is not installed.
    """
    from server.providers import open_provider

    return open_provider(
        options.provider,
        options.model,
        base_url=options.base_url,
        key_variable=options.key_variable,
        timeout=options.timeout,
        retries=options.retries,
    )
