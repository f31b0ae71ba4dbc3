"""Events of the day: the review after the close, and what rose most. Their prompts are filled from ledger and store.

The prompts are templates of skills, see ia-skill(5). Figures in words are always Chinese; those that a program needs
stand in a line of JSON (【数值】), which no template can leave out. The figures are what is stored, and where that is
not today's, the prompt says so. Names come from a feed: they are made plain before they stand in a prompt, and nothing
else of a feed gets there. Reasons of trades do not. So the whole prompt is ia's own, or the owner's, yet nobody's
request: a turn on it may look, calculate, note and observe, and whatever else it wants becomes a proposal.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from ia.agent.turns.account_prompt import describe_breaches, describe_day_breaches, describe_day_loss, format_number
from ia.kernel import clock, config
from ia.kernel.errors import Notify, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.untrusted import plain_name
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.agent.turns.turn import Turn
    from ia.organs.ledger.account import Position
    from ia.organs.ledger.whatif import AccountStanding
    from ia.organs.market.market_reader import MarketDay, Row

SESSION = "daily"
REVIEW, GAINERS = "每日复盘", "上涨股票监控"
TOP = 50
PROMPTS = {REVIEW: ("review", "event-daily"), GAINERS: ("scan", "event-gainers")}
"""Event -> skill and name of the template that words its prompt."""
PLACES = {REVIEW: "reports/daily", GAINERS: "reports/gainers"}


class Occasion(NamedTuple):
    """An event that a turn can be taken on.

    event     what stands behind 【事件】. body: what follows
    moment    now() in exchange time. day: the day of the figures, YYYY-MM-DD; stale: it is not today's
    found     what ia.organs.market.main_lines found; only for GAINERS
    """

    event: str
    body: str
    moment: datetime
    day: str
    stale: bool
    simulated: bool
    found: "Row | None" = None

    @property
    def prompt(self) -> str:
        """The whole prompt, its time mark in exchange time."""
        return f"【时间】{self.moment:%Y-%m-%d %H:%M:%S}\n【事件】{self.event}\n{self.body}"

    @property
    def place(self) -> str:
        """Where the report belongs, below notebook/."""
        return f"{PLACES[self.event]}/{self.moment:%Y-%m-%d}.md"


def idle_reason(moment: datetime | None = None) -> str:
    """Return why there is nothing to review now: `closed` (no trading day), `open` (before the close); "" to go on."""
    from ia.faculties.schedule.exchange import is_session

    here = (moment or clock.now()).astimezone(clock.CHINA)
    if not is_session("CN", here.date()):
        return "closed"
    return "open" if here.time() < clock.CLOSE["CN"] else ""


def build_daily_review(ws: Workspace, notify: Notify = drop_message) -> Occasion:
    """Return the review of the day. raises NotFound where no market was ever stored."""
    from ia.organs.ledger.journal import has_entries
    from ia.organs.market.day_summary import summarize_day
    from ia.organs.market.main_lines import find_mainlines
    from ia.organs.market.market_reader import load_day, open_market

    with open_market(ws) as db:
        day = load_day(db, notify)
        lines = find_mainlines(db, day)["lines"][:3]
        market = _format_market(summarize_day(db, day), _format_main_lines(lines))
    figures: Json = {"main_lines": [{"name": main_line_name(line), "hits": line["hits"]} for line in lines]}
    if has_entries(ws.db):
        from ia.organs.ledger.whatif import assess_account
        from ia.wiring.ledger_prices import open_ledger

        stand = assess_account(open_ledger(ws))
        gained, held = _format_gains(stand), _format_positions(stand)
        lang = config.locale_lang()
        figures |= {"positions": len(stand.account.positions), "breaches": describe_breaches(stand, lang)}
        figures |= {"day_breaches": describe_day_breaches(stand, lang)}
    else:
        stand, gained, held = None, "账本是空的", "没有持仓（`ia trade buy` 记第一笔）"
    simulated = day.simulated or bool(stand and stand.account.simulated)
    fields = {"gains": gained, "positions": held, "market": market}
    return _build_occasion(ws, REVIEW, fields, day, simulated, figures, notify=notify)


def build_top_gainers(ws: Workspace, count: int = TOP, notify: Notify = drop_message) -> Occasion:
    """Return what rose most, grouped. raises NotFound where no market was ever stored."""
    from ia.organs.market.main_lines import find_mainlines
    from ia.organs.market.market_reader import load_day, load_gainers, open_market

    with open_market(ws) as db:
        day = load_day(db, notify)
        rows = load_gainers(db, day, count)
        found = find_mainlines(db, day, top=count)
    ranked = "\n".join(_format_gainer(at, row) for at, row in enumerate(rows, 1)) or "当天没有上涨的股票"
    fields = {"count": str(count), "gainers": ranked, "groups": _format_groups(found)}
    return _build_occasion(ws, GAINERS, fields, day, day.simulated, {"top": count}, found, notify)


def take_event_turn(
    ws: Workspace,
    occasion: Occasion,
    *,
    session: str = SESSION,
    model: str | None = None,
    write: Callable[[str], object] = lambda _: None,
    notify: Notify = drop_message,
) -> "Turn":
    """Take a turn on an event, and keep its report where the turn itself did not. Raises what a turn does.

    Main lines that were found are kept whatever a model made of them: as an observation, and with importance 2.
    """
    from ia.agent.turns import main_line_note, turn

    done = turn.take_turn(
        ws, occasion.body, session=session or SESSION, model=model, write=write, notify=notify, event=occasion.event
    )
    if occasion.found and occasion.found["lines"]:
        done.artifacts.append(
            main_line_note.save_main_lines(ws, occasion.found, done.session, lang=config.locale_lang(), actor="ia")[0]
        )
    if config.run_number() is None and f"notebook/{occasion.place}" not in done.artifacts and done.reply.strip():
        done.artifacts.append(_save_report(ws, occasion, done))
    return done


def _save_report(ws: Workspace, occasion: Occasion, done: "Turn") -> str:
    """Keep a reply as the day's report; inside a task's run that is the task's to do."""
    from ia.kernel import untrusted
    from ia.organs import notebook, sessions

    head = [f"event: {occasion.event}", f"turn: {done.id}", f"day: {occasion.day}"]
    head += ["prices: simulated"] if occasion.simulated else []
    text = "\n".join(["---", *head, "---", done.reply.strip(), ""])
    origins = next((list(said.origins) for said in reversed(sessions.load_history(ws, done.session))), [])
    if origins:  # the session has seen text from outside, and so may the reply have
        text = untrusted.sanitize_text(text, origins)
    return notebook.write_note(ws, occasion.place, text)


def _build_occasion(
    ws: Workspace,
    event: str,
    fields: Mapping[str, str],
    day: "MarketDay",
    simulated: bool,
    figures: Mapping[str, object],
    found: "Row | None" = None,
    notify: Notify = drop_message,
) -> Occasion:
    """Return an occasion. What `figures` and the day tell stands in the prompt as data too: no program reads words."""
    from ia.agent.prompt_format import format_figures
    from ia.faculties.skills import templates

    moment = clock.now().astimezone(clock.CHINA)
    stale = day.date != moment.date().isoformat() or not day.closed
    notes = []
    if stale:
        taken = "" if day.closed else f" {day.time[11:]}（盘中）"
        notes.append(f"【数据】行情只到 {day.date}{taken}，不是今天收盘的：以上数字是那时的（`ia sync daily` 同步）")
    if simulated:
        notes.append("【数据】行情是模拟的")
    told: Json = {"day": day.date, "stale": stale, "simulated": simulated, **figures}
    told |= {} if day.closed else {"time": day.time[11:]}
    notes.append(format_figures(told))
    data = "\n".join(notes)
    body = templates.fill_prompt(ws, *PROMPTS[event], {**fields, "data": data}, notify=notify)
    if not body.startswith("【") or notes[-1] not in body.split("\n"):
        body = f"{data}\n{templates.fill_prompt(ws, *PROMPTS[event], {**fields, 'data': ''})}"
    return Occasion(
        event=event,
        body=body,
        moment=moment,
        day=day.date,
        stale=stale,
        simulated=simulated,
        found=found,
    )


# the figures, as they stand in a prompt


def _format_gains(stand: "AccountStanding") -> str:
    """Return the gain of the day and in all, by currency."""
    parts = []
    for currency, purse in sorted(stand.account.purses.items()):
        pct = stand.day_pct.get(currency)
        today = f"{_format_money(purse.today)} {currency}{_format_bracketed_percent(pct)}"
        whole = f"，累计 {_format_money(purse.total)}" if purse.total is not None else ""
        equity = f"，权益 {purse.equity:,.2f}" if purse.equity is not None else "，权益未知（没有记入金）"
        on = f"（{purse.day} 的行情）" if purse.day and purse.day != clock.today("CN") else ""
        parts.append(today + on + whole + equity + describe_day_loss(pct, stand.limits, "zh"))
    return "；".join(parts) or "没有"


def _format_positions(stand: "AccountStanding") -> str:
    if not stand.account.positions:
        return "没有持仓"
    lines = [_format_position(each, stand) for each in stand.account.positions]
    return "\n" + "\n".join([*lines, *(f"- {symbol} 冷却到 {until}" for symbol, until in stand.cooling)])


def _format_position(each: "Position", stand: "AccountStanding") -> str:
    """Return a position in a line: price, gain of the day, cost, profit, weight, and which rule it breaks."""
    limits = stand.limits
    head = f"- {each.symbol} {plain_name(each.name)}".rstrip()
    if each.price is None:
        return f"{head}：{format_number(each.quantity)} 股，没有行情"
    change = None
    if each.price.previous:
        change = (each.price.price / each.price.previous - 1) * 100
    told = [
        f"{format_number(each.quantity)} 股（可卖 {format_number(each.sellable)}）",
        f"现价 {each.price.price}",
        f"今日 {_format_percent(change)}（{_format_money(each.today)}）",
        f"成本 {each.average}",
        f"浮动 {_format_percent(each.unrealized_pct)}（{_format_money(each.unrealized)}）",
        f"仓位 {_format_percent(each.weight if each.limit_weight is None else each.limit_weight, sign='')}",
    ]
    if each.price.date != clock.today("CN"):
        told.append(f"行情 {each.price.date}")
    if each.unrealized_pct is not None and each.unrealized_pct <= -limits.stop_loss_pct:
        told.append(f"止损提醒：{each.unrealized_pct:+.2f}% <= -{format_number(limits.stop_loss_pct)}%")
    if each.limit_weight is not None and each.limit_weight > limits.position_pct:
        told.append(f"仓位超限：{each.limit_weight:.1f}% > {format_number(limits.position_pct)}%")
    return f"{head}：" + "，".join(told)


def _format_count(number: int | None) -> str:
    return "未知" if number is None else str(number)


def _format_market(found: "Row", lines: str) -> str:
    whole = found["boards"][0]
    told = [
        f"{found['date']} 全市场 {whole['count']} 只：涨 {whole['up']} 跌 {whole['down']} 平 {whole['flat']}",
        f"涨停 {_format_count(whole['limit_up'])} 跌停 {_format_count(whole['limit_down'])}，"
        f"停牌 {_format_count(found['suspended'])}",
        f"中位数 {_format_percent(whole['median_pct'])}，市值加权 {_format_percent(whole['weighted_pct'])}",
        f"成交额 {_format_yuan(found['amount'])}" + _format_amount_change(found),
        f"强：{_format_industries(found['industries_up'])}；弱：{_format_industries(found['industries_down'])}",
        lines,
    ]
    return "；".join(told)


def _format_amount_change(found: "Row") -> str:
    last, mean = found["amount_vs_last_pct"], found["amount_vs_mean_pct"]
    told = [] if last is None else [f"比前一日 {_format_percent(last)}"]
    told += [] if mean is None else [f"比 {found['mean_days']} 日均 {_format_percent(mean)}"]
    return f"（{'，'.join(told)}）" if told else ""


def _format_industries(rows: "Iterable[Row]") -> str:
    return (
        "、".join(f"{plain_name(row['name'])} {_format_percent(row['change_pct'])}" for row in list(rows)[:3]) or "无"
    )


def _format_main_lines(lines: "list[Row]") -> str:
    names = "、".join(f"{main_line_name(line)}（{line['hits']} 只上榜）" for line in lines)
    return f"主线：{names}" if names else "没有成形的主线"


def main_line_name(line: "Row") -> str:
    """Return a main line's name, made plain."""
    return plain_name(line["name"], 16)


def _format_gainer(at: int, row: "Row") -> str:
    industry = plain_name(row["industry"], 16)
    return f"{at}. {row['symbol']} {plain_name(row['name'])} {_format_percent(row['change_pct'])} {industry}".rstrip()


def _format_groups(found: "Row") -> str:
    if not found["lines"]:
        near = found["closest"]
        more = f"；最接近的是{_format_main_line(near)}" if near else ""
        return f"看了 {found['groups']} 个行业和概念，没有一个超出随机（显著性 {found['level']:g}）{more}"
    return "\n" + "\n".join(f"- {_format_main_line(line)}" for line in found["lines"])


def _format_main_line(line: "Row") -> str:
    leaders = "、".join(
        f"{row['symbol']} {plain_name(row['name'])} {_format_percent(row['change_pct'])}" for row in line["leaders"][:3]
    )
    same = "、".join(plain_name(name, 16) for name in line["with"][:3])
    return (
        f"{'行业' if line['kind'] == 'industry' else '概念'} {main_line_name(line)}{f'（同 {same}）' if same else ''}："
        f"上榜 {line['hits']}/{line['members']} 只（随机 {line['expected']:g}），"
        f"平均 {_format_percent(line['change_pct'])}，"
        f"超额 {_format_percent(line['excess_pct'])}，近 5 日日均超额 {_format_percent(line['excess_5d_pct'])}，"
        f"涨停 {_format_count(line['limit_up'])}，领涨 {leaders}"
    )


def _format_money(value: Decimal | None) -> str:
    return "未知" if value is None else f"{value:+,.2f}"


def _format_percent(value: object, sign: str = "+") -> str:
    return "未知" if value is None else f"{value:{sign}.2f}%"


def _format_bracketed_percent(value: Decimal | None) -> str:
    return "" if value is None else f"（{value:+.2f}%）"


def _format_yuan(value: float | None) -> str:
    if value is None:
        return "未知"
    return f"{value / 1e12:.2f} 万亿" if value >= 1e12 else f"{value / 1e8:,.0f} 亿"
