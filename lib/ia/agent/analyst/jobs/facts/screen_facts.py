"""Questions for stocks that meet conditions: words become the columns, bounds and order of a screen."""

import re
from typing import NamedTuple

from ia.agent.analyst.ask.facts import FactQuestion, market_table
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.organs.market.screen_columns import column_title

SHOWN = 8


class ScreenColumn(NamedTuple):
    """A column of a screen: the words for it, its name there, its unit, and whether its bounds are per cent."""

    words: str
    name: str
    unit: str
    percent: bool = False


COLUMNS = (
    ScreenColumn(r"滚动市盈率|pe[_ ]?ttm|ttm p/?e", "pe_ttm", "ratio"),
    ScreenColumn(r"市盈率|(?<![a-z])p/?e(?![a-z])", "pe", "ratio"),
    ScreenColumn(r"市净率|(?<![a-z])p/?b(?![a-z])", "pb", "ratio"),
    ScreenColumn(r"净资产收益率|(?<![a-z])roe(?![a-z])", "roe", "percent_plain", True),
    ScreenColumn(r"流通市值|float cap", "float_cap", "money"),
    ScreenColumn(r"总?市值|market cap(?:itali[sz]ation)?|largest|biggest|smallest", "market_cap", "money"),
    ScreenColumn(r"换手率?|turnover", "turnover", "percent_plain", True),
    ScreenColumn(r"毛利率|gross margin", "gross_margin", "percent_plain", True),
    ScreenColumn(r"净利率|net margin", "net_margin", "percent_plain", True),
    ScreenColumn(r"负债率|debt ratio", "debt_ratio", "percent_plain", True),
    ScreenColumn(r"营收增[长速]|收入增[长速]|revenue growth", "revenue_yoy", "percent", True),
    ScreenColumn(r"(?:净?利润|业绩)增[长速]|(?:profit|earnings) growth", "profit_yoy", "percent", True),
    ScreenColumn(r"股息率|分红率|dividend yield", "dividend_yield", "percent_plain", True),
    ScreenColumn(r"股价|价格|\bprice", "price", "price"),
    ScreenColumn(r"涨幅|涨跌幅|\bchange\b|\bup\b", "change", "percent", True),
)
_BELOW = r"低于|小于|不到|少于|以下|不超过|(?<![a-z])<=?|\bbelow\b|\bunder\b|\bless than\b|\blower than\b|\bat most\b"
_ABOVE = (
    r"高于|大于|超过|多于|以上|不低于|至少|(?<![a-z])>=?|\babove\b|\bover\b|\bmore than\b|\bhigher than\b|\bat least\b"
)
_LOWEST = re.compile(r"最(?:低|小|少|便宜)|\b(?:lowest|smallest|cheapest|least)\b", re.I)
_HIGHEST = re.compile(r"最(?:高|大|多|贵)|\b(?:highest|largest|biggest|most)\b", re.I)
_TOP = re.compile(rf"\btop {COUNT}\b.*\bby\b|前{COUNT}", re.I)
_NUMBER = rf"(?P<n>{COUNT})\s*(?P<unit>%|倍|元|块|亿元?|万元?|billion|bn|million)?(?:的)?"
_SECOND = _NUMBER.replace("?P<n>", "?P<n2>").replace("?P<unit>", "?P<unit2>")
_COUNTED = re.compile(rf"(?P<n>{COUNT})\s*(?:只|家|个|支)|\b(?:top|the) (?P<m>{COUNT})\b", re.I)
_FILLERS = re.compile(
    r"的?股(?:票)?(?:里面|里|当中|中)的?|是谁|是哪(?:一?只|家|个)|的?股票|有哪些|哪些|有没有|哪几只|帮我|给我|请|找一?[下些]?|筛选?|选出|列出|一下|排名|看看|个股|公司|股票|的股?|股|是什么|是|现在|目前|今天|[并且和，,。？?！!、\s]"
    r"|\b(?:find|list|screen|show|me|which|what|are|the|all|with|stocks?|shares?|compan(?:y|ies)|have|has|a|an|of|by|and|in|for|is|there|any|top|now|today|by)\b|[-.'’\"“”]",
    re.I,
)


class ScreenWish(NamedTuple):
    """Conditions of a screen, the column that orders it, how many rows, and what was not understood."""

    conditions: list[str]
    columns: list[ScreenColumn]
    sort: str
    ascending: bool
    limit: int
    rest: str


def parse_wish(words: str) -> ScreenWish:
    """Return the screen that a question means.

    >>> wish = parse_wish("PE低于10的银行股有哪些")
    >>> wish.conditions, wish.rest
    (['pe > 0', 'pe < 10'], '银行')
    >>> wish = parse_wish("市值最大的五只股票")
    >>> wish.sort, wish.ascending, wish.limit, wish.rest
    ('market_cap', False, 5, '')
    """
    rest, sort, ascending = words, "", False
    conditions: list[str] = []
    columns: list[ScreenColumn] = []
    for column in COLUMNS:
        for sign, bound in (("<", _BELOW), (">", _ABOVE)):
            form = rf"(?:{column.words})\s*(?:是|为|在|of|is)?\s*(?:(?:{bound})\s*{_NUMBER}|{_SECOND}\s*(?:{bound}))"
            found = re.search(form, rest, re.I)
            if found is None:
                continue
            value = _value_of(found["n"] or found["n2"], found["unit"] or found["unit2"] or "", percent=column.percent)
            if value is None:
                continue
            if sign == "<" and column.name.startswith(("pe", "pb")):
                conditions.append(f"{column.name} > 0")
            conditions.append(f"{column.name} {sign} {value}")
            columns.append(column)
            rest = rest[: found.start()] + " " + rest[found.end() :]
    low, high = _LOWEST.search(rest), _HIGHEST.search(rest) or _TOP.search(rest)
    if low or high:
        key = next((each for each in COLUMNS if re.search(each.words, rest, re.I)), None)
        if key is not None:
            sort, ascending = key.name, bool(low)
            columns.append(key)
            rest = re.sub(key.words, " ", rest, count=1, flags=re.I)
            rest = _HIGHEST.sub(" ", _LOWEST.sub(" ", rest))
            if ascending and key.name.startswith(("pe", "pb")):
                conditions.append(f"{key.name} > 0")
    counted = _COUNTED.search(rest)
    count = int(parse_count((counted["n"] or counted["m"]).casefold()) or SHOWN) if counted else SHOWN
    rest = _COUNTED.sub(" ", rest, count=1)
    return ScreenWish(conditions, columns, sort, ascending, count, _FILLERS.sub("", rest).strip())


def _value_of(said: str, unit: str, *, percent: bool) -> str | None:
    """Return a number as a screen writes it, with its unit."""
    value = parse_count(said.casefold())
    if value is None:
        return None
    if unit in ("%",) or percent:
        return f"{value:g}%"
    scale = {"亿": 1e8, "亿元": 1e8, "万": 1e4, "万元": 1e4, "billion": 1e9, "bn": 1e9, "million": 1e6}.get(unit, 1)
    scaled = value * scale
    return f"{scaled:.0f}" if scaled == int(scaled) else f"{scaled:.6g}"


def answer_screen(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which stocks meet conditions; ask back where a word of them was not understood."""
    speak = desk.speak
    if span := wording.other_day(asked, desk.request.day):
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    words = asked.words
    for known in asked.spans:
        words = words.replace(known.said, " ")
    wish = parse_wish(words)
    conditions = list(wish.conditions)
    if wish.rest:
        sectors = yield from desk.one("market.sectors", limit=50)
        names = (
            {str(row.get("name")) for key in ("best", "worst") for row in sectors.get(key) or []}
            if sectors.ok
            else set()
        )
        known_as = market_table(desk.tables).industries
        industry = next((each.name for each in known_as if each.words.fullmatch(wish.rest)), wish.rest)
        if industry not in names:
            return wording.ask_back(desk, (wish.rest if wish.rest in asked.words else asked.words,))
        conditions.append(f"industry = {industry}")
    if not conditions and not wish.sort:
        return wording.ask_back(desk, (asked.words,))
    found = yield from desk.one(
        "market.screen",
        expr=" and ".join(conditions) or f"{wish.sort} > 0 or {wish.sort} <= 0",
        limit=min(max(wish.limit, 1), 20),
        **({"sort": wish.sort, "ascending": wish.ascending} if wish.sort else {}),
    )
    if found.failure is not None:
        return wording.unreadable(desk, speak("the screen"), found.failure)
    rows = wording.rows_of(found, "stocks")
    shown = list(dict.fromkeys(wish.columns))
    lines = [
        f"- {wording.security_name(desk, str(row.get('symbol')), row.get('name'))} "
        + speak.join_items(
            [
                f"{speak(column_title(each.name))} {wording.say_value(desk, _cell(row, each.name), each.unit)}"
                for each in shown
            ]
        )
        for row in rows
    ]
    head = speak(
        "**{count} stocks** meet `{expr}` ({date}){mark}",
        count=found.get("met"),
        expr=" and ".join(conditions) or f"sort {wish.sort}",
        date=wording.result_day(found),
        mark=wording.simulated_mark(desk, found.get("simulated")),
    )
    if unknown := found.get("unknown"):
        lines.append(speak("Of {count} more a value is not known.", count=unknown))
    return reply_of_lines(head, *lines)


def _cell(row: dict[str, object], name: str) -> object:
    return row.get(name, row.get(f"{name}_pct"))
