"""How often a gateway offers the right tool, and how often one where none serves the request."""

from collections.abc import Sequence
from typing import Final

from benchmarks.gateways.contestants import Offer
from benchmarks.gateways.tool_set import ToolRequest

Figures = dict[str, float]

RESOLVED: Final = "resolved"


def offer_figures(requests: Sequence[ToolRequest], offers: Sequence[Offer]) -> Figures:
    """Figures of a gateway's offers; shares of the served requests first, then of those that no tool serves.

    A request that several tools serve counts as right with any of them. `falseResolve`, `coverage` and `precision` are
    absent for a gateway that does not decide, `precision` also where nothing was resolved.
    """
    pairs = list(zip(requests, offers, strict=True))
    served = [(request, offer) for request, offer in pairs if request.tools]
    unserved = [offer for request, offer in pairs if not request.tools]
    found = {
        "served": len(served),
        "rightFirst": _share([bool(request.tools & set(offer.tools[:1])) for request, offer in served]),
        "rightOffered": _share([bool(request.tools & set(offer.tools)) for request, offer in served]),
        "wrongAlone": _share([bool(offer.tools) and not request.tools & set(offer.tools) for request, offer in served]),
        "noneOffered": _share([not offer.tools for _, offer in served]),
        "toolsOffered": sum(len(offer.tools) for _, offer in served) / max(1, len(served)),
        "unserved": len(unserved),
        "falseOffer": _share([bool(offer.tools) for offer in unserved]),
    }
    return found | (_decided(served, unserved) if any(offer.decision for offer in offers) else {})


def _decided(served: Sequence[tuple[ToolRequest, Offer]], unserved: Sequence[Offer]) -> Figures:
    resolved = [(request, offer) for request, offer in served if offer.decision == RESOLVED]
    right = [bool(request.tools & set(offer.tools[:1])) for request, offer in resolved]
    found = {
        "coverage": len(resolved) / max(1, len(served)),
        "falseResolve": _share([offer.decision == RESOLVED for offer in unserved]),
    }
    return found | ({"precision": _share(right)} if right else {})


def _share(values: Sequence[bool]) -> float:
    return sum(values) / max(1, len(values))
