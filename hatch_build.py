"""Build hook: data and model go inside the packages of a wheel; an editable install reads them where they are."""

from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSIDE: Final = {
    "data": "server/_data",
    "models/all-MiniLM-L6-v2": "embeddings/_models/all-MiniLM-L6-v2",
}


class DataHook(BuildHookInterface[Any]):
    """Adds `INSIDE` to a wheel, but not to the stub that an editable install is made of."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds."""
        if version != "editable":
            build_data["force_include"] |= {str(Path(self.root) / source): place for source, place in INSIDE.items()}
