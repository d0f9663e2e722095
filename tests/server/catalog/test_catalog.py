import pytest

from server.errors import CallerError
from server.service import Service


def test_categories_are_those_that_occur_in_alphabetical_order(service: Service) -> None:
    assert service.catalog.categories == ["agent-orchestration", "api-integration", "performance"]


@pytest.mark.parametrize("spelling", ["performance", "Performance", "PERFORMANCE!"])
def test_a_category_is_found_whatever_its_spelling(service: Service, spelling: str) -> None:
    assert service.catalog.category(spelling) == "performance"


def test_an_unknown_category_names_the_known_ones_and_the_nearest(service: Service) -> None:
    with pytest.raises(CallerError) as caught:
        service.catalog.category("perfomance of it")
    message = str(caught.value)
    assert "agent-orchestration, api-integration, performance" in message
    assert "did you mean 'performance'?" in message
