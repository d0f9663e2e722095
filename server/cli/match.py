"""The subcommand `match`."""

import argparse
import json
import sys
from collections.abc import Container, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from embeddings.errors import CoverageError, VectorFileError
from embeddings.ranking.match_result import DEFAULT_TOP, MatchResult, check_coverage, with_id
from server.cli.options import (
    CATALOG_FILE,
    STORE_URI,
    Subcommands,
    add_command,
    add_costs,
    add_data,
    add_json,
    add_known_tools,
    add_model_folder,
    chosen_catalog,
    chosen_costs,
    chosen_loader,
    chosen_service,
    positive,
    store_uri,
)
from server.cli.understanding import is_likely
from server.errors import CallerError, brief
from server.matching.matcher_provider import MatcherProvider
from server.matching.store_provider import StoreProvider
from server.output import percent, print_json, print_text, table
from server.telemetry.logs import log_warnings

if TYPE_CHECKING:
    from embeddings.matcher import Matcher
    from embeddings.store_matcher import StoreMatcher


NONE_OF_THEM: Final = "(none of them)"
"""Stands for the probability that no label is meant."""

NOT_ENGLISH: Final = "It was read as English, which it does not seem to be; ask in English, or use another model."


def add(subcommands: Subcommands) -> None:
    """Register the subcommand."""
    command = add_command(subcommands, "match", "find the labels that phrases mean, with their confidence", run)
    command.add_argument("phrases", metavar="PHRASE", nargs="*", help="each argument is one phrase")
    origin = command.add_mutually_exclusive_group()
    origin.add_argument("--catalog", metavar="FILE", help=f"match against {CATALOG_FILE}; embedded once, then cached")
    origin.add_argument("--vectors", metavar="FILE", help="match against this vector file")
    origin.add_argument("--store", metavar="URI", type=store_uri, help=f"match against this store: {STORE_URI}")
    command.add_argument(
        "--batch",
        metavar="FILE",
        help="file of phrases (- for standard input), one per line, or JSON lines with 'query'; with --json an answer "
        "has the other keys of its line, and the line's number",
    )
    command.add_argument(
        "--top", metavar="N", type=positive, default=DEFAULT_TOP, help="maximum number of matches shown (default: 3)"
    )
    command.add_argument(
        "--coverage",
        metavar="P",
        type=_coverage,
        help="also show the smallest set of labels, (none of them) included, that has what is meant with this "
        "probability, such as 0.95, for phrases like the catalog's examples",
    )
    command.add_argument(
        "--labelled",
        metavar="FILE",
        type=Path,
        help="with --coverage: labelled queries, as for eval matcher; sets hold for phrases like these instead",
    )
    command.add_argument("--explain", action="store_true", help="show what each signal adds to the score")
    add_known_tools(command)
    add_costs(command)
    add_data(command)
    add_model_folder(command)
    add_json(command)


def _coverage(text: str) -> float:
    try:
        check_coverage(value := float(text))
    except (ValueError, CoverageError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a probability above 0 and below 1") from error
    return value


def run(options: argparse.Namespace) -> int:
    """Match phrases, in the order given."""
    if not options.phrases and not options.batch:
        raise CallerError("no phrase was given; match needs phrases or --batch FILE; add one")
    if options.coverage and (options.explain or options.store):
        other = "--explain" if options.explain else "--store"
        raise CallerError(
            f"--coverage was given with {other}; sets are made by a matcher in memory, and not explained; leave one out"
        )
    if options.labelled and not options.coverage:
        raise CallerError(
            "--labelled was given without --coverage; it says what sets are to hold for; add --coverage P"
        )
    phrases = _phrases(options)
    matcher = _store_matcher(options) if options.store else chosen_matcher(options)
    if options.labelled:
        matcher = _with_labelled(cast("Matcher", matcher), options.labelled)
    for asked in phrases:
        if asked.phrase or not asked.beside:
            _answer(matcher, asked, options)
        elif options.json:
            print_json(asked.beside | {"blank": True})
        else:
            print_text(f"line {asked.beside['line']}: blank")
    return 0


def _answer(matcher: "Matcher | StoreMatcher", asked: "_Asked", options: argparse.Namespace) -> None:
    """Match one phrase, and print the answer."""
    examined = matcher.examine(asked.phrase, options.top, options.top) if options.explain else None
    result = examined.result if examined else _matched(matcher, asked.phrase, options)
    explanation = examined.explanation if examined else None
    if options.json:
        print_json(asked.beside | result.to_dict() | ({"explanation": explanation.to_dict()} if explanation else {}))
        return
    print_text(render(result, matcher.shared_names))
    if explanation:
        print_text(explanation.to_text())


def _matched(matcher: "Matcher | StoreMatcher", phrase: str, options: argparse.Namespace) -> MatchResult:
    if not options.coverage:
        return matcher.match(phrase, options.top)
    try:
        return cast("Matcher", matcher).match(phrase, options.top, coverage=options.coverage)
    except CoverageError as error:
        raise CallerError(f"--coverage: {error}") from error


def _with_labelled(matcher: "Matcher", path: Path) -> "Matcher":
    # Imported here because a server that starts needs no numpy for its options.
    from server.evals.labelled_queries import check_gold, read_queries

    queries = read_queries(path)
    check_gold(queries, [*matcher.names, *(label.id for label in matcher.book.labels)], str(path))
    return matcher.with_labelled([each.query for each in queries], [each.gold for each in queries])


def _store_matcher(options: argparse.Namespace) -> "Matcher | StoreMatcher":
    if options.data:
        raise CallerError("both --store and --data were given; phrases are matched against one of them; leave one out")
    loader = chosen_loader(options)
    return StoreProvider(options.store, loader, chosen_costs(options)).load()


def chosen_matcher(options: argparse.Namespace) -> "Matcher":
    """Return the matcher of the chosen catalog file, vector file, or data folder, with the chosen costs and model."""
    costs, loader = chosen_costs(options), chosen_loader(options)
    if options.vectors:
        try:
            from embeddings.matcher import Matcher

            return Matcher.load(options.vectors, loader(1), costs=costs)
        except VectorFileError as error:
            raise CallerError(str(error)) from error
    if options.catalog:
        log_warnings()
        book = chosen_catalog(options)
        return MatcherProvider(book, [], loader, costs).load()
    return chosen_service(options, loader=loader, costs=costs).matchers.get()


def render(result: MatchResult, shared_names: Container[str] = ()) -> str:
    """Return the answer as text, without labels that are hardly likely.

    Labels whose names others have, too, are shown with their ids.
    """
    rows = [
        [
            with_id(match.name, match.id) if match.name in shared_names else match.name,
            percent(match.match_confidence),
            match.matched_by,
        ]
        for match in result.matches
        if is_likely(match.match_confidence)
    ]
    if rows and result.decision != "resolved" and is_likely(result.none_confidence):
        rows.append([NONE_OF_THEM, percent(result.none_confidence), ""])
    decision = ", ".join([result.decision, *(["degraded"] if result.degraded else []), *result.notes])
    lead = f"{result.query!r}: {decision}"
    shown = [lead, *([NOT_ENGLISH] if "not_english" in result.notes else [])]
    if rows:
        shown.append(table(["label", "confidence", "matched by"], rows))
    if within := result.within:
        members = ", ".join([*within.labels, *([NONE_OF_THEM] if within.has_none else [])])
        shown.append(f"{percent(within.coverage)} sure to be among: {members}")
    return "\n".join(shown)


class _Asked(NamedTuple):
    """A phrase to match; empty for a blank line of a batch.

    Attributes:
        phrase: the phrase.
        beside: what its answer has besides: the number of its line in a batch, and the keys that its object has.
    """

    phrase: str
    beside: dict[str, Any]


def _phrases(options: argparse.Namespace) -> Iterable[_Asked]:
    """Phrases from the arguments, then from the batch. Standard input is read as it arrives, a file up front."""
    given = [_Asked(phrase, {}) for phrase in options.phrases]
    if not options.batch:
        return given
    if options.batch == "-":
        return chain(given, _batch(sys.stdin, "standard input"))
    try:
        lines = Path(options.batch).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CallerError(
            f"batch {brief(options.batch)} cannot be read ({error}); it must be a UTF-8 text file; check the path"
        ) from error
    return [*given, *_batch(lines, options.batch)]


def _batch(lines: Iterable[str], where: str) -> Iterator[_Asked]:
    """Yield the phrases of a batch, one a line."""
    for number, line in enumerate(lines, start=1):
        text, place = line.strip(), {"line": number}
        if text.startswith("{"):
            content = _object(text, f"{where}, line {number}")
            yield _Asked(content["query"], content | place)
        else:
            yield _Asked(text, place)


def _object(text: str, where: str) -> dict[str, Any]:
    """Return the object of a line, whose query is not blank."""
    try:
        content: dict[str, Any] = json.loads(text)
        query = content["query"]
    except (ValueError, KeyError, TypeError) as error:
        raise CallerError(
            f"{where} is {brief(text)}; a line that begins with a brace must be JSON with a 'query'; fix the line"
        ) from error
    if not isinstance(query, str) or not query.strip():
        raise CallerError(f"{where} has the query {brief(query)}; a query must be a non-blank string; fix the line")
    return content
