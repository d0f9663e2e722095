"""One caller's use of the tools: loading families, calling tools by name."""

from typing import Any

from server.tools.definition import ServiceTool, Tool, checked
from server.tools.meta.definition import SessionTool
from server.tools.meta.session import Outcome
from server.tools.remote.definition import RemoteTool
from server.toolset.finding import find, not_loaded, not_ready
from server.toolset.view import CallerView


class CallerSession(CallerView):
    """One caller's view and use of the tools; cheap, since one is made for each request."""

    list_changed = False
    """Whether this request has changed the caller's list of tools."""

    def load(self, family: str) -> bool:
        """Load a family if the caller has a session. Returns whether the list of tools changed."""
        if self._loaded is None or family in self._advertised:
            return False
        self._loaded.append(family)
        self.list_changed = True
        return True

    def find(self, name: str) -> Tool:
        """A tool that the caller may use, loaded or not.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, or its server is not ready.
        """
        return find(name, self.offer, self._permissions)

    def find_loaded(self, name: str) -> Tool:
        """A tool that can be called by its name now.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, it is not loaded, or its server is not
                ready.
        """
        tool = self.find(name)
        if self.is_loaded(tool):
            return tool
        raise not_loaded(name, tool, self.offer, remembers=self.remembers)

    def call(self, name: str, arguments: dict[str, Any]) -> Outcome:
        """What a call comes to of a tool that the caller may use, loaded or not.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, or its server is not ready.
            CallerError: the arguments do not fit the tool's schema or make no sense.
        """
        return self._run(self.find(name), arguments)

    def call_loaded(self, name: str, arguments: dict[str, Any]) -> Outcome:
        """What a call comes to of a tool that can be called by its name now.

        Raises:
            UnavailableToolError: it does not exist, the caller may not use it, it is not loaded, or its server is not
                ready.
            CallerError: the arguments do not fit the tool's schema or make no sense.
        """
        return self._run(self.find_loaded(name), arguments)

    def _run(self, tool: Tool, arguments: dict[str, Any]) -> Outcome:
        outage = self.offer.outage(tool)
        if outage:
            raise not_ready(tool.name, tool.family, outage, alone=tool.name in self.offer.outages)
        match tool:
            case RemoteTool():
                return tool.prepared(arguments)
            case ServiceTool():
                return tool.handler(self.offer.service, checked(tool, arguments))
            case SessionTool():
                return tool.handler(self, checked(tool, arguments))
        raise TypeError(f"{tool!r} is no kind of tool that a session runs")
