"""Checks of a catalog file beyond its structure, for likely mistakes of its author."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from embeddings.errors import PhraseBookError
from embeddings.labels.json_file import RepeatedKey, repeated_keys


def brief(value: Any) -> str:
    """Format a value for a message, cut to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def named(entry: Mapping[str, Any], where: str) -> str:
    """Return the place of an entry with the entry's name, if it has one."""
    name = entry.get("name")
    return f"{where} ({brief(name)})" if isinstance(name, str) else where


def check_keys(entry: Mapping[str, Any], known: Sequence[str], where: str, what: str) -> None:
    """Check that an object has known keys only, each of them once.

    Raises:
        PhraseBookError: it has another key, or repeats one; the message names the nearest known one.
    """
    unknown = next((key for key in entry if key not in known), None)
    if unknown is not None:
        # Imported here because it is needed only for this message.
        from difflib import get_close_matches

        (near,) = get_close_matches(str(unknown), known, 1, cutoff=0)
        raise PhraseBookError(
            f"{named(entry, where)} has the unknown key {brief(unknown)}; {what} has {', '.join(known)}; the nearest "
            f"is {near!r}; correct or remove the key"
        )
    check_once(entry if isinstance(entry, RepeatedKey) else None, named(entry, where))


def check_once(value: Any, where: str) -> None:
    """Check that no object within a value repeats a key.

    Raises:
        PhraseBookError: one does.
    """
    repeated = next(repeated_keys(value), None)
    if repeated is not None:
        raise PhraseBookError(
            f"{where} has the key {brief(repeated)} twice; a key may occur once in an object; merge the two or remove "
            "one"
        )


def check_name(name: str, where: str) -> None:
    """Check that a name has a character besides punctuation and spaces; a blank one is refused elsewhere.

    Raises:
        PhraseBookError: it has none.
    """
    if name.strip() and all(map(_is_punctuation, name)):
        raise PhraseBookError(
            f"{where} has the name {brief(name)}; a name needs at least one character that is neither punctuation nor "
            "a space; name the label in words"
        )


def check_texts(texts: Iterable[str], where: str) -> None:
    """Check that texts can be written as UTF-8.

    Raises:
        PhraseBookError: one has half of a surrogate pair.
    """
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise PhraseBookError(
                f"{where} has the text {brief(text)}; half of a surrogate pair stands for no character; write the "
                "character itself, or both halves"
            ) from error


def _is_punctuation(character: str) -> bool:
    """Return whether a character is punctuation, a space, or one that is not seen.

    ASCII symbols such as `+` count, too.
    """
    kind = unicodedata.category(character)[0]
    return kind in "PZC" or (character.isascii() and kind == "S")
