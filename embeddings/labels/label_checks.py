"""Brings labels into one form, and checks that they can be told apart."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from embeddings.errors import PhraseBookError
from embeddings.labels.label import Label
from embeddings.labels.strictness import brief
from embeddings.text.normalization import fold


def normalized(label: Label, position: int) -> Label:
    """Return the label without blank texts, and with metadata as JSON gives them back.

    Raises:
        PhraseBookError: the metadata are not JSON values.
    """
    phrasings = not_blank(label.phrasings)
    fields = {name: kept for name, texts in label.fields.items() if (kept := not_blank(texts))}
    return replace(
        label,
        aliases=not_blank(label.aliases),
        phrasings=phrasings,
        fields=fields,
        generated=label.generated.intersection(phrasings),
        metadata=_json_values(label, position),
    )


def not_blank(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts that are not blank."""
    return tuple(text for text in texts if text.strip())


def check_names(labels: Sequence[Label]) -> None:
    """Check that no name is blank, that no two labels have one id, and that names which fold alike have ids.

    Raises:
        PhraseBookError: a rule is broken; the message names the label.
    """
    names: dict[str, Label] = {}
    ids: dict[str, Label] = {}
    for position, label in enumerate(labels):
        key = fold(label.name)
        if not key:
            raise PhraseBookError(
                f"label {position} has the blank name {label.name!r}; a name needs at least one character; "
                "name the label"
            )
        namesake = names.setdefault(key, label)
        if namesake is not label and not (label.id and namesake.id):
            raise PhraseBookError(
                f"label {position} {label.name!r} repeats {namesake.name!r}; names must differ in more than case and "
                "punctuation, or both labels need an 'id'; merge the two labels, rename one, or give each an id"
            )
        if label.id and ids.setdefault(label.id, label) is not label:
            raise PhraseBookError(
                f"label {position} {label.name!r} has the id {brief(label.id)} of {ids[label.id].name!r}; two labels "
                "must not have one id; correct one of them"
            )


def _json_values(label: Label, position: int) -> Mapping[str, Any]:
    if not label.metadata:
        return {}
    try:
        value: dict[str, Any] = json.loads(json.dumps(label.metadata, allow_nan=False))
        json.dumps(value, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise PhraseBookError(
            f"label {position} {label.name!r} has metadata that are not JSON ({error}); they must be an object of "
            "strings, finite numbers, booleans, nulls, lists and objects; correct them"
        ) from error
    return value
