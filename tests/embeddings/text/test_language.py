import json
from pathlib import Path

from embeddings.encoder.encoder import Encoder
from embeddings.text.language import foreign_script

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
QUERY_FIELDS = ("query", "request", "question", "need")
"""A row of a benchmark has its query in one of these."""


def test_a_phrase_in_the_latin_script_is_recognized_as_foreign(shipped_encoder: Encoder) -> None:
    cases = [
        "Wie kann ich die letzten Änderungen rückgängig machen?",
        "je veux un remboursement",
        "quiero cancelar mi pedido",
        "quero cancelar o meu pedido",
        "voglio un rimborso",
        "ik wil mijn geld terug",
        "gdzie jest moja paczka",
        "jag har glömt mitt lösenord",
        "şifremi unuttum",
        "saya lupa kata sandi",
    ]
    for phrase in cases:
        assert foreign_script(phrase, shipped_encoder.knows) == "latin", phrase


def test_another_script_is_recognized(shipped_encoder: Encoder) -> None:
    for phrase in ["如何撤销最近的更改？", "Как отменить изменения?", "元に戻す", "البحث", "MCP 연결하기"]:
        assert foreign_script(phrase, shipped_encoder.knows) == "other", phrase


def test_names_loans_code_and_typing_errors_are_english(shipped_encoder: Encoder) -> None:
    cases = [
        "my name is José García",
        "git rebase -i HEAD~3",
        "what does 你好 mean",
        "order a croissant and a crème brûlée",
        "El Paso weather",
        "plz cancl my ordr",
        "translate 'wie geht es' to English",
        "--dangerously-skip-permissions",
        "🎉",
        "42",
        "",
    ]
    for phrase in cases:
        assert foreign_script(phrase, shipped_encoder.knows) is None, phrase


def test_no_benchmark_query_is_taken_for_another_language(shipped_encoder: Encoder) -> None:
    texts = [path.read_text(encoding="utf-8") for path in BENCHMARKS.glob("*.jsonl")]
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    queries = [next(row[field] for field in QUERY_FIELDS if field in row) for row in rows]
    assert len(queries) > 3000
    assert [query for query in queries if foreign_script(query, shipped_encoder.knows)] == []
