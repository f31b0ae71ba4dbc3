"""From what a user wants to the settings of a run, with an estimate of what it will cost."""

import os
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from ia.agent.backtests.agent_runs import run_folder
from ia.agent.backtests.cutoffs import find_cutoff
from ia.agent.backtests.past_market import PastMarket, load_market
from ia.agent.backtests.run_memory import PLAYBOOK
from ia.agent.backtests.run_settings import MAX_PRESETS, RunSettings
from ia.agent.turns.models import OFFLINE, choose_model, load_model
from ia.domain.instruments.symbols import Symbol, resolve_security
from ia.kernel import clock, config, dateforms
from ia.kernel.errors import BadData, Message, NotFound, Notify, Refused, UsageError
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.ledger.guard import load_limits
from ia.organs.ledger.order import parse_number
from ia.organs.spending import UNPRICED_TOKENS, model_price
from ia.wiring.universe import list_universe

CALLS_A_SESSION = 4
BASE_TOKENS = 4_000
TOKENS_A_SECURITY = 150
OUTPUT_TOKENS = 250
MAX_SYMBOLS = 300
_PRESET = pattern(r"(?:playbook|(?:notes|reviews|journal)/[\w\u4e00-\u9fff][\w\u4e00-\u9fff. -]{0,79})\.md")


@dataclass(frozen=True, kw_only=True)
class RunWish:
    """A run as a user asks for it; None where nothing is said."""

    symbols: tuple[str, ...] = ()
    universe: str | None = None
    start: str | None = None
    end: str | None = None
    cash: str = "1000000"
    model: str | None = None
    strategy: str = ""
    presets: tuple[str, ...] = ()
    source: str | None = None
    moments: bool = True
    seed: int = 0
    steps: int | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    mask: bool = False
    repeats: int = 1
    counterfactuals: int = 0
    cutoff: str | None = None


@dataclass(frozen=True)
class RunPlan:
    """A run that can begin. `estimate` says what it will use; None where it costs nothing."""

    settings: RunSettings
    market: PastMarket
    estimate: Message | None


def plan_run(ws: Workspace, wish: RunWish, notify: Notify) -> RunPlan:
    """Return the settings and the market of a run.

    raises  UsageError, BadData, NotFound for what cannot be done; Refused where the estimate is above a cap; what
            `load_model` raises.
    """
    if wish.start is None:
        raise UsageError("--start is missing: give the first session, such as --start 2024-01-02")
    chosen = _choose_symbols(ws, wish)
    start, end = _choose_span(wish, chosen[0].market)
    cash = parse_number(wish.cash, "--cash")
    model = choose_model(wish.model)
    load_model(model)  # one that does not exist leaves no run behind
    market = load_market(ws, chosen, start, end, notify)
    limits = load_limits()
    settings = RunSettings(
        created=clock.now().isoformat(timespec="seconds"),
        model=model,
        symbols=list(market.securities),
        start=start,
        end=end,
        cash=f"{cash:f}",
        lang=config.locale_lang(),
        strategy=wish.strategy.strip(),
        moments=wish.moments,
        seed=wish.seed,
        steps=wish.steps or int(config.get_setting("turn.max_steps")),
        commission_pct=str(config.get_setting("ledger.commission_pct")),
        commission_min=str(config.get_setting("ledger.commission_min")),
        limits={name: str(value) for name, value in limits._asdict().items()},
        presets=_read_presets(ws, wish),
        source=wish.source or "",
        price=_load_price(model),
        cutoff=_find_cutoff(model, wish.cutoff),
        mask=wish.mask,
        repeats=wish.repeats,
        counterfactuals=wish.counterfactuals,
        bars=market.bar_digests(end),
    )
    _check_mask(settings, market)
    settings, estimate = _apply_caps(settings, wish, len(market.sessions))
    return RunPlan(settings, market, estimate)


def _choose_symbols(ws: Workspace, wish: RunWish) -> list[Symbol]:
    found: dict[str, Symbol] = {}
    for text in wish.symbols:
        symbol = resolve_security(text)
        found[symbol.canonical] = symbol
    if wish.universe:
        found |= {symbol.canonical: symbol for symbol in list_universe(ws, wish.universe)}
    if not found:
        raise UsageError("give securities: SYMBOL… or --in watch")
    if len(found) > MAX_SYMBOLS:
        raise UsageError(
            "{count} securities are more than a prompt holds; the limit is {limit}", count=len(found), limit=MAX_SYMBOLS
        )
    return list(found.values())


def _choose_span(wish: RunWish, market: str) -> tuple[str, str]:
    today = date.fromisoformat(clock.today(market))
    start = dateforms.parse_day(wish.start or "", today, option="--start")
    last = clock.last_visible_date(market)
    end = dateforms.parse_day(wish.end, today, option="--end", last=True) if wish.end else last
    if end > last:
        raise UsageError("--end {end} is later than the last close, {last}", end=end, last=last)
    if start > end:
        if not wish.end:
            raise UsageError("--start {start} is later than the last close, {last}", start=start, last=last)
        raise UsageError("--start {start} is after --end {end}", start=start, end=end)
    return start, end


def _read_presets(ws: Workspace, wish: RunWish) -> dict[str, str]:
    """Return the texts that the run begins with: of files that the user names, and another run's playbook."""
    found: dict[str, str] = {}
    if wish.source:
        path = os.path.join(run_folder(ws, wish.source), PLAYBOOK)
        found[PLAYBOOK] = _read_text(path, f"{wish.source}/{PLAYBOOK}")
    for text in wish.presets:
        name, sign, path = text.partition("=")
        if not sign or not _PRESET.fullmatch(name) or ".." in name:
            raise UsageError(
                "--preset {text!r} is not FILE=PATH with FILE such as playbook.md or notes/experience.md",
                text=text[:100],
            )
        found[name] = _read_text(path, path)
    if sum(map(len, found.values())) > MAX_PRESETS:
        raise BadData("the presets are longer than {limit} characters", limit=MAX_PRESETS)
    return found


def _read_text(path: str, name: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        raise NotFound("{path}: no such file", path=name) from None
    except UnicodeDecodeError:
        raise BadData("{path}: not valid UTF-8", path=name) from None


def _find_cutoff(model: str, told: str | None) -> Json:
    if told is None:
        return find_cutoff(model)
    day = dateforms.parse_day(told, date.fromisoformat(clock.today()), option="--cutoff", last=True)
    return {"date": day, "source": "--cutoff"}


def _check_mask(settings: RunSettings, market: PastMarket) -> None:
    """Raise UsageError where texts of the user would give a masked run away."""
    if not settings.mask:
        return
    if settings.presets:
        raise UsageError("--mask cannot be combined with --preset and --from: their texts may name what is masked")
    words = [*market.titles.values(), *(name.split(".")[0] for name in market.securities)]
    if named := [word for word in words if word and word in settings.strategy]:
        raise UsageError("--mask: the strategy names {names}", names=", ".join(named[:5]))


def _load_price(model: str) -> Json:
    price = None if model == OFFLINE else model_price(model)
    if price is None:
        return {}
    return {"input": str(price.input), "output": str(price.output), "currency": price.currency}


def estimate_tokens(settings: RunSettings, sessions: int) -> tuple[int, int]:
    """Return a rough estimate of the tokens that a run sends and gets."""
    each = BASE_TOKENS + TOKENS_A_SECURITY * len(settings.symbols)
    turns = sessions * (1.3 if settings.moments else 1.0)
    calls = min(CALLS_A_SESSION, settings.steps)
    return round(turns * calls * each), round(turns * calls * OUTPUT_TOKENS)


def _apply_caps(settings: RunSettings, wish: RunWish, sessions: int) -> tuple[RunSettings, Message | None]:
    """Return the settings with the caps of the run, and the estimate; a cap that it is above refuses the run."""
    members = wish.repeats + wish.counterfactuals
    asked = wish.max_tokens and max(wish.max_tokens // members, 1)
    if settings.model == OFFLINE:  # it costs nothing, but a cap that was asked for counts
        return replace(settings, max_tokens=asked), None
    sent, got = (count * members for count in estimate_tokens(settings, sessions))
    sessions *= members
    told = {"input": f"{sent:,}", "output": f"{got:,}"}
    if settings.price:
        money = float(
            (Decimal(settings.price["input"]) * sent + Decimal(settings.price["output"]) * got) / Decimal(10**6)
        )
        cap = wish.max_cost if wish.max_cost is not None else float(config.get_setting("turn.max_cost"))
        currency = settings.price["currency"]
        if money > cap:
            raise Refused(
                "{sessions} sessions are estimated at {cost} {currency}, the cap is {cap:g}",
                sessions=sessions,
                cost=f"{money:.2f}",
                currency=currency,
                cap=cap,
                code="run-cap",
                hint="choose fewer sessions, or raise the cap with --max-cost",
            )
        template = "estimate: {sessions} sessions, {input} + {output} tokens, {cost} {currency}; cap {cap:g}"
        message = Message(
            template, sessions=sessions, input=told["input"], output=told["output"], cost=f"{money:.2f}",
            currency=currency, cap=cap,
        )  # fmt: skip
        return replace(settings, max_cost=cap / members, max_tokens=asked), message
    limit = wish.max_tokens or int(config.get_setting("turn.max_tokens") or UNPRICED_TOKENS)
    if sent + got > limit:
        raise Refused(
            "{sessions} sessions are estimated at {tokens} tokens, the cap is {cap}",
            sessions=sessions,
            tokens=f"{sent + got:,}",
            cap=f"{limit:,}",
            code="run-cap",
            hint="choose fewer sessions, or raise the cap with --max-tokens",
        )
    message = Message(
        "estimate: {sessions} sessions, {input} + {output} tokens; cap {cap}",
        sessions=sessions,
        input=told["input"],
        output=told["output"],
        cap=f"{limit:,}",
    )
    return replace(settings, max_tokens=limit // members), message
