"""The subcommand `eval`; of its actions, `prompts` and `tools` print what a model is given."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embeddings.ranking.match_result import DEFAULT_TOP
from server.cli import eval_llm
from server.cli.eval_llm import add_prompts
from server.cli.match import chosen_matcher
from server.cli.options import (
    CATALOG_FILE,
    Subcommands,
    add_command,
    add_costs,
    add_data,
    add_json,
    add_known_tools,
    add_model_folder,
    chosen_service,
)
from server.cli.serve_options import add_surface, start_of
from server.cli.understanding import APPROXIMATE
from server.errors import CallerError
from server.output import bold, print_json, print_text, table

if TYPE_CHECKING:
    from embeddings.metrics import Evaluation

CONFUSIONS_SHOWN: Final = 20


def add(subcommands: Subcommands) -> None:
    """Register the subcommand and its actions."""
    command = add_command(subcommands, "eval", "evaluate the matcher, the answers, or how callers use the tools", run)
    actions = command.add_subparsers(title="what to evaluate", metavar="WHAT", required=True)
    for add_action in (_add_matcher, _add_answers, eval_llm.add, _add_inputs):
        add_action(actions)


def _add_inputs(actions: Subcommands) -> None:
    prompts = add_command(actions, "prompts", "print only the prompts, to have them answered elsewhere", print_prompts)
    add_prompts(prompts)
    add_surface(prompts)
    add_json(prompts)
    tools = add_command(actions, "tools", "print the tool definitions exactly as a model receives them", print_tools)
    add_surface(tools)
    add_data(tools)


def run(_: argparse.Namespace) -> int:
    """Never called: an action is required."""
    raise CallerError(
        "eval was not told what to evaluate; it takes matcher, answers, llm, prompts or tools; see eval --help"
    )


def print_prompts(options: argparse.Namespace) -> int:
    """Print every input, as JSON lines or as one line of text with its line breaks replaced by spaces."""
    from server.evals.evaluate import chosen_suite

    for text in chosen_suite(options.prompts, start_of(options)).inputs:
        if options.json:
            print_json({"input": text})
        else:
            print(" ".join(text.split()))
    return 0


def print_tools(options: argparse.Namespace) -> int:
    """Print a JSON array of name, description and inputSchema."""
    import anyio

    from server.evals.tool_runner import connect

    start = start_of(options)

    async def definitions() -> str:
        async with connect(chosen_service(options, with_matcher=False), start) as runner:
            return json.dumps([tool.to_dict() for tool in runner.definitions], indent=2, ensure_ascii=False)

    print(anyio.run(definitions))
    return 0


def _add_matcher(actions: Subcommands) -> None:
    matcher = add_command(actions, "matcher", "measure ranking, decisions and calibration on a labelled file", measure)
    matcher.add_argument(
        "file",
        metavar="FILE.jsonl",
        help="JSON lines with 'query', 'gold' (list of correct labels; empty if out of scope) and optionally 'stratum' "
        "(group to report separately)",
    )
    matcher.add_argument("--catalog", metavar="FILE", help=f"match against {CATALOG_FILE}")
    matcher.add_argument("--vectors", metavar="FILE", help="match against this vector file")
    add_known_tools(matcher)
    add_costs(matcher)
    add_data(matcher)
    add_model_folder(matcher)
    add_json(matcher)


def _add_answers(actions: Subcommands) -> None:
    answers = add_command(
        actions, "answers", "score the tools' answers to questions with known verdicts", score_answers
    )
    answers.add_argument(
        "file",
        metavar="FILE.jsonl",
        help="JSON lines with 'id', 'kind' (one, compare, choose or none), 'question' and what is true, as "
        "docs/evaluation.md describes",
    )
    answers.add_argument("--rows", action="store_true", help="print what was answered to each question, too")
    add_data(answers)
    add_json(answers)


def score_answers(options: argparse.Namespace) -> int:
    """Ask the tools each question of a file, and report what was right."""
    from server.evals.answer_scores import answers_of, read_questions, score

    questions = read_questions(Path(options.file))
    scores = score(questions, answers_of(chosen_service(options)))
    if options.json:
        print_json(scores.to_dict())
        return 0
    if options.rows:
        print_text("\n".join([*scores.rows, ""]))
    figures = [[name, str(value["of"]), f"{value['share']:.3f}"] for name, value in scores.to_dict().items()]
    print(table(["figure", "of", "share"], figures))
    return 0


def measure(options: argparse.Namespace) -> int:
    """Measure the matcher on a labelled file, and report."""
    # Imported here because every start of the command, a server's included, imports this module.
    from embeddings.metrics import DecisionCounts, Outcomes, decided_with, evaluate
    from embeddings.ranking.decision import NAMED_COSTS
    from server.evals.labelled_queries import check_gold, read_queries

    queries = read_queries(Path(options.file))
    matcher = chosen_matcher(options)
    check_gold(queries, matcher.names, options.file)
    results = [matcher.match(query.query, DEFAULT_TOP) for query in queries]
    found = evaluate(queries, results)
    others = {
        name: DecisionCounts.of(Outcomes.of(queries, decided_with(results, costs))).to_dict()
        for name, costs in NAMED_COSTS.items()
    }
    if options.json:
        costs = {"withCosts": others}
        print_json(found.to_dict() | costs | ({"approximate": True} if matcher.is_approximate else {}))
    else:
        print_text(render(found))
        rows = [[name, *map(str, counts.values())] for name, counts in others.items()]
        print_text("\n" + table(["with --costs", *found.decisions.to_dict()], rows))
        if matcher.is_approximate:
            print(f"\n{APPROXIMATE}")
    return 0


def render(found: "Evaluation") -> str:
    """Return the figures as text."""
    from embeddings.metrics import STRATUM_FIGURES

    rows = [
        [name, f"{value:.3f}", str(found.counts[name]), "{:.3f} to {:.3f}".format(*found.intervals[name])]
        for name, value in found.figures.items()
    ]
    strata = [
        [kind, str(part.rows), *(_shown(part.figures.get(name)) for name in STRATUM_FIGURES)]
        for kind, part in found.strata.items()
    ]
    confusions = [[gold, said, str(count)] for gold, said, count in found.confusions[:CONFUSIONS_SHOWN]]
    parts = [bold(f"{found.rows} queries"), table(["figure", "value", "of", "95% interval"], rows)]
    parts += ["", table(["stratum", "rows", *STRATUM_FIGURES], strata), "", _decisions(found)]
    if confusions:
        parts += ["", table(["wanted", "answered", "times"], confusions)]
    return "\n".join(parts)


def _decisions(found: "Evaluation") -> str:
    """Return the decisions, right and wrong, of each stratum and, if there are several, of all queries."""
    counts = {kind: part.decisions for kind, part in found.strata.items()}
    if len(counts) > 1:
        counts["(together)"] = found.decisions
    rows = [[kind, *map(str, count.to_dict().values())] for kind, count in counts.items()]
    return table(["stratum", *found.decisions.to_dict()], rows)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
