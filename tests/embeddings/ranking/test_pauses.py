from contextvars import copy_context

import pytest

from embeddings.matcher import Matcher
from embeddings.ranking.pauses import on_pause, pausable
from tests.toy import ToyEncoder

STORY = "I had a long day at work. " * 20 + "Can you undo it?"


def test_a_long_message_pauses_before_each_text_that_it_embeds(matcher: Matcher, encoder: ToyEncoder) -> None:
    embedded: list[int] = []

    def match() -> None:
        encoder.encoded.clear()
        on_pause(lambda: embedded.append(len(encoder.encoded)))
        with pausable():
            matcher.match(STORY)

    copy_context().run(match)
    assert embedded == list(range(len(encoder.encoded)))
    assert len(embedded) > 20


def test_outside_of_what_may_pause_nothing_does(matcher: Matcher) -> None:
    pauses: list[str] = []

    def match() -> None:
        on_pause(lambda: pauses.append("pause"))
        with pausable():
            pass
        matcher.match(STORY)

    copy_context().run(match)
    assert not pauses


def test_what_a_pause_raises_ends_the_query(matcher: Matcher) -> None:
    def end() -> None:
        raise TimeoutError

    def match() -> None:
        on_pause(end)
        with pausable():
            matcher.match(STORY)

    with pytest.raises(TimeoutError):
        copy_context().run(match)
