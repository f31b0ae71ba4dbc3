"""A run: session by session under the one clock, from its settings, its market and a recording."""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from random import Random

from ia.agent.backtests import identity, session_prompt
from ia.agent.backtests.past_market import PastMarket
from ia.agent.backtests.recorded_loop import FreeMeter, RecordedLoop
from ia.agent.backtests.recording import Recording, canonical_json
from ia.agent.backtests.run_memory import PLAYBOOK, RunMemory
from ia.agent.backtests.run_settings import RunSettings
from ia.agent.backtests.session_prompt import DAY, IDENTITY, MONTH, WEEK, SessionPrompts
from ia.agent.backtests.session_tools import SessionTools
from ia.agent.backtests.trading_account import DayEvents, TradingAccount, close_of
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.agent.turns.models import OFFLINE
from ia.kernel import config, store
from ia.kernel.digest import sha256
from ia.kernel.errors import Notify, Refused, drop_message
from ia.kernel.files import name_file, replace_file
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.spending import Meter

OFFLINE_STEPS = 100
DECISIONS = "decisions.jsonl"
Progress = Callable[[int, int], object]


@dataclass
class RunState:
    """What a run has come to: how many sessions were lived, what was spent, and the parts that results are made of."""

    settings: RunSettings
    market: PastMarket
    account: TradingAccount
    memory: RunMemory
    sessions: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    replayed: int = 0
    cut: int = 0
    identification: Json | None = None

    @property
    def cost(self) -> float | None:
        """What the calls cost by the price of the settings; None without a price."""
        price = self.settings.price
        if not price:
            return 0.0 if self.settings.model == OFFLINE else None
        spent = self.input_tokens * float(price["input"]) + self.output_tokens * float(price["output"])
        return round(spent / 1e6, 6)


class RunWorkspace(Workspace):
    """The workspace that the tools of a run are told: nothing lies there. A run keeps its own record of every call."""

    @property
    def db(self) -> sqlite3.Connection:
        """An empty database that takes no entries."""
        if self._db is None:
            self._db = store.open_in_memory(store.PRECIOUS)
        return self._db


def first_texts(settings: RunSettings) -> dict[str, str]:
    """Return the texts that a run's memory begins with: the presets, and the playbook with the strategy."""
    texts = dict(settings.presets)
    if PLAYBOOK not in texts:
        speak = Voice(settings.lang)
        strategy = settings.strategy or speak(session_prompt.NO_STRATEGY)
        texts[PLAYBOOK] = f"# {speak(session_prompt.PLAYBOOK_TITLE)}\n\n{strategy}\n"
    elif settings.strategy:
        texts[PLAYBOOK] = f"{texts[PLAYBOOK].rstrip()}\n\n{settings.strategy}\n"
    return texts


class LiveRun:
    """A run under way, in a folder."""

    def __init__(
        self,
        ws: Workspace,
        folder: str,
        settings: RunSettings,
        market: PastMarket,
        recording: Recording,
        titles: Mapping[str, str],
    ) -> None:
        """Begin before the first session.

        ws      the user's workspace, where what a model costs is counted; nothing else of it is touched.
        titles  of a masked run: what its securities are called, by canonical symbol
        """
        self.ws, self.folder, self.settings, self.recording = ws, folder, settings, recording
        self._titles = titles
        account = TradingAccount(
            market, Decimal(settings.cash), settings.terms(), settings.risk_limits(), settings.lang
        )
        memory = RunMemory(first_texts(settings))
        self.state = RunState(settings, market, account, memory)
        self.tools = SessionTools(market, account, memory)
        self._offered = self.tools.tools()
        order = list(market.securities)
        if settings.seed:
            Random(settings.seed).shuffle(order)
        self.prompts = SessionPrompts(market, account, memory, order, settings.moments)
        steps = OFFLINE_STEPS if settings.model == OFFLINE else settings.steps
        self.loop = RecordedLoop(
            settings.model, recording, self.prompts.system(settings.risk_limits()), self._offered, steps
        )
        self._nowhere = RunWorkspace(os.path.join(folder, "none"))
        self._began = datetime.now().astimezone()
        self._decisions: list[str] = []

    def live_through(self, notify: Notify = drop_message, progress: Progress = lambda _at, _of: None) -> RunState:
        """Live through all sessions and return what came of them. What a session wrote is on disk at its end.

        raises  what a turn raises; Refused where a cap of the run is reached. The recording keeps what was answered.
        """
        sessions = self.state.market.sessions
        with _set_clock(self.settings.lang):
            try:
                for at, day in enumerate(sessions):
                    progress(at, len(sessions))
                    config.override_variable("IA_NOW", close_of(self.state.market, day).isoformat())
                    self._live_session(day, sessions[at + 1] if at + 1 < len(sessions) else "", notify)
                    self._write_texts()
                    self.state.sessions.append(day)
                progress(len(sessions), len(sessions))
                self.state.account.exchange.close()
                if self.settings.mask and self.settings.model != OFFLINE:
                    self._ask_identity(sessions[-1], notify)
            finally:
                self.state.replayed = self.recording.replayed
                with contextlib.suppress(OSError):
                    self.recording.sync()
                    self.recording.close()
        return self.state

    def _live_session(self, day: str, following: str, notify: Notify) -> None:
        state = self.state
        shown = state.market.show_day(day)
        events = state.account.open_day(day)
        state.memory.begin_session(shown, f"{close_of(state.market, day):%H:%M}")
        self.tools.begin_session(day)
        self._take_turn(day, DAY, self.prompts.write_session(self.tools, day, events), events, notify)
        if not self.settings.moments:
            return
        for kind in ends_of(day, following):
            self.tools.begin_session(day)
            key = review_key(kind, shown, state.market.show_day(state.market.sessions[0]))
            prompt = self.prompts.write_review(day, kind, key, self._describe_span(kind, day))
            self._take_turn(day, kind, prompt, DayEvents(), notify)

    def _take_turn(self, day: str, kind: str, prompt: str, events: DayEvents, notify: Notify) -> None:
        self._require_room()
        state, shown = self.state, self.state.market.show_day(day)
        scope = Scope(self._nowhere, actor=f"model {self.settings.model}", notify=notify)
        answers = self.loop.take_turn(
            prompt, shown, scope, Router(self._offered), partial(self._build_meter, day, kind)
        )
        used = [sum(answer["usage"][side] for answer in answers) for side in ("input", "output")]
        state.input_tokens += used[0]
        state.output_tokens += used[1]
        state.calls += len(answers)
        state.cut += bool(self.loop.cut)
        line: Json = {
            "date": day,
            "turn": kind,
            "prompt": sha256(prompt.encode()).hexdigest()[:16],
            "fills": [f"{fill.side} {fill.quantity:f} {fill.symbol} @{fill.price:f}" for fill in events.fills],
            "calls": [
                {"name": name, "arguments": arguments, "result": sha256(output.encode()).hexdigest()[:16]}
                for name, arguments, output in self.loop.list_calls()
            ],
            "orders": self.tools.orders,
            "refusals": self.tools.refusals,
            "memory": self.tools.written,
            "answer": self.loop.reply.strip()[:1000],
            "tokens": {"input": used[0], "output": used[1]},
            "equity": float(state.account.equity[-1][2]),
        }
        self._decisions.append(canonical_json(line | ({"cut": self.loop.cut} if self.loop.cut else {})))

    def _ask_identity(self, day: str, notify: Notify) -> None:
        """Ask the model what it recognizes in a masked run, and keep how much of it is right."""
        self.tools.begin_session(day)
        self._take_turn(day, IDENTITY, self.prompts.write_identification(day), DayEvents(), notify)
        self._write_texts(again=True)
        self.state.identification = identity.grade_identification(self.loop.reply, self.state.market, self._titles)

    def _build_meter(self, day: str, kind: str) -> Meter:
        """Return what counts a turn's calls: each turn is a command of its own under the caps of the user."""
        if self.settings.model == OFFLINE:
            return FreeMeter()
        run = os.path.basename(self.folder)
        return Meter(self.ws, self.settings.model, command=f"{run} {day} {kind}", moment=self._began)

    def _require_room(self) -> None:
        """Raise Refused where a cap of the run is reached."""
        tokens = self.state.input_tokens + self.state.output_tokens
        if self.settings.max_tokens is not None and tokens >= self.settings.max_tokens:
            raise Refused(
                "the run has used {tokens} tokens, its cap is {cap}",
                tokens=tokens,
                cap=self.settings.max_tokens,
                code="run-cap",
            )
        cost = self.state.cost
        if self.settings.max_cost is not None and cost is not None and cost >= self.settings.max_cost:
            raise Refused(
                "the run has cost {cost} {currency}, its cap is {cap:g}",
                cost=f"{cost:g}",
                currency=self.settings.price.get("currency", ""),
                cap=self.settings.max_cost,
                code="run-cap",
            )

    def _describe_span(self, kind: str, day: str) -> Json:
        """Return what a week or a month brought, as data."""
        first = _first_day(kind, day)
        curve = self.state.account.equity
        before = next((equity for on, _, equity in reversed(curve) if on < first), self.state.account.start_cash)
        fills = [fill for fill in self.state.account.exchange.fills if first <= fill.date]
        show = self.state.market.show_day
        inside = [on for on, _, _ in curve if on >= first]
        return {
            "from": show(inside[0]),
            "to": show(day),
            "return_pct": round(float(curve[-1][2] / before - 1) * 100, 2) if before else None,
            "bought": sum(fill.side == "buy" for fill in fills),
            "sold": sum(fill.side == "sell" for fill in fills),
        }

    def _write_texts(self, *, again: bool = False) -> None:
        """Write the texts that the session changed, and its decisions; `again`: after the last session."""
        memory = self.state.memory
        for path in sorted(memory.changed):
            replace_file(os.path.join(self.folder, path), memory.texts[path], durable=False)
        memory.changed.clear()
        path = os.path.join(self.folder, DECISIONS)
        try:
            with open(path, "a" if self.state.sessions or again else "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in self._decisions)
        except OSError as exc:
            raise name_file(exc, path) from exc
        self._decisions.clear()


def ends_of(day: str, following: str) -> list[str]:
    """Return which spans end with a session: the week, the month. After the last session the next weekday counts.

    >>> ends_of("2024-03-29", "2024-04-01"), ends_of("2024-03-28", "2024-03-29"), ends_of("2024-04-05", "")
    (['week', 'month'], [], ['week'])
    """
    here = date.fromisoformat(day)
    if following:
        after = date.fromisoformat(following)
    else:
        after = here + timedelta(days={4: 3, 5: 2}.get(here.weekday(), 1))
    week = [WEEK] if here.isocalendar()[:2] != after.isocalendar()[:2] else []
    return week + ([MONTH] if (here.year, here.month) != (after.year, after.month) else [])


def review_key(kind: str, day: str, first: str) -> str:
    """Return the name of a review: `week_03`, `month_01`; in later years than the first with the year.

    >>> review_key("week", "2024-01-19", "2024-01-02"), review_key("month", "2025-01-31", "2024-01-02")
    ('week_03', 'month_2025_01')
    """
    here, began = date.fromisoformat(day), date.fromisoformat(first)
    if kind == WEEK:
        year, number = here.isocalendar()[:2]
        same = year == began.isocalendar()[0]
    else:
        year, number, same = here.year, here.month, here.year == began.year
    return f"{kind}_{number:02d}" if same else f"{kind}_{year}_{number:02d}"


def _first_day(kind: str, day: str) -> str:
    here = date.fromisoformat(day)
    return (here - timedelta(days=here.weekday()) if kind == WEEK else here.replace(day=1)).isoformat()


@contextlib.contextmanager
def _set_clock(lang: str) -> Iterator[None]:
    """Let the clock and the language be those of a run, and afterwards what they were."""
    with config.replace_environment({"IA_LANG": lang}, keep=None):
        yield
