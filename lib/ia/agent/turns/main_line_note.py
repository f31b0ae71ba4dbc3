"""Keeping the main lines of a day: as an observation that recall finds, and as a message that is never pruned."""

from ia.domain.instruments.groups import group_name
from ia.domain.instruments.symbols import security_name
from ia.kernel.i18n import Voice, mark_text
from ia.kernel.untrusted import plain_name
from ia.kernel.workspace import Workspace
from ia.organs import sessions
from ia.organs.market.market_reader import Row
from ia.organs.memory import change_rules

SESSION = "market"
LINE = mark_text(
    "- {name}: {hits} among the top ({expected} by chance), {limit_up} at the limit, {change_pct:+.2f} % on average,"
    " {excess_pct:+.2f} % over the market, ahead of it on {ahead_20d} of {days} days before;"
    " leaders: {leaders}; busiest: {busiest}"
)
_TURN = "mainline:"  # and the day: by this a second keeping finds the first


def save_main_lines(
    ws: Workspace, found: Row, session: str = SESSION, *, lang: str = "zh", actor: str = "user"
) -> tuple[str, int]:
    """Keep the main lines of a day; return the path of the observation and the number of the message.

    The observation stands under the day of the market. The message has importance 2. What was kept of that day before
    is replaced; where nothing changed, nothing is written.
    """
    sessions.check_id(session)
    told = format_main_lines(found, lang)
    path = f"{change_rules.OBSERVATIONS}/{found['date']}-mainline.md"
    with ws.lock():
        body = f"# {Voice(lang)('Main lines of the market')} {found['date']}\n\n{told}"
        ws.write(path, body, actor=actor, event="memory.observe")
        return path, _replace_message(ws, session, told, _TURN + found["date"])


def _replace_message(ws: Workspace, session: str, told: str, turn: str) -> int:
    """Return the message that says it, put in the place of what was said in this turn before."""
    before = [message for message in sessions.load_history(ws, session) if message.turn == turn]
    if before and before[-1].content == told:
        return before[-1].id
    if before:
        sessions.withdraw_messages(ws, before)
    return sessions.add_message(ws, session, "assistant", told, turn=turn, importance=2)


def _format_stock(stock: Row, lang: str) -> str:
    """Return name and symbol of a stock; the name is a feed's, and goes where turns read."""
    name = security_name(stock["symbol"], stock["name"], lang)
    return f"{plain_name(name)} {stock['symbol']}"


def format_main_lines(found: Row, lang: str) -> str:
    """Return the lines of a day in a few sentences, as they are kept: Markdown, in `zh` or `en`."""
    voice = Voice(lang)
    moment = found["date"] if found["closed"] else found["time"]
    head = "Main lines of {date} (of the top {top} gainers, source {source}):"
    out = [voice(head, date=moment, top=found["top"], source=found["source"])]
    for line in found["lines"]:
        name, *others = (plain_name(group_name(each, lang), 24) for each in (line["name"], *line["with"]))
        names = name + (f" ({', '.join(others)})" if others else "")
        leaders = ", ".join(f"{_format_stock(each, lang)} {each['change_pct']:+.2f} %" for each in line["leaders"])
        busiest = _format_stock(line["busiest"], lang)
        out.append(
            voice(
                LINE,
                name=names,
                hits=line["hits"],
                expected=line["expected"],
                limit_up=_format_count(line["limit_up"]),
                change_pct=line["change_pct"],
                excess_pct=line["excess_pct"],
                ahead_20d=line["ahead_20d"],
                days=line["days"],
                leaders=leaders,
                busiest=busiest,
            )
        )
    if found["simulated"]:
        out.append(voice("- the prices are simulated"))
    return "\n".join(out) + "\n"


def _format_count(number: int | None) -> str:
    return "–" if number is None else str(number)
