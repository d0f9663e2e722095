"""Tools picked before the model call of an agent, and documents by label."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain")
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import StructuredTool
from pydantic import Field

from agent_capabilities.integrations.langchain import LabelRetriever, ToolPicker
from embeddings.encoder.encoder import Encoder
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from tests.agent_capabilities.integrations.tools import DESCRIPTIONS, NEEDS


class Model(GenericFakeChatModel):
    """Remembers the tools that it is given."""

    given: list[list[str]] = Field(default_factory=list)

    def bind_tools(self, tools: Any, **_: Any) -> "Model":
        self.given.append([tool.name for tool in tools])
        return self


def work(what: str) -> str:
    return what


TOOLS = [StructuredTool.from_function(work, name=name, description=text) for name, text in DESCRIPTIONS.items()]


def model() -> Model:
    return Model(messages=iter([AIMessage("done") for _ in range(9)]), given=[])


def test_the_model_gets_the_tools_that_serve_what_the_user_said() -> None:
    called = model()
    agent = create_agent(called, TOOLS, middleware=[ToolPicker(max_tools=2, always_include=["send_mail"])])
    for need, name in NEEDS.items():
        called.given.clear()
        agent.invoke({"messages": [HumanMessage(need)]})
        (given,) = called.given
        assert given[-1] == "send_mail"
        assert given[0] == (name or "send_mail"), need
        assert len(given) <= 3


def test_an_agent_that_does_not_wait_gets_the_same() -> None:
    called = model()
    agent = create_agent(called, TOOLS, middleware=[ToolPicker()])
    asyncio.run(agent.ainvoke({"messages": [HumanMessage("how long is the drive from Leeds to York")]}))
    assert called.given[0][:1] == ["get_directions"]


def test_documents_of_the_labels_that_are_meant_are_retrieved() -> None:
    labels = {
        "labels": [
            {"name": "Refund", "phrasings": ["money back", "refund me", "return the cash"]},
            {"name": "Shipping", "phrasings": ["where is my parcel", "track the order", "has it shipped"]},
        ]
    }
    matcher = Matcher.build(PhraseBook.from_dict(labels), Encoder.load())
    retriever = LabelRetriever(matcher=matcher, documents={"Refund": [Document("how refunds work")]})
    (found,) = retriever.invoke("I want my money back please")
    assert found.page_content == "how refunds work"
    assert (found.metadata["label"], found.metadata["decision"]) == ("Refund", "resolved")
    assert found.metadata["matchConfidence"] > 0.8
    assert retriever.invoke("what is the weather tomorrow") == []
