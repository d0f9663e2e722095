"""Build hook: puts data and model inside the packages of a wheel; an editable install reads them in place."""

from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSIDE: Final = {
    "data": "server/_data",
    "models/all-MiniLM-L6-v2": "embeddings/_models/all-MiniLM-L6-v2",
    "models/all-MiniLM-L6-v2-tools": "embeddings/_models/all-MiniLM-L6-v2-tools",
}


class DataHook(BuildHookInterface[Any]):
    """Adds the files of `INSIDE` to a wheel, but not to the stub wheel of an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files; hatchling calls this before it builds."""
        if version != "editable":
            build_data["force_include"] |= {str(Path(self.root) / source): place for source, place in INSIDE.items()}
