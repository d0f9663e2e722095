"""Loads public sets as cases: HWU64, the bots of HINT3, and ToolAlpaca with and without generated examples."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.labelled_data import Case
from benchmarks.sets import intents, tool_lists
from embeddings.labels.phrase_book import PhraseBook
from embeddings.metrics import LabelledQuery
from server.enrichment.answers import read_answers
from server.enrichment.collecting import collect, enriched
from server.enrichment.prompts import prompts_for

ANSWERS: Final = Path(__file__).resolve().parent / "results" / "tool_answers.jsonl"
"""Eight queries for each tool of ToolAlpaca, answers to the prompts of `agent-capabilities enrich`; a language model
wrote them from the descriptions alone."""

EXAMPLES: Final = (0, 3, 8)
"""Queries a tool; HWU64 has 0, 3, 5 and 10."""

UNSERVED: Final = (
    "account_blocked",
    "alarm",
    "balance",
    "bill_due",
    "book_flight",
    "book_hotel",
    "calendar_update",
    "cancel_reservation",
    "car_rental",
    "card_declined",
    "change_volume",
    "confirm_reservation",
    "credit_limit",
    "direct_deposit",
    "find_phone",
    "flight_status",
    "freeze_account",
    "gas",
    "insurance",
    "lost_luggage",
    "make_call",
    "meeting_schedule",
    "oil_change_how",
    "order_checks",
    "pay_bill",
    "pin_change",
    "play_music",
    "pto_request",
    "reminder",
    "report_fraud",
    "restaurant_reservation",
    "schedule_maintenance",
    "shopping_list",
    "smart_home",
    "text",
    "timer",
    "tire_change",
    "todo_list",
    "transfer",
    "uber",
    "update_playlist",
)
"""Intents of CLINC150 that are requests to do something, and that no tool of ToolAlpaca serves."""

EACH: Final = 5
"""Queries of each of these intents."""


def hwu(root: Path) -> Iterator[Case]:
    """Yield HWU64 with few phrases an intent; all its test queries are served.

    Args:
        root: a checkout of github.com/jianguoz/Few-Shot-Intent-Detection.
    """
    for given, shown in ((5, 0), (5, 3), (5, 5), (10, 10)):
        read = intents.hwu(root, given, "test").with_phrasings(shown)
        yield Case(f"hwu64-{shown}", 0, PhraseBook(read.labels), read.queries)


def hint3(root: Path) -> Iterator[Case]:
    """Yield the bots of HINT3 that are in a checkout of github.com/hellohaptik/HINT3.

    Each states the share of its queries that no intent fits, as its owner would; the platforms' thresholds, too, were
    chosen on the test set.
    """
    for bot in intents.hint3_bots(root):
        read = intents.hint3(root, bot)
        share = sum(not query.gold for query in read.queries) / len(read.queries)
        yield Case(f"hint3-{bot}", 0, PhraseBook(read.labels, out_of_scope_share=round(share, 1)), read.queries)


def tools(root: Path, clinc: Path) -> Iterator[Case]:
    """Yield the tools of ToolAlpaca with 0, 3 and 8 generated queries a tool.

    Args:
        root: a checkout of github.com/tangqiaoyu/ToolAlpaca.
        clinc: CLINC150, some of whose test queries no tool serves.
    """
    read = tool_lists.toolalpaca(root)
    book = PhraseBook(tuple(replace(label, fields={}) for label in read.labels))
    collected = collect(book, prompts_for(book, max(EXAMPLES)), read_answers(ANSWERS).answers)
    full = enriched(book, [each for each in collected if not each.prompt.out_of_scope])
    queries = (*read.queries, *unserved(clinc))
    for count in EXAMPLES:
        labels = tuple(replace(label, phrasings=label.phrasings[:count]) for label in full.labels)
        yield Case(f"tools-{count}", 0, replace(full, labels=labels), queries)


def unserved(clinc: Path) -> Iterator[LabelledQuery]:
    """Yield requests that no tool of ToolAlpaca serves."""
    left = dict.fromkeys(UNSERVED, EACH)
    for text, intent in json.loads(clinc.read_text(encoding="utf-8"))["test"]:
        if left.get(intent, 0):
            left[intent] -= 1
            yield LabelledQuery(text, (), "out")
