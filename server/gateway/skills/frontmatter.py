"""Reads the frontmatter of a SKILL.md as the JSON object that hosts compare with it."""

import json
from typing import Any, Final

import yaml


class _Loader(yaml.SafeLoader):
    """Reads what JSON can hold: without dates, which stay texts, and without references, which can grow endlessly."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise ValueError("its frontmatter has a reference (*), which cannot be told to hosts")
        return super().compose_node(parent, index)


_DATE: Final = "tag:yaml.org,2002:timestamp"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _DATE]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_frontmatter(text: str) -> dict[str, Any]:
    """Return all that a head says, with a value of JSON for each key.

    Args:
        text: YAML, without the lines of --- around it.

    Raises:
        ValueError: it is no YAML, has no keys, or holds what JSON cannot.
    """
    try:
        head = yaml.load(text, Loader=_Loader)  # noqa: S506 -- a safe loader
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"its frontmatter is no YAML ({error})") from error
    if not isinstance(head, dict):
        raise ValueError("its frontmatter has no keys")
    try:
        value: dict[str, Any] = json.loads(json.dumps(head, allow_nan=False))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"its frontmatter has what JSON cannot hold ({error})") from error
    return value
