"""JSON that can be shown on a terminal and written in UTF-8: characters that a reader does not see are escaped."""

import json
from typing import Any

from embeddings.text.invisible import all_visible, is_hidden


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON text, without a newline at its end."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if all_visible(text.replace("\n", "")):
        return text
    # Newlines stand between values only; within a string, `dumps` has escaped them.
    return "".join(json.dumps(each)[1:-1] if is_hidden(each) and each != "\n" else each for each in text)
