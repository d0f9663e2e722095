"""The baseline of a start: a server of the SDK's own class with four small tools, as its documentation shows."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("bare")


@server.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


@server.tool()
def add(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


@server.tool()
def compare(capability: str, agents: list[str]) -> dict[str, str]:
    """Say the same of each agent."""
    return dict.fromkeys(agents, capability)


@server.tool()
def name(agent: str | None = None, category: str | None = None) -> list[str]:
    """Name what was given."""
    return [given for given in (agent, category) if given]


if __name__ == "__main__":
    server.run()
