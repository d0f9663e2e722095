"""Reads a message as a whole and in parts, and notes what the answer cannot say."""

from embeddings.encoder.protocol import TextEncoder
from embeddings.ranking.message.language import EnglishReader, as_measured
from embeddings.ranking.message.mixture import Reading
from embeddings.ranking.message.needs import MOST_CLAUSES, read_needs
from embeddings.ranking.message.outside import OutsideReader, as_outside
from embeddings.ranking.message.parts import rank_as_typed, rank_with
from embeddings.ranking.message.refused import read_refused, without
from embeddings.ranking.message.story import read_story
from embeddings.ranking.rankers import Ranker
from embeddings.text.message.clauses import clause, pieces
from embeddings.text.message.windows import is_long


class MessageReader:
    """Reads messages with a ranker. Safe to share between threads."""

    def __init__(self, ranker: Ranker, encoder: TextEncoder | None = None) -> None:
        """Read with a ranker.

        Args:
            ranker: ranks a text for every label.
            encoder: the ranker's; None without the model.
        """
        self._ranker = ranker
        self._rank = rank_with(ranker)
        self._rank_as_typed = rank_as_typed(ranker)
        self._outside = OutsideReader(ranker.corpus)
        english = encoder is not None and tuple(encoder.languages) == ("en",)
        self._english = EnglishReader(ranker.corpus, encoder.knows) if encoder is not None and english else None

    def read(self, text: str) -> Reading:
        """Rank every label for a message that is not blank."""
        if self._outside.lists(text):
            return Reading(as_outside(self._ranker.rank(text)))
        reading = self._read_wanted(text)
        script = self._english.foreign(text) if self._english else None
        if script is None:
            return reading
        return Reading(as_measured(reading.ranking, script), reading.notes).noted("not_english")

    def _read_wanted(self, text: str) -> Reading:
        refused = read_refused(text, self._ranker.corpus, self._rank)
        if refused is None:
            return self._read_all(text)
        whole = self._read_all(text) if is_long(text) else Reading(self._rank([text])[0])
        rest = self._read_all(refused.rest) if refused.rest else None
        ranking = without(refused, rest.ranking if rest else None, whole.ranking)
        return Reading(ranking, rest.notes if rest else ()).noted("negated")

    def _read_all(self, text: str) -> Reading:
        if is_long(text):
            return read_story(text, self._rank_as_typed)
        found = pieces(text)
        parts = [clause(piece) for piece in found] if len(found) > 1 else []
        compared = [part.text for part in parts[:MOST_CLAUSES]]
        whole, rank_clause = self._ranker.rank_clauses(text, compared)
        return read_needs(parts, whole, rank_clause)
