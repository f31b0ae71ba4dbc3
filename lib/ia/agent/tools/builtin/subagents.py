"""subagents.*: a task given to somebody with fewer tools and less to know, who hands back a structured summary."""

from typing import Annotated

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel.errors import Refused
from ia.kernel.jsontypes import Json


@tool("subagents.run", READ, together=True, seconds=600)
def run_subagent(
    scope: Scope,
    task: Annotated[str, "everything that it needs to know; it sees nothing else"],
    role: Annotated[str, "researcher, reviewer, planner, or a few words"] = "researcher",
    tools: Annotated[list[str] | None, "tools it may call, of those of its role"] = None,
) -> Json:
    """Give a task to a subagent. It returns points with evidence, and the paths of the notes that it wrote. Several
    calls in one reply run at the same time. A subagent cannot have subagents.
    """
    if scope.depth:
        raise Refused("a subagent cannot start subagents")
    if scope.fork is None:
        raise Refused("subagents cannot run here", hint="start them from `ia turn` or `ia fork`")
    told = scope.fork(task=task, role=role, tools=tools)
    assert isinstance(told, dict)
    return told
