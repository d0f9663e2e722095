"""What the references of one file can refer to."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from server.gateway.configuration.references.inputs import Ask, Question
from server.gateway.configuration.references.syntax import Reference


@dataclass(frozen=True)
class Surroundings:
    """What the references of one file can refer to.

    Attributes:
        file: the file.
        folder: the project's folder, which is `${workspaceFolder}`.
        home: the user's folder.
        environment: the environment variables.
        inputs: what the file asks for, by id.
        ask: asks for an input.
        answers: inputs that were answered.
        variables: names of the variables that were referred to.
    """

    file: Path
    folder: Path
    home: Path
    environment: Mapping[str, str]
    inputs: Mapping[str, Question]
    ask: Ask
    answers: dict[str, str] = field(default_factory=dict, repr=False)
    variables: set[str] = field(default_factory=set)

    def placeholder(self, reference: Reference) -> str | None:
        """The value of a name that hosts define themselves; None for others."""
        if reference.kind == "workspaceFolder":
            return str(self.folder)
        if reference.kind:
            return None
        return {
            "workspaceFolder": str(self.folder),
            "workspaceFolderBasename": self.folder.name,
            "cwd": str(self.folder),
            "userHome": str(self.home),
            "pathSeparator": os.sep,
            "/": os.sep,
        }.get(reference.name)
