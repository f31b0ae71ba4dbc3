"""The one gate: what a call may do, given who asked for it and what it has read.

|                                | untainted          | tainted (text from outside was read)         |
| ------------------------------ | ------------------ | -------------------------------------------- |
| notebook, observations         | acts               | acts on new files only, stored as untrusted  |
| other areas, the user asked    | acts               | a proposal, marked with where the text is from |
| other areas, nobody asked      | a proposal         | refused                                      |
| confirm tools, the user asked  | a proposal         | a proposal, marked                           |
| confirm tools, nobody asked    | a proposal         | refused                                      |
| providers' tools that look     | act                | act, with the user's words, a security, a date |
| providers' other tools         | act, or a proposal | refused                                      |

Where nothing from outside was read but the user's own words in a chat, "nobody asked" is a proposal too, marked.
A person at the command line (`actor == "user"`) is not held up, only where a proposal is the rule for everybody.
What the user asked for is read from the user's own words (ia.tools.asking) or from the skill that the user named.
`notebook/notes/playbook.md` and `position_…` belong to no free area: every turn reads them. How a write is carried out
on each of these ways, and how many proposals one turn may leave, stands in ia.tools.writes.
"""

import re
from fnmatch import fnmatchcase

from ia.errors import Refused
from ia.tools.asking import wanted
from ia.tools.registry import READ, Tool
from ia.tools.scope import Scope

ACT, PROPOSE = "act", "propose"

FREE = ("notebook", "observations")
"""Areas that any call may write to."""


def permitted(scope: Scope, tool: Tool) -> None:
    """Raise Refused where the skill or the role in force does not list the tool."""
    if scope.allowed is not None and not any(
        fnmatchcase(tool.name, pattern) or fnmatchcase(tool.wire_name, pattern) for pattern in scope.allowed
    ):
        raise Refused(
            "{tool} is not among the allowed tools of {who}", tool=tool.name, who=scope.skill or scope.actor,
            allowed=", ".join(scope.allowed) or "none", hint="allowed: {allowed}",
        )  # fmt: skip


def asked(scope: Scope, area: str) -> bool:
    """Whether the user's own words, or the skill that the user named, ask for writing to an area."""
    return area in scope.granted or wanted(scope.asked, area)


def way(scope: Scope, area: str, *, confirm: bool = False) -> str:
    """Return ACT or PROPOSE for a write to an area.

    confirm  the area changes by proposal whoever asks.
    raises   Refused where text from outside was read and the user did not ask for it.
    """
    if scope.actor == "user":
        return PROPOSE if confirm else ACT
    if area in FREE:
        return ACT
    by_user = asked(scope, area)
    if not by_user and any(origin != scope.own for origin in scope.origins):
        raise Refused(
            "text from outside ({origins}) was read, and the user did not ask to change {area}",
            origins=", ".join(scope.origins), area=area,
            hint="only the user's own words can ask for it; tell the user what you would change and why",
        )  # fmt: skip
    return ACT if by_user and not confirm and not scope.tainted else PROPOSE


def origin(scope: Scope) -> str:
    """Return where a proposal comes from, as it is shown to the person who decides: parts between `; `."""
    told = [f"turn {scope.turn}"] if scope.turn else []
    told += [f"session {scope.session}"] if scope.session else []
    told += [f"untrusted: {', '.join(scope.origins)}".replace(";", ",")] if scope.tainted else []
    return "; ".join(told)


MAX_LEAVING = 8
"""Values that one call may hand to a provider once text from outside was read."""
_DATE = re.compile(r"\d{4}(-?\d\d(-?\d\d)?)?")


def outward(scope: Scope, tool: Tool, arguments: object) -> None:
    """Let only what the user said, a known security or a date leave for a provider once text from outside was read.

    raises  Refused: whatever was read here could be carried out by the arguments, a few letters or digits at a time;
            and for a tool that does more than look, since what it does out there cannot be marked or taken back.
    """
    if scope.actor == "user" or not scope.tainted:
        return
    if tool.risk != READ:
        raise Refused(
            "{tool} acts outside of ia, and text from outside ({origins}) was read", tool=tool.name,
            origins=", ".join(scope.origins), hint="tell the user what you would do and why",
        )  # fmt: skip
    names = {str(key) for key in tool.schema.get("properties", {})}
    choices = {str(choice) for kind in tool.schema.get("properties", {}).values() for choice in kind.get("enum", ())}
    waiting, leaving = [arguments], 0
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if not {str(key) for key in value} <= names:
                break
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif value is not None and not isinstance(value, bool):
            leaving += 1
            if leaving > MAX_LEAVING or not (str(value) in choices or _harmless(value, scope.asked)):
                break
    else:
        return
    raise Refused(
        "{tool}: after text from outside ({origins}) only the user's words, a security or a date may leave",
        tool=tool.name, origins=", ".join(scope.origins), hint="ask the user for the words to look for",
    )  # fmt: skip


def _harmless(value: object, asked: str) -> bool:
    """Whether a value says nothing that was not known: words of the user, a date, a listed security, a small number."""
    if isinstance(value, int):
        return 0 <= value <= 1000
    if not isinstance(value, str):
        return False
    text = value.strip()
    if not text or _DATE.fullmatch(text) or re.search(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])", asked):
        return True
    from ia.errors import IaError
    from ia.ohlcv.identity import resolve

    try:
        return bool(resolve(text).name)
    except IaError:
        return False
