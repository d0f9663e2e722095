"""The public sets that the weights are fitted to: where they are, at which commit they were read, their licences."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.sets import function_calls, intents, tool_code, tool_lists
from benchmarks.sets.labelled_set import LabelledSet


@dataclass(frozen=True)
class Source:
    """A repository.

    Attributes:
        repository: owner and name on GitHub; also the folder that its checkout has to be in.
        commit: the one that was read.
        licence: as the repository states it.
        readers: one for each set in it; each takes the checkout.
    """

    repository: str
    commit: str
    licence: str
    readers: tuple[Callable[[Path], LabelledSet], ...]


CLINC: Final = Source("clinc/oos-eval", "828f8093932c8fe6ca7936c3d2e52903b1c523de", "CC-BY-3.0", (intents.clinc,))
HWU: Final = Source(
    "jianguoz/Few-Shot-Intent-Detection",
    "fa9553312b1dba54b1be0aae2d30b13171f898e5",
    "CC-BY-4.0 (of the data, xliuhw/NLU-Evaluation-Data)",
    (intents.hwu,),
)
TOOLS: Final = (
    Source(
        "ShishirPatil/gorilla",
        "6ea57973c7a6097fd7c5915698c54c17c5b1b6c8",
        "Apache-2.0",
        (function_calls.bfcl, function_calls.bfcl_live),
    ),
    Source("ACEBench/ACEBench", "e6db74b735ead22c24f27367606a9408573b848f", "MIT", (function_calls.acebench,)),
    Source("IBM/NESTFUL", "053cbde0446dddd31e8293f179085e1b39ab79b5", "Apache-2.0", (tool_lists.nestful,)),
    Source("olly-styles/WorkBench", "42f1b6dc18986f47701ca83de2d63dd4f95c59a0", "MIT", (tool_code.workbench,)),
    Source(
        "Yifan-Song793/RestGPT",
        "d99012860cb45323975bf5780152d7aa44f390f5",
        "MIT",
        (tool_lists.restbench_tmdb, tool_lists.restbench_spotify),
    ),
    Source(
        "AlibabaResearch/DAMO-ConvAI",
        "483554eae102996f5ec1f4feab4e78ef29c2a394",
        "Apache-2.0 (api-bank)",
        (tool_code.apibank,),
    ),
)
"""Tools without examples. ToolAlpaca is not among them: `benchmarks.matching` measures with it."""
