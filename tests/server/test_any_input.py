"""For any request there is an answer of the advertised shape, or an error that the caller can read."""

from contextlib import suppress

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.errors import PhraseError
from server.errors import CallerError
from server.matching.service import Service
from server.protocol.resources import read_resource
from server.tools.compare_capability import CompareRequest, compare
from server.tools.lookup_capability import TOOL, LookupRequest, lookup
from server.toolset.toolset import advertised

AGENT = st.one_of(st.text(), st.sampled_from(["claude-code", "gemini"]))
PHRASE = st.one_of(st.text(), st.lists(st.sampled_from(["restore", "tools", "picture", "x", "?"])).map(" ".join))
ADDRESS = st.one_of(
    st.text(), st.text().map("capabilities://".__add__), st.text().map("capabilities://gemini/".__add__)
)


@settings(deadline=None, database=None)
@given(agent=AGENT, phrase=PHRASE)
def test_any_lookup_is_answered_to_schema_or_refused(session_service: Service, agent: str, phrase: str) -> None:
    with suppress(CallerError, PhraseError):
        answer = lookup(session_service, LookupRequest(agent=agent, capability=phrase))
        jsonschema.validate(answer.to_json(), advertised(TOOL).output_schema or False)


@settings(deadline=None, database=None)
@given(phrase=PHRASE)
def test_confidences_are_probabilities_in_falling_order(session_service: Service, phrase: str) -> None:
    with suppress(CallerError, PhraseError):
        matches = compare(session_service, CompareRequest(capability=phrase)).matches or []
        found = [match.match_confidence for match in matches]
        assert found == sorted(found, reverse=True)
        assert all(0 <= confidence <= 1 for confidence in found)


@settings(deadline=None, database=None)
@given(address=ADDRESS)
def test_any_address_is_read_or_refused(session_service: Service, address: str) -> None:
    with suppress(CallerError, PhraseError):
        assert read_resource(session_service, address).to_json()
