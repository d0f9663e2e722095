"""What `inspect` shows: a data folder, a catalog file, a store, or the tools of configured servers."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from embeddings.labels.phrase_book import PhraseBook
from embeddings.labels.tool_list import tool_parts
from embeddings.ranking.decision import Costs
from server.cli.options import chosen_costs, model_folder
from server.cli.preflight_input import listed_tools
from server.cli.serve_start import catalog_name, chosen_origin
from server.matching.encoders import EncoderLoader, SharedEncoder, load_encoder
from server.matching.label_service import LabelService
from server.matching.matcher_provider import MatcherProvider
from server.matching.phrase_service import LONGEST_PHRASE, PhraseService
from server.matching.reload import Origin


@dataclass(frozen=True)
class Shown:
    """What the page shows.

    Attributes:
        service: answers the page.
        origin: where it comes from, if its files are watched.
        name: what the page calls a catalog of labels.
    """

    service: PhraseService
    origin: Origin | None
    name: str | None


def chosen(options: argparse.Namespace) -> Shown:
    """What the options choose; its matcher is not loaded yet.

    Raises:
        CallerError: there is no such folder or model, or no server answers.
        CatalogError: the data folder cannot be used.
        PhraseBookError: the catalog file cannot be used.
    """
    loader = SharedEncoder(partial(load_encoder, folder=model_folder(options)))
    if options.config:
        return _servers(options.config, loader, chosen_costs(options))
    origin = chosen_origin(options)
    return Shown(origin.open(loader, LONGEST_PHRASE), origin, catalog_name(options))


def _servers(files: Sequence[Path], loader: EncoderLoader, costs: Costs) -> Shown:
    source, lists = listed_tools(files)
    parts = tool_parts(lists, source.name)
    book = PhraseBook(parts.labels, parts.out_of_scope, parts.out_of_scope_share, parts.reports)
    return Shown(
        LabelService(book, MatcherProvider(book, [], loader, costs), loader, LONGEST_PHRASE), None, source.name
    )
