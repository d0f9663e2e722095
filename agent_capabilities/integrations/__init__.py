"""The matcher inside other libraries, one module each; none is imported before it is asked for by name."""

from typing import Final

EXTRAS: Final = {
    "anthropic": "anthropic",
    "fastmcp": "fastmcp",
    "langchain": "langchain",
    "openai": "openai",
    "scikit_learn": "scikit-learn",
    "semantic_router": "semantic-router",
}
"""The extra that installs the library of each module."""


def needs(module: str, error: ImportError) -> ImportError:
    """Return the error of a module whose library is not installed.

    Args:
        module: full name of the module.
        error: what importing the library raised.
    """
    extra = EXTRAS[module.rpartition(".")[2]]
    return ImportError(
        f"{error}; {module} is for {extra}, which is not installed; pip install 'agent-capabilities[{extra}]'"
    )
