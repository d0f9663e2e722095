"""The subcommand `eval matcher`."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from embeddings.ranking.match_result import DEFAULT_TOP
from server.cli.match import chosen_matcher
from server.cli.options import CATALOG_FILE, Subcommands, add_command, add_costs, add_data, add_json, add_model_folder
from server.cli.understanding import APPROXIMATE
from server.errors import CallerError, brief
from server.output import bold, print_json, table

if TYPE_CHECKING:
    from embeddings.metrics.evaluation import Evaluation
    from embeddings.metrics.outcomes import LabelledQuery

CONFUSIONS_SHOWN: Final = 20


def add(actions: Subcommands) -> None:
    """Register the action."""
    matcher = add_command(actions, "matcher", "measure ranking, decisions and calibration on a labelled file", run)
    matcher.add_argument(
        "file",
        metavar="FILE.jsonl",
        help="JSON lines with 'query', 'gold' (list of correct labels; empty if out of scope) and optionally 'stratum' "
        "(group to report separately)",
    )
    matcher.add_argument("--catalog", metavar="FILE", help=f"match against {CATALOG_FILE}")
    matcher.add_argument("--vectors", metavar="FILE", help="match against this vector file")
    add_costs(matcher)
    add_data(matcher)
    add_model_folder(matcher)
    add_json(matcher)


def run(options: argparse.Namespace) -> int:
    """Measure and report."""
    # Imported here because every start of the command, a server's included, imports this module.
    from embeddings.metrics.evaluation import evaluate

    queries = read_queries(Path(options.file))
    matcher = chosen_matcher(options)
    unknown = sorted({name for query in queries for name in query.gold} - set(matcher.names))
    if unknown:
        raise CallerError(
            f"{options.file} has gold labels that the catalog lacks: {', '.join(unknown[:5])}; gold labels must be "
            "names in the catalog; correct the file, or give the catalog it was written for"
        )
    found = evaluate(queries, [matcher.match(query.query, DEFAULT_TOP) for query in queries])
    if options.json:
        print_json(found.to_dict() | ({"approximate": True} if matcher.is_approximate else {}))
    else:
        print(render(found))
        if matcher.is_approximate:
            print(f"\n{APPROXIMATE}")
    return 0


def read_queries(path: Path) -> "list[LabelledQuery]":
    """Read labelled queries.

    Raises:
        CallerError: the file cannot be read, holds no query, or has a line of the wrong shape.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CallerError(
            f"{brief(str(path))} cannot be read ({error}); it must be UTF-8 JSON lines; check the path"
        ) from error
    queries = [_query(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]
    if not queries:
        raise CallerError(f"{brief(str(path))} holds no queries; each line must be a JSON object; add some")
    return queries


def _query(line: str, where: str) -> "LabelledQuery":
    try:
        value: Any = json.loads(line)
        query, gold, stratum = value["query"], value["gold"], value.get("stratum", "all")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CallerError(
            f"{where} is {brief(line)}; a line must be a JSON object with 'query' and 'gold'; fix the line"
        ) from error
    texts = isinstance(gold, list) and all(isinstance(name, str) for name in gold)
    if not isinstance(query, str) or not query.strip() or not texts or not isinstance(stratum, str):
        raise CallerError(
            f"{where} is {brief(line)}; 'query' must be a phrase, 'gold' a list of names, 'stratum' a string; "
            "fix the line"
        )
    from embeddings.metrics.outcomes import LabelledQuery

    return LabelledQuery(query, tuple(gold), stratum)


def render(found: "Evaluation") -> str:
    """The figures as text."""
    from embeddings.metrics.evaluation import STRATUM_FIGURES

    rows = [
        [name, f"{value:.3f}", "{:.3f} to {:.3f}".format(*found.intervals[name])]
        for name, value in found.figures.items()
    ]
    strata = [
        [kind, str(part.rows), *(_shown(part.figures.get(name)) for name in STRATUM_FIGURES)]
        for kind, part in found.strata.items()
    ]
    confusions = [[gold, said, str(count)] for gold, said, count in found.confusions[:CONFUSIONS_SHOWN]]
    parts = [bold(f"{found.rows} queries"), table(["figure", "value", "95% interval"], rows)]
    parts += ["", table(["stratum", "rows", *STRATUM_FIGURES], strata), "", _decisions(found)]
    if confusions:
        parts += ["", table(["wanted", "answered", "times"], confusions)]
    return "\n".join(parts)


def _decisions(found: "Evaluation") -> str:
    """The decisions, right and wrong, of each stratum and, if there are several, of all queries."""
    counts = {kind: part.decisions for kind, part in found.strata.items()}
    if len(counts) > 1:
        counts["(together)"] = found.decisions
    rows = [[kind, *map(str, count.to_dict().values())] for kind, count in counts.items()]
    return table(["stratum", *found.decisions.to_dict()], rows)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
