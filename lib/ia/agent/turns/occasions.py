"""Events of the day: the review after the close, and what rose most. Their prompts are filled from ledger and store.

The words are those of the design (seed 001, 3.2 and 10.1) and always Chinese, with the figures that a program needs in
a line of JSON (【数值】) before the question. The figures are what is stored, and where that is not today's, the prompt
says so. Names come from a feed: they are made plain before they stand in a prompt, and
nothing else of a feed gets there. Reasons of trades do not. So the whole prompt is ia's own, yet nobody's request: a
turn on it may look, calculate, note and observe, and whatever else it wants becomes a proposal.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.agent.turns.account_prompt import day_line, describe_breaches, describe_day_breaches, format_number
from ia.kernel import clock, config
from ia.kernel.errors import Notify, silent
from ia.kernel.outside import plain_name
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.agent.turns.turn import Turn
    from ia.organs.ledger.account import Position
    from ia.organs.ledger.whatif import Standing
    from ia.organs.market.reading import Day, Row

SESSION = "daily"
REVIEW, GAINERS = "每日复盘", "上涨股票监控"
TOP = 50
ASK_REVIEW = "今天已经收盘，是否需要操作？\n\n请分析：\n1. 持仓股票今日表现\n2. 是否需要调仓\n3. 明日操作建议"
ASK_GAINERS = "请分析市场主线，并将主线判断存入长期记忆。\n是否需要调整持仓或关注方向？"
PLACES = {REVIEW: "reports/daily", GAINERS: "reports/gainers"}


class Occasion(NamedTuple):
    """An event that a turn can be taken on.

    event     what stands behind 【事件】. body: what follows
    moment    now() in exchange time. day: the day of the figures, YYYY-MM-DD; stale: it is not today's
    found     what ia.organs.market.mainline found; only for GAINERS
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


def idle(moment: datetime | None = None) -> str:
    """Return why there is nothing to review now: `closed` (no trading day), `open` (before the close); "" to go on."""
    from ia.faculties.schedule.exchange import is_session

    here = (moment or clock.now()).astimezone(clock.CHINA)
    if not is_session("CN", here.date()):
        return "closed"
    return "open" if here.time() < clock.CLOSE["CN"] else ""


def daily_review(ws: Workspace, notify: Notify = silent) -> Occasion:
    """Return the review of the day. raises NotFound where no market was ever stored."""
    from ia.organs.ledger.journal import has_entries
    from ia.organs.market.mainline import mainlines
    from ia.organs.market.reading import latest, opened
    from ia.organs.market.summary import summary

    with opened(ws) as db:
        day = latest(db, notify)
        lines = mainlines(db, day)["lines"][:3]
        market = _market(summary(db, day), _main_lines(lines))
    figures: dict[str, Any] = {"main_lines": [{"name": line_name(line), "hits": line["hits"]} for line in lines]}
    if has_entries(ws.db):
        from ia.organs.ledger.whatif import assess_account
        from ia.wiring.ledger_prices import open_ledger

        stand = assess_account(open_ledger(ws))
        gained, held = _gained(stand), _held(stand)
        lang = config.locale_lang()
        figures |= {"positions": len(stand.account.positions), "breaches": describe_breaches(stand, lang)}
        figures |= {"day_breaches": describe_day_breaches(stand, lang)}
    else:
        stand, gained, held = None, "账本是空的", "没有持仓（`ia trade buy` 记第一笔）"
    simulated = day.simulated or bool(stand and stand.account.simulated)
    body = [f"【今日盈亏】{gained}", f"【持仓表现】{held}", f"【市场表现】{market}"]
    return _occasion(REVIEW, body, ASK_REVIEW, day, simulated, figures)


def top_gainers(ws: Workspace, count: int = TOP, notify: Notify = silent) -> Occasion:
    """Return what rose most, grouped. raises NotFound where no market was ever stored."""
    from ia.organs.market.mainline import mainlines
    from ia.organs.market.reading import gainers, latest, opened

    with opened(ws) as db:
        day = latest(db, notify)
        rows = gainers(db, day, count)
        found = mainlines(db, day, top=count)
    ranked = "\n".join(_gainer(at, row) for at, row in enumerate(rows, 1)) or "当天没有上涨的股票"
    body = [f"【涨幅前{count}】\n{ranked}", f"【分组结果】{_grouped(found)}"]
    return _occasion(GAINERS, body, ASK_GAINERS, day, day.simulated, {"top": count}, found)


def take(
    ws: Workspace,
    occasion: Occasion,
    *,
    session: str = SESSION,
    model: str | None = None,
    write: Callable[[str], object] = lambda _: None,
    notify: Notify = silent,
) -> "Turn":
    """Take a turn on an event, and keep its report where the turn itself did not. Raises what a turn does.

    Main lines that were found are kept whatever a model made of them: as an observation, and with importance 2.
    """
    from ia.agent.turns import mainline, turn

    done = turn.take(
        ws, occasion.body, session=session or SESSION, model=model, write=write, notify=notify, event=occasion.event
    )  # fmt: skip
    if occasion.found and occasion.found["lines"]:
        done.artifacts.append(mainline.keep(ws, occasion.found, done.session, lang=config.locale_lang(), actor="ia")[0])
    if config.run() is None and f"notebook/{occasion.place}" not in done.artifacts and done.reply.strip():
        done.artifacts.append(_report(ws, occasion, done))
    return done


def _report(ws: Workspace, occasion: Occasion, done: "Turn") -> str:
    """Keep a reply as the day's report; inside a task's run that is the task's to do."""
    from ia.kernel import outside
    from ia.organs import notebook, sessions

    head = [f"event: {occasion.event}", f"turn: {done.id}", f"day: {occasion.day}"]
    head += ["prices: simulated"] if occasion.simulated else []
    text = "\n".join(["---", *head, "---", done.reply.strip(), ""])
    origins = next((list(said.origins) for said in reversed(sessions.history(ws, done.session))), [])
    if origins:  # the session has seen text from outside, and so may the reply have
        text = outside.untrusted(text, origins)
    return notebook.write(ws, occasion.place, text)


def _occasion(
    event: str,
    body: list[str],
    ask: str,
    day: "Day",
    simulated: bool,
    figures: dict[str, Any],
    found: "Row | None" = None,
) -> Occasion:
    """Return an occasion. What `figures` and the day tell stands in the prompt as data too: no program reads words."""
    from ia.agent.prompt_format import format_figures

    moment = clock.now().astimezone(clock.CHINA)
    stale = day.date != moment.date().isoformat() or not day.closed
    notes = []
    if stale:
        taken = "" if day.closed else f" {day.time[11:]}（盘中）"
        notes.append(f"【数据】行情只到 {day.date}{taken}，不是今天收盘的：以上数字是那时的（`ia sync daily` 同步）")
    if simulated:
        notes.append("【数据】行情是模拟的")
    told: dict[str, Any] = {"day": day.date, "stale": stale, "simulated": simulated, **figures}
    told |= {} if day.closed else {"time": day.time[11:]}
    notes.append(format_figures(told))
    if config.locale_lang() == "en":
        ask += "\n(Answer in English.)"
    return Occasion(event, "\n".join([*body, *notes, ask]), moment, day.date, stale, simulated, found)


# the figures, as they stand in a prompt


def _gained(stand: "Standing") -> str:
    """Return the gain of the day and in all, by currency."""
    parts = []
    for currency, purse in sorted(stand.account.purses.items()):
        pct = stand.day_pct.get(currency)
        today = f"{_money(purse.today)} {currency}{_in_brackets(pct)}"
        whole = f"，累计 {_money(purse.total)}" if purse.total is not None else ""
        equity = f"，权益 {purse.equity:,.2f}" if purse.equity is not None else "，权益未知（没有记入金）"
        on = f"（{purse.day} 的行情）" if purse.day and purse.day != clock.today("CN") else ""
        parts.append(today + on + whole + equity + day_line(pct, stand.limits, "zh"))
    return "；".join(parts) or "没有"


def _held(stand: "Standing") -> str:
    if not stand.account.positions:
        return "没有持仓"
    lines = [_position(each, stand) for each in stand.account.positions]
    return "\n" + "\n".join([*lines, *(f"- {symbol} 冷却到 {until}" for symbol, until in stand.cooling)])


def _position(each: "Position", stand: "Standing") -> str:
    """Return a position in a line: price, gain of the day, cost, profit, weight, and which rule it breaks."""
    limits = stand.limits
    head = f"- {each.symbol} {plain_name(each.name)}".rstrip()
    if each.price is None:
        return f"{head}：{format_number(each.quantity)} 股，没有行情"
    change = None
    if each.price.previous:
        change = (each.price.price / each.price.previous - 1) * 100
    told = [
        f"{format_number(each.quantity)} 股（可卖 {format_number(each.sellable)}）", f"现价 {each.price.price}",
        f"今日 {_percent(change)}（{_money(each.today)}）", f"成本 {each.average}",
        f"浮动 {_percent(each.unrealized_pct)}（{_money(each.unrealized)}）", f"仓位 {_percent(each.weight, sign='')}",
    ]  # fmt: skip
    if each.price.date != clock.today("CN"):
        told.append(f"行情 {each.price.date}")
    if each.unrealized_pct is not None and each.unrealized_pct <= -limits.stop_loss_pct:
        told.append(f"止损提醒：{each.unrealized_pct:+.2f}% <= -{format_number(limits.stop_loss_pct)}%")
    if each.weight is not None and each.weight > limits.position_pct:
        told.append(f"仓位超限：{each.weight:.1f}% > {format_number(limits.position_pct)}%")
    return f"{head}：" + "，".join(told)


def _count(number: int | None) -> str:
    return "未知" if number is None else str(number)


def _market(found: "Row", lines: str) -> str:
    whole = found["boards"][0]
    told = [
        f"{found['date']} 全市场 {whole['count']} 只：涨 {whole['up']} 跌 {whole['down']} 平 {whole['flat']}",
        f"涨停 {_count(whole['limit_up'])} 跌停 {_count(whole['limit_down'])}，停牌 {_count(found['suspended'])}",
        f"中位数 {_percent(whole['median_pct'])}，市值加权 {_percent(whole['weighted_pct'])}",
        f"成交额 {_yuan(found['amount'])}" + _compared(found),
        f"强：{_industries(found['industries_up'])}；弱：{_industries(found['industries_down'])}",
        lines,
    ]  # fmt: skip
    return "；".join(told)


def _compared(found: "Row") -> str:
    last, mean = found["amount_vs_last_pct"], found["amount_vs_mean_pct"]
    told = [] if last is None else [f"比前一日 {_percent(last)}"]
    told += [] if mean is None else [f"比 {found['mean_days']} 日均 {_percent(mean)}"]
    return f"（{'，'.join(told)}）" if told else ""


def _industries(rows: "Iterable[Row]") -> str:
    return "、".join(f"{plain_name(row['name'])} {_percent(row['change_pct'])}" for row in list(rows)[:3]) or "无"


def _main_lines(lines: "list[Row]") -> str:
    names = "、".join(f"{line_name(line)}（{line['hits']} 只上榜）" for line in lines)
    return f"主线：{names}" if names else "没有成形的主线"


def line_name(line: "Row") -> str:
    """Return a main line's name, made plain."""
    return plain_name(line["name"], 16)


def _gainer(at: int, row: "Row") -> str:
    industry = plain_name(row["industry"], 16)
    return f"{at}. {row['symbol']} {plain_name(row['name'])} {_percent(row['change_pct'])} {industry}".rstrip()


def _grouped(found: "Row") -> str:
    if not found["lines"]:
        near = found["closest"]
        more = f"；最接近的是{_line(near)}" if near else ""
        return f"看了 {found['groups']} 个行业和概念，没有一个超出随机（显著性 {found['level']:g}）{more}"
    return "\n" + "\n".join(f"- {_line(line)}" for line in found["lines"])


def _line(line: "Row") -> str:
    leaders = "、".join(
        f"{row['symbol']} {plain_name(row['name'])} {_percent(row['change_pct'])}" for row in line["leaders"][:3]
    )
    same = "、".join(plain_name(name, 16) for name in line["with"][:3])
    return (
        f"{'行业' if line['kind'] == 'industry' else '概念'} {line_name(line)}{f'（同 {same}）' if same else ''}："
        f"上榜 {line['hits']}/{line['members']} 只（随机 {line['expected']:g}），平均 {_percent(line['change_pct'])}，"
        f"超额 {_percent(line['excess_pct'])}，近 5 日日均超额 {_percent(line['excess_5d_pct'])}，"
        f"涨停 {_count(line['limit_up'])}，领涨 {leaders}"
    )


def _money(value: Decimal | None) -> str:
    return "未知" if value is None else f"{value:+,.2f}"


def _percent(value: Any, sign: str = "+") -> str:
    return "未知" if value is None else f"{value:{sign}.2f}%"


def _in_brackets(value: Decimal | None) -> str:
    return "" if value is None else f"（{value:+.2f}%）"


def _yuan(value: float | None) -> str:
    if value is None:
        return "未知"
    return f"{value / 1e12:.2f} 万亿" if value >= 1e12 else f"{value / 1e8:,.0f} 亿"
