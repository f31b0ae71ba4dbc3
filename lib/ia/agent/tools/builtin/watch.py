"""watch.*: the owner's watch list with the newest stored prices."""

from typing import Annotated

from ia.agent.tools import gated_writes
from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel.jsontypes import Json
from ia.organs.memory import change_rules, watch_list

WRITTEN = ("name", "group", "why")
"""The fields whose text comes from the file."""


@tool("watch.list", READ, together=True)
def show_watch_list(
    scope: Scope,
    group: Annotated[str | None, "one of its groups; default: the whole list"] = None,
) -> Json:
    """List the user's watch list or one of its groups: reason (`why`), since when, newest stored price with change_pct,
    date and currency. `missing`: no price is stored. memory.track adds or moves securities, memory.untrack removes.
    """
    from ia.wiring.watched_securities import quote_watched

    rows, missing = quote_watched(scope.ws, group, scope.notify)
    return {
        "groups": watch_list.list_groups(watch_list.list_items(scope.ws)),
        "items": [
            {
                name: gated_writes.fence_passage(scope, change_rules.TRACKING, value) if name in WRITTEN else value
                for name, value in row.items()
                if value not in (None, "")
            }
            for row in rows
        ],
        "missing": [str(error) for error in missing],
        "simulated": any(row["simulated"] for row in rows),
    }
