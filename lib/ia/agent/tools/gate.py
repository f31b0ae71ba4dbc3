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
| believe, of a language model   | a proposal         | as other areas                               |

Where nothing from outside was read but the user's own words in a chat, or those of a client (MCP, llm), "nobody asked"
and "providers' other tools" are proposals too, marked.
A person at the command line (`actor == "user"`) is not held up, only where a proposal is the rule for everybody.
What the user asked for is read from the user's own words (ia.agent.tools.consent) or from the skill that they named.
`notebook/notes/playbook.md` and `position_…` belong to no free area: every turn reads them. How a write is carried out
on each of these ways, and how many proposals one turn may leave, stands in ia.agent.tools.gated_writes.
"""

import re
from datetime import date
from fnmatch import fnmatchcase

from ia.agent.tools.consent import asks_for_area, split_words
from ia.agent.tools.registry import READ, Tool
from ia.agent.tools.scope import Scope
from ia.faculties.web_sources import FETCH
from ia.kernel import clock
from ia.kernel.errors import Refused
from ia.kernel.proposals import ProposalOrigin

ACT, PROPOSE = "act", "propose"

FREE = ("notebook", "observations")
"""Areas that any call may write to."""
CONSIDERED = ("beliefs",)
"""Areas that a language model only proposes for: every later turn reads them, and a request may have been pasted."""
RULES = "model ia-offline"
"""The embedded analyst: it works by rules, and takes a belief from the user's own words alone."""


def require_allowed_tool(scope: Scope, tool: Tool) -> None:
    """Raise Refused where the skill or the role in force does not list the tool, or its own skill is not active."""
    if tool.active_only and scope.actor != "user" and tool.skill not in scope.active:
        raise Refused(
            "{tool} is a tool of the skill {skill}, which is not active",
            code="skill-inactive",
            tool=tool.name,
            skill=tool.skill,
            hint="call skills.load {skill}",
        )
    allowed = scope.ground if tool.skill and scope.active else scope.allowed
    if allowed is not None and not any(
        fnmatchcase(tool.name, pattern) or fnmatchcase(tool.wire_name, pattern) for pattern in allowed
    ):
        raise Refused(
            "{tool} is not among the allowed tools of {who}",
            tool=tool.name,
            who=scope.skill or scope.actor,
            allowed=", ".join(allowed) or "none",
            hint="allowed: {allowed}",
        )


def is_asked_for(scope: Scope, area: str) -> bool:
    """Whether the user's own words, or the skill that the user named, ask for writing to an area."""
    return area in scope.granted or asks_for_area(scope.asked, area)


def choose_write_mode(scope: Scope, area: str, *, confirm: bool = False) -> str:
    """Return ACT or PROPOSE for a write to an area.

    confirm  the area changes by proposal whoever asks.
    raises   Refused where text from outside was read and the user did not ask for it.
    """
    if scope.actor == "user":
        return PROPOSE if confirm else ACT
    if area in FREE:
        return ACT
    by_user = is_asked_for(scope, area)
    if not by_user and any(origin != scope.own for origin in scope.origins):
        raise Refused(
            "text from outside ({origins}) was read, and the user did not ask to change {area}",
            code="outside-text",
            origins=", ".join(scope.origins),
            area=area,
            hint="only the user's own words can ask for it; tell the user what you would change and why",
        )
    confirm = confirm or (area in CONSIDERED and scope.actor != RULES)
    return ACT if by_user and not confirm and not scope.tainted else PROPOSE


def proposal_origin(scope: Scope) -> ProposalOrigin:
    """Return where a proposal comes from that is made in a scope."""
    return ProposalOrigin(turn=scope.turn, session=scope.session, origins=tuple(scope.origins))


MAX_LEAVING = 8
"""Values, gaps, lists and objects that one call may hand to a provider once text from outside was read."""
MAX_FIGURES = 3
"""Numbers and dates among them that the user did not say."""
_DATE = re.compile(r"(\d{4})(?:-?(\d\d)(?:-?(\d\d))?)?")
_EARLIEST, _AHEAD = 1990, 2


def check_outgoing_arguments(scope: Scope, tool: Tool, arguments: object) -> None:
    """Let only what the user said, a known security or a date leave for a provider once text from outside was read.

    raises  Refused: whatever was read here could be carried out by the arguments, a few letters or digits at a time;
            and for a tool that does more than look, since what it does out there cannot be marked or taken back. On
            the user's own words in a chat, or those of a client, the latter becomes a proposal.
    """
    if scope.actor == "user" or not scope.tainted:
        return
    if tool.risk != READ:
        if all(origin == scope.own for origin in scope.origins):
            return
        raise Refused(
            "{tool} acts outside ia, which is refused after reading text from outside ({origins})",
            tool=tool.name,
            origins=", ".join(scope.origins),
            hint="tell the user what you would do and why",
        )
    if not _is_found_page(scope, tool, arguments) and not _holds_only_known(scope, tool, arguments):
        raise Refused(
            "{tool}: after reading text from outside ({origins}), ia sends only the user's words, a security or a date",
            tool=tool.name,
            origins=", ".join(scope.origins),
            hint="the user can call it (`ia tool call {tool}`), or trust the client with `ia mcp --trusted`"
            if scope.connection
            else "ask the user for the search terms",
        )


def _is_found_page(scope: Scope, tool: Tool, arguments: object) -> bool:
    """Whether arguments are nothing but the address of a page that a search of this scope found, as it was told."""
    return tool.name == FETCH and any(arguments == {"url": source.url} for source in scope.sources)


def _holds_only_known(scope: Scope, tool: Tool, arguments: object) -> bool:
    """Whether arguments say nothing but what was known. Each part counts: gaps and brackets can spell, too."""
    kinds = tool.schema.get("properties", {})
    names = {str(key) for key in kinds}
    choices = {str(choice) for kind in kinds.values() if isinstance(kind, dict) for choice in kind.get("enum", ())}
    asked = split_words(scope.asked, terms=True)[0]  # what was pasted could be an alphabet to spell with
    waiting, parts, figures = [arguments], -1, 0
    while waiting:
        value = waiting.pop()
        parts += 1
        if parts > MAX_LEAVING:
            return False
        if isinstance(value, dict):
            if not {str(key) for key in value} <= names:
                return False
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif value is not None and not isinstance(value, bool) and str(value) not in choices:
            if _is_small_number_or_date(value):
                figures += not _is_users_wording(str(value), asked)
            elif not (isinstance(value, str) and (_is_users_wording(value, asked) or _is_security(value))):
                return False
            if figures > MAX_FIGURES:
                return False
    return True


def _is_users_wording(text: str, asked: str) -> bool:
    """Whether the user's words hold a text: whole words of it, as they stand."""
    return not text or (
        text == text.strip() and re.search(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])", asked) is not None
    )


def _is_small_number_or_date(value: object) -> bool:
    """Whether a value is a small number, or a date of the markets' time: a day that there is."""
    if isinstance(value, int):
        return 0 <= value <= 1000
    found = _DATE.fullmatch(value) if isinstance(value, str) and value.isascii() else None
    if found is None:
        return False
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        return _EARLIEST <= date(year, month, day).year <= clock.now().year + _AHEAD
    except ValueError:
        return False


def _is_security(text: str) -> bool:
    """Whether a text is how a listed security is written, with nothing around it."""
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import IaError
    from ia.kernel.untrusted import fold_text

    if text != fold_text(text).strip() or "\n" in text:
        return False
    try:
        found = resolve_security(text)
    except IaError:
        return False
    forms = (found.code, found.canonical, found.exchange + found.code, str(found))
    return bool(found.name) and text in (found.name, *forms, *(form.lower() for form in forms))
