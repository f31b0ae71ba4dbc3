"""The scope of a call: who calls, on whose words, with what it may use, and what has happened so far."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ia.kernel import config
from ia.kernel.errors import IaError, Notify, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.faculties.web_sources import WebSource
    from ia.organs.ohlcv.canonical import Bars


@dataclass
class ToolCall:
    """One call as it was made: name, arguments, whether it worked, how long it took, and what went wrong.

    status  the exit status that the failure stands for; 0 where it worked. failure: what `error` says in English
    """

    name: str
    args: Json
    ok: bool
    ms: int
    error: str = ""
    status: int = 0
    failure: IaError | None = None


class CitedPassage(NamedTuple):
    """A passage of a document that the scope was given, and how it is cited.

    quote     the sentence that answers best; path: the document's text, "" for a page of the web
    """

    citation: str
    text: str
    quote: str = ""
    path: str = ""
    page: int = 0
    heading: str = ""


@dataclass
class ScopeMarket:
    """The bars that the scope looked at last: what compute.run works on. whole: no window of them was asked for."""

    symbol: str
    name: str
    bars: "Bars"
    simulated: bool
    period: str = "daily"
    adjust: str = "qfq"
    source: str = ""
    whole: bool = True


@dataclass
class Scope:
    """What a call of a tool depends on. One scope a turn, a subagent, a command or a client's connection.

    actor      who acts, as the audit trail says it: user, model NAME, subagent ROLE, mcp, llm
    asked      the user's own words; never text from outside
    allowed    names or `organ.*` patterns that may be called; None: all
    granted    areas that the user opened without words, by naming a skill (`/review`)
    origins    where text from outside came from that this scope has seen; not empty: tainted
    own        that of the user's own words, where those came from outside too (a chat); they are no reason to refuse
    fork       how to run a subagent; the floor above puts it in
    active     the skills that are active: their tools can be called. skill: the one that was loaded last
    ground     what was allowed before a skill was active; the tools of active skills keep to it
    connection a client that stays (MCP, llm): a skill that it loads ends with the next one
    cards      what its tools show the user, in order. form: the one that waits for the user's answers, {} for none
    slots      what forms have filled in, where there is no session that keeps it
    outputs    what the phases of skills have produced, where there is no session that keeps it: skill -> output
    sources    pages of the web that the scope was given, cited as W1, W2 … in this order
    ruled      skills of which it was given rules
    loaded     skills that were loaded in this scope: their procedure is to be carried out here
    once       what a turn that is repeated has in common with its first try: the same message is not sent twice
    """

    ws: Workspace
    actor: str = "user"
    asked: str = ""
    session: str = ""
    turn: str = ""
    allowed: tuple[str, ...] | None = None
    granted: frozenset[str] = frozenset()
    origins: list[str] = field(default_factory=list)
    own: str = ""
    notify: Notify = drop_message
    fork: Callable[..., object] | None = None
    depth: int = 0
    skill: str = ""
    active: tuple[str, ...] = ()
    connection: bool = False
    ground: tuple[str, ...] | None = None
    once: str = ""
    market: ScopeMarket | None = None
    calls: list[ToolCall] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)
    cards: list[Json] = field(default_factory=list)
    form: Json = field(default_factory=dict)
    slots: Json = field(default_factory=dict)
    outputs: dict[str, Json] = field(default_factory=dict)
    loaded: list[str] = field(default_factory=list)
    passages: list[CitedPassage] = field(default_factory=list)
    sources: list["WebSource"] = field(default_factory=list)
    ruled: list[str] = field(default_factory=list)

    @property
    def tainted(self) -> bool:
        """Whether text from outside has reached this scope."""
        return bool(self.origins)

    @property
    def lang(self) -> str:
        """The language of the user's words, else the locale's: `zh` or `en`."""
        if any("\u4e00" <= char <= "\u9fff" for char in self.asked):
            return "zh"
        words = [word for word in self.asked.split() if not word.startswith("/")]  # a skill's name is of no language
        return "en" if any(char.isalpha() for word in words for char in word) else config.locale_lang()

    def taint(self, origin: str) -> None:
        """Remember that text from outside was seen."""
        if origin not in self.origins:
            self.origins.append(origin)

    def record_written(self, *paths: str) -> None:
        """Remember files that were written for the user."""
        self.artifacts += [path for path in paths if path not in self.artifacts]
