"""The service that answers now; a reload puts another in its place, in one step."""

from server.service import Service


class LiveService:
    """Holds the current service. Each request takes it once, and so is answered from one catalog to its end."""

    def __init__(self, service: Service) -> None:
        """Start with a service."""
        self.current = service

    @classmethod
    def of(cls, service: "Service | LiveService") -> "LiveService":
        """The service itself where it is live already; else one that no reload changes."""
        return service if isinstance(service, LiveService) else cls(service)
