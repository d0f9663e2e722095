"""Answers what the page asks of a catalog."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from embeddings.files import read_bytes
from server.errors import CallerError, brief
from server.matching.label_service import LabelService, NotAtHandError
from server.matching.service import Service
from server.web.answers.catalog import about, entry, matrix
from server.web.answers.catalog_health import CatalogHealth
from server.web.answers.coverage import coverage
from server.web.answers.label_detail import catalog_id, label_detail
from server.web.answers.plane import NoMapError, Planes, plane_answer, tried
from server.web.endpoints import PageRequest, views
from server.web.refusals import SHELL, RefusedError

TOP: Final = 10
"""Candidates of an answer, unless the page asks for another number."""

MAX_UPLOAD: Final = 4 << 20
"""Bytes of a labelled file, unless the server's limit is another."""

UPLOADED: Final = "the file"
"""Name in messages of a file that was sent without its name."""

Answer = dict[str, Any]


class Answering:
    """Answers by the name of what is asked for. Safe to share between threads."""

    def __init__(self, *, name: str | None = None, upload: int = MAX_UPLOAD, inspects: bool = False) -> None:
        """Answer about any service.

        Args:
            name: what the page calls a catalog of labels.
            upload: maximum bytes of a file that is sent.
            inspects: whether the page's user is this machine's, who may also name a labelled file by its path, and
                whose address of the page has a token.
        """
        self._name = name
        self._upload = upload
        self._inspects = inspects
        self._planes = Planes()
        self._begun = ""
        self._health = CatalogHealth()
        self._answers: Mapping[str, Callable[[PageRequest], Answer]] = {
            "about": self._about,
            "match": self._match,
            "map": self._map,
            "label": self._label,
            "agents": lambda asked: {"catalog": catalog_id(asked.service), **matrix(asked.service.catalog)},
            "entry": self._entry,
            "preflight": lambda asked: self._health.preflight(asked.service),
            "coverage": self._coverage,
        }

    def __call__(self, asked: PageRequest) -> Answer:
        """Return the answer as a JSON value.

        Raises:
            CallerError: a parameter is missing or makes no sense.
            RefusedError: there is no such answer.
        """
        return self._answers[asked.endpoint](asked)

    def _about(self, asked: PageRequest) -> Answer:
        service = asked.service
        if "map" in (shown := views(service, asked.families)):
            self._draw_ahead(service)
        return about(
            service,
            title=self._title(service),
            views=shown,
            limits={"upload": self._upload},
            paths=self._inspects,
            link=SHELL if self._inspects else None,
        )

    def _title(self, service: LabelService) -> str:
        if isinstance(service, Service):
            return f"{len(service.catalog.capabilities)} capabilities of {len(service.catalog.agents)} agents"
        return self._name or "a catalog of labels"

    def _match(self, asked: PageRequest) -> Answer:
        phrase = asked.text("q", "the phrase")
        return tried(asked.service, phrase, asked.count("top", TOP), self._planes.of(asked.service))

    def _map(self, asked: PageRequest) -> Answer:
        try:
            return plane_answer(asked.service, self._planes.of(asked.service))
        except (NoMapError, NotAtHandError) as error:
            raise RefusedError(404, str(error)) from error

    def _draw_ahead(self, service: LabelService) -> None:
        """Draw the map in the background, so that the first phrase does not wait for it."""
        key = service.matchers.fingerprint
        if key != self._begun and not service.matchers.get().is_degraded:
            self._begun = key
            threading.Thread(target=self._planes.of, args=(service,), name="map", daemon=True).start()

    def _label(self, asked: PageRequest) -> Answer:
        return label_detail(
            asked.service, asked.text("name", "a label's name or id"), self._health.measured(asked.service)
        )

    def _entry(self, asked: PageRequest) -> Answer:
        agent, capability = asked.text("agent", "an agent's id"), asked.text("capability", "a capability's name")
        return {"catalog": catalog_id(asked.service), **entry(asked.service.catalog, agent, capability)}

    def _coverage(self, asked: PageRequest) -> Answer:
        path = asked.params.get("path")
        if path is None:
            name = asked.params.get("name", UPLOADED)
            return coverage(asked.service, _text(asked.body, name), name)
        if not self._inspects:
            raise CallerError(
                f"the parameter 'path' is {brief(path)}; this server reads no files of its machine for callers; send "
                "the file itself"
            )
        if asked.body:
            raise CallerError(
                f"the parameter 'path' is {brief(path)} and the request has a body, too; one file is measured at a "
                "time; send one of the two"
            )
        return coverage(asked.service, _text(self._read(path), path), path)

    def _read(self, path: str) -> bytes:
        try:
            return read_bytes(Path(path).expanduser(), self._upload)
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise CallerError(
                f"the file {brief(path)} cannot be read ({reason}); it must be a file of at most {self._upload:,} "
                "bytes; check the path"
            ) from error


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CallerError(
            f"{name} has bytes that are not text ({error.reason} at byte {error.start}); a labelled file is UTF-8; "
            "convert it and send it again"
        ) from error
