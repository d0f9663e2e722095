"""The YAML files that are deployed."""

from typing import Any

import yaml

from deploy.project import DEPLOY, ROOT


def compose(name: str = "compose.yaml") -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))
    return loaded


def workflows() -> dict[str, dict[Any, Any]]:
    """By file name. YAML reads the key `on` as true."""
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    return {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in files}
