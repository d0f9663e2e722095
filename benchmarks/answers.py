"""Measures how questions are answered: `python -m benchmarks.answers [--rows] [--write]`.

`held_out_answers.jsonl` has questions with known verdicts, as `eval answers` scores them, by an author who saw neither
facets nor phrasings. `facet_questions.jsonl` has questions about details with the facets that answer them,
`plain_questions.jsonl` questions about a capability as a whole, which need none, and `opposite_needs.jsonl` needs and
what is said by somebody who wants the opposite.
"""

import argparse
import json
from pathlib import Path
from typing import Final

from benchmarks.labelled_data import read_rows
from server.evals.answer_scores import answers_of, read_questions, score
from server.matching.asking import AskedNeed
from server.matching.service import Service, open_service
from server.paths import shipped_data
from server.tools.recommend_agent import RecommendRequest, UnderstoodNeed, recommend

FOLDER: Final = Path(__file__).parent
QUESTIONS: Final = FOLDER / "held_out_answers.jsonl"
RESULTS: Final = FOLDER / "results" / "answers.json"
AMONG: Final = 3

Row = tuple[str, str]
"""A question that was not read as it should be, and how it was read."""


def facet_figures(service: Service) -> tuple[dict[str, float], list[Row]]:
    """Return how facets are found, and the questions that were read wrongly."""
    details, wrong = _details(service)
    plain = [row["query"] for row in read_rows(FOLDER / "plain_questions.jsonl")]
    answered = [(query, _read(need)) for query in plain if (need := service.ask(query)).facet]
    pairs = [(row["need"], row["negated"]) for row in read_rows(FOLDER / "opposite_needs.jsonl")]
    alike = [pair for pair in pairs if _same(*(_understood(service, text) for text in pair))]
    figures = {
        **details,
        "plainQuestions": len(plain),
        "plainWithFacet": len(answered),
        "pairs": len(pairs),
        "pairsToldApart": len(pairs) - len(alike),
    }
    return figures, [*wrong, *answered, *((f"{need} | {negated}", "read alike") for need, negated in alike)]


def _details(service: Service) -> tuple[dict[str, float], list[Row]]:
    asked = [
        (row["question"], set(row["facets"]))
        for row in read_rows(FOLDER / "facet_questions.jsonl")
        if row.get("facets")
    ]
    first = among = answered = right = 0
    wrong = []
    for question, facets in asked:
        need = service.ask(question)
        found = [facet.key for facet in need.reading.facets]
        first += found[0] in facets
        among += not facets.isdisjoint(found[:AMONG])
        answered += need.facet is not None
        right += need.facet is not None and need.facet.key in facets
        if found[0] not in facets:
            wrong.append((question, _read(need)))
    figures = {
        "questions": len(asked),
        "first": round(first / len(asked), 3),
        "amongThree": round(among / len(asked), 3),
        "answered": answered,
        "answeredRight": right,
    }
    return figures, wrong


def _understood(service: Service, need: str) -> UnderstoodNeed:
    """Return how a need to choose by is understood."""
    return recommend(service, RecommendRequest(needs=[need])).understood[0]


def _same(need: UnderstoodNeed, negated: UnderstoodNeed) -> bool:
    """Return whether a need and its opposite are answered alike: by one facet, or one capability, in one direction."""
    return all(getattr(need, name) == getattr(negated, name) for name in ("capability", "question", "opposite"))


def _read(need: AskedNeed) -> str:
    best = need.reading.facets[0]
    return f"{best.key} {best.confidence:.2f} ({need.reading.decision})"


def table(figures: dict[str, dict[str, float]]) -> str:
    """Format the stored shares of right answers as a Markdown table."""
    rows = [f"| {name} | {found['of']} | {found['share']:.3f} |" for name, found in figures.items()]
    return "\n".join(["| figure | of | share |", "|---|---:|---:|", *rows])


def facet_table(figures: dict[str, float]) -> str:
    """Format the stored figures of facets as a Markdown table."""
    rows = [
        ("questions about a detail", "questions", "a right facet first", "first"),
        ("", "", "among three", "amongThree"),
        ("", "", "answered by a facet", "answered"),
        ("", "", "of these by a right one", "answeredRight"),
        ("questions about a capability as a whole", "plainQuestions", "answered by a facet", "plainWithFacet"),
        ("pairs of a need and its opposite", "pairs", "read differently", "pairsToldApart"),
    ]
    lines = ["| asked | count | | |", "|---|---:|---|---:|"]
    lines += [f"| {asked} | {figures.get(count, '')} | {what} | {figures[key]} |" for asked, count, what, key in rows]
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", action="store_true", help="print what was read wrongly, too")
    options.add_argument("--write", action="store_true", help="store the figures for the docs")
    chosen = options.parse_args()
    service = open_service(shipped_data())
    service.matchers.load()
    answers = score(read_questions(QUESTIONS), answers_of(service))
    facets, wrong = facet_figures(service)
    for line in [*answers.rows, *(f"{question} -> {read}" for question, read in wrong)] if chosen.rows else ():
        print(line)
    print(f"{table(answers.to_dict())}\n\n{facet_table(facets)}")
    if chosen.write:
        found = {"answers": answers.to_dict(), "facets": facets}
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
