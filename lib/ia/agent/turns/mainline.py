"""Keeping the main lines of a day: as an observation that recall finds, and as a message that is never pruned."""

from ia.kernel.outside import plain_name
from ia.kernel.workspace import Workspace
from ia.organs import sessions
from ia.organs.market.reading import Row
from ia.organs.memory import rules

SESSION = "market"
_TURN = "mainline:"  # and the day: by this a second keeping finds the first


def keep(
    ws: Workspace, found: Row, session: str = SESSION, *, lang: str = "zh", actor: str = "user"
) -> tuple[str, int]:
    """Keep the main lines of a day; return the path of the observation and the number of the message.

    The observation stands under the day of the market. The message has importance 2. What was kept of that day before
    is replaced; where nothing changed, nothing is written.
    """
    sessions.check_id(session)
    told = text(found, lang)
    path = f"{rules.OBSERVATIONS}/{found['date']}-mainline.md"
    with ws.lock():
        body = f"# {_title(lang)} {found['date']}\n\n{told}"
        ws.write(path, body, actor=actor, event="memory.observe")
        return path, _said(ws, session, told, _TURN + found["date"])


def _said(ws: Workspace, session: str, told: str, turn: str) -> int:
    """Return the message that says it, put in the place of what was said in this turn before."""
    before = [message for message in sessions.history(ws, session) if message.turn == turn]
    if before and before[-1].content == told:
        return before[-1].id
    if before:
        sessions.withdraw(ws, before)
    return sessions.add(ws, session, "assistant", told, turn=turn, importance=2)


def _who(stock: Row) -> str:
    """Return name and symbol of a stock; the name is a feed's, and goes where turns read."""
    return f"{plain_name(stock['name'])} {stock['symbol']}"


def _title(lang: str) -> str:
    return "市场主线" if lang == "zh" else "Main lines of the market"


def text(found: Row, lang: str) -> str:
    """Return the lines of a day in a few sentences, as they are kept: Markdown, in `zh` or `en`."""
    head, each_line, made_up = _ZH if lang == "zh" else _EN
    moment = found["date"] if found["closed"] else found["time"]
    out = [head.format(**{**found, "date": moment})]
    for line in found["lines"]:
        names = plain_name(line["name"]) + (f" ({', '.join(map(plain_name, line['with']))})" if line["with"] else "")
        leaders = ", ".join(f"{_who(each)} {each['change_pct']:+.2f} %" for each in line["leaders"])
        busiest = _who(line["busiest"])
        out.append(
            each_line.format(
                **{**line, "limit_up": _count(line["limit_up"]), "name": names, "leaders": leaders, "busiest": busiest}
            )
        )
    if found["simulated"]:
        out.append(made_up)
    return "\n".join(out) + "\n"


def _count(number: int | None) -> str:
    return "–" if number is None else str(number)


_ZH = (
    "{date} 市场主线是以下方向（涨幅前 {top} 名，来源 {source}）：",
    "- {name}：前列 {hits} 只（随机应有 {expected}），涨停 {limit_up} 只，平均涨跌 {change_pct:+.2f} %，"
    "超额 {excess_pct:+.2f} %，此前 {days} 日中 {ahead_20d} 日跑赢；领涨：{leaders}；成交最大：{busiest}",
    "- 行情是模拟的，并非真实数据",
)
_EN = (
    "Main lines of {date} (of the top {top} gainers, source {source}):",
    "- {name}: {hits} among the top ({expected} by chance), {limit_up} at the limit, {change_pct:+.2f} % on average,"
    " {excess_pct:+.2f} % over the market, ahead of it on {ahead_20d} of {days} days before;"
    " leaders: {leaders}; busiest: {busiest}",
    "- the prices are simulated",
)
