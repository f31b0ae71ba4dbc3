"""subagents.*: a task given to somebody with fewer tools and less to know, who hands back a structured summary."""

from typing import Annotated, Any

from ia.errors import Refused
from ia.tools.registry import READ, tool
from ia.tools.scope import Scope


@tool("subagents.run", READ, together=True, seconds=600)
def run(
    scope: Scope,
    task: Annotated[str, "everything that the subagent needs to know; it sees nothing else of this conversation"],
    role: Annotated[str, "researcher, reviewer, planner, or a few words that say who it is"] = "researcher",
    tools: Annotated[list[str] | None, "names of tools it may call; fewer than the role has, never more"] = None,
) -> dict[str, Any]:
    """Give a task to a subagent. It returns points with evidence, and the notes it wrote. Several calls in one reply
    run at the same time. A subagent cannot have subagents.
    """
    if scope.depth:
        raise Refused("a subagent has no subagents")
    if scope.fork is None:
        raise Refused("subagents cannot run here", hint="`ia turn` and `ia fork` run them")
    told = scope.fork(task=task, role=role, tools=tools)
    assert isinstance(told, dict)
    return told
