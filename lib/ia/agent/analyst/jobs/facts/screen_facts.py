"""Questions for stocks that meet conditions: the screen that is meant, and what it found in words."""

import re

from ia.agent.analyst.ask.facts import HELD_WORDS, WATCH, WATCH_WORDS, FactQuestion, industry_forms
from ia.agent.analyst.ask.screens import SHOWN, Bound, Group, ScreenColumn, ScreenWish, find_vague, parse_wish
from ia.agent.analyst.ask.technicals import AskedRank, AskedTechnical, take_indicators
from ia.agent.analyst.ask.time_spans import DAY, RANGE, SESSIONS, SINCE, TimeSpan, blank_spans
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name
from ia.agent.analyst.jobs.facts import group_facts, listed_figures, market_days, wording
from ia.agent.analyst.jobs.idea_questions import ranks_a_list
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.organs.market.screen_columns import column_title

MOST = 20
ALL = 100
"""Stocks over which a mean is taken, at most: what the tool returns."""
FEW = 5
"""Rows of an answer about one security: it, and those after it."""
_SHOWN_DAYS = 9
"""Stocks of an answer that tells the days of each."""
_SIGNS = {
    "<": mark_text("{column} below {value}"),
    "<=": mark_text("{column} at most {value}"),
    ">": mark_text("{column} above {value}"),
    ">=": mark_text("{column} at least {value}"),
}
BOARDS = {
    "main": mark_text("main board"),
    "chinext": mark_text("ChiNext"),
    "star": mark_text("STAR market"),
    "bse": mark_text("Beijing exchange"),
}


_HAPPENED = pattern(
    r"出现过?|发生过?|曾经?|触发过?|创了?|(?<=\s)过(?=\s|\Z)|收盘"
    r"|\b(?:hit|hits|hitting|mak(?:e|es|ing)|made|set|sets|setting|reach(?:es|ed|ing)?)\b"
    r"|\b(?:were|was|been|being|closed?|closing|showed|shown|saw|seen|ever|anytime|at any time|during|within)\b",
    re.I,
)
"""Words around a technical condition that change nothing of it."""


_PART = pattern(
    r"占(?:比|了|到|全部|总数|市场|的)*(?:是|有)?(?:多少|几成|百分之几|多大比例)?|比例(?:是|有)?(?:多少|多大)?|百分之几|几成"
    r"|\b(?:what |which )?(?:percentage|share|proportion|fraction|per ?cent) of(?: all| the)*"
    r"(?= (?:stocks|shares|companies))",
    re.I,
)
"""Asks how large a part of the stocks meets a condition."""


def _find_watched(desk: ToolDesk, words: str) -> Work[tuple[str, list[str], str]]:
    """Return the words without the name of a group, the codes that are watched, in that group, and the group."""
    watched = yield from desk.one("market.observe", of="watch")
    group = yield from group_facts.find_group(desk, words)
    if not group:
        return words, wording.names_of(watched.get("symbols")), ""
    form = re.compile(group_facts.name_form(group).pattern, re.I)
    codes = yield from group_facts.list_codes(desk, group)
    return form.sub(lambda found: " " * len(found[0]), words), codes, group


_BARE_SIZE = pattern(
    r"\W*(?:那|and )?(?:哪一?个(?:是)?最[大小]的?|最[大小]的?(?:是)?哪一?个"
    r"|which (?:one )?is (?:the )?(?:biggest|largest|smallest)(?: one)?)[呢啊]?\W*",
    re.I,
)
"""Asks for the largest of what it does not name."""


def answer_screen(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which stocks meet conditions; ask back where a word of them was not understood."""
    before = desk.request.before[-1:]
    if _BARE_SIZE.fullmatch(asked.words) or any(ranks_a_list(asked.words, each) for each in before):
        return wording.ask_back(desk, (asked.words,))
    words, among, group, held = asked.words, list[str](), "", asked.facts[0].field == "held"
    if held:
        words = HELD_WORDS.sub(lambda found: " " * len(found[0]), words)
    if asked.facts[0].of == WATCH:
        words = WATCH_WORDS.sub(lambda found: " " * len(found[0]), words)
        words, among, group = yield from _find_watched(desk, words)
        if not among:
            return reply_of_lines(desk.speak('Nothing is watched: "track 600519" puts a security on the list.'))
    if not (held or among) and any(form.search(asked.words) for form in ABROAD):
        return reply_of_lines(
            desk.speak("Only A-shares can be searched by conditions and ranked, no stocks of another market.")
        )
    yield from desk.load_tables("technicals", "technicals_more")
    words, technicals, rank = take_indicators(words, desk.tables)
    words = blank_spans(words, asked.spans) if not technicals else words
    stored = yield from load_industries(desk)
    universe = "held" if held else f"watch:{group}" if group else "watch" if among else "all"
    if rank:
        return (yield from _rank_stocks(desk, asked, words, rank, stored, universe))
    if technicals:
        left_out = tuple(mention.said for mention in asked.securities)
        scanned = yield from _scan(desk, asked, words, technicals, stored, universe)
        return wording.ask_back(desk, left_out) if left_out else scanned
    wish = parse_wish(words, industry_forms(words, stored, desk.tables))
    if vague := find_vague(wish.rest):
        return reply_of_lines(
            desk.speak("How much is “{words}”? Name a bound, such as “ROE above 15%” or “P/E below 20”.", words=vague)
        )
    if not wish.whole:
        return wording.ask_back(desk, (wish.rest if wish.rest and wish.rest in asked.words else asked.words,))
    if unknown := refuse_unknown(desk, wish, stored):
        return unknown
    told = say_conditions(desk, wish, [])
    listed = (yield from listed_figures.answer_listed(desk, asked, wish, among, told)) if held or among else None
    listed = listed or (wording.ask_back(desk, (" ".join(words.split()),)) if held else None)
    if listed := listed or (yield from _screen_moves(desk, asked, wish, among)):
        return listed
    return (yield from _screen_market(desk, asked, wish, among))


def _screen_market(desk: ToolDesk, asked: FactQuestion, wish: ScreenWish, among: list[str]) -> Work[Reply]:
    """Answer which stocks of the mainland meet the conditions of a screen; `among`: of these alone."""
    limit = ALL if wish.mean else min(max(FEW if wish.one else wish.limit, 1), MOST)
    what = wording.fact_name(desk, asked.facts[0])
    found, before, refused = yield from _run(desk, asked, wish, what, limit, "", among)
    if refused:
        return refused
    if "pe_ttm" in wish.expression() and not wording.rows_of(found, "stocks") and found.get("unknown"):
        other, before, refused = yield from _run(desk, asked, wish, what, limit, "pe", among)
        if not refused and wording.rows_of(other, "stocks"):
            found = other
    before += _say_apart(desk, asked)
    if wish.one or wish.ordered:
        desk.ranked += [str(row.get("symbol")) for row in wording.rows_of(found, "stocks")[:1]]
    if among:
        before.append(desk.speak("Of the {count} on your watch list:", count=len(among)))
    told = (_say_mean if wish.mean else _say_found)(desk, wish, found)
    wide = not (among or wish.industries or wish.mean or A_SHARES.search(asked.words))
    return reply_of_lines(*before, *told, *([desk.speak("A-shares alone are screened.")] if wide else []))


ABROAD = (
    pattern(
        r"美股|华尔街|纽约|\b(?:the us|us (?:stocks?|markets?|shares|equit\w+)|u\.s\.|american"
        r"|wall street|new york)(?!\w)|(?-i:\bUS\b)",
        re.I,
    ),
    pattern(r"港股|香港|\b(?:hong kong|hk)\b", re.I),
)
"""Markets that are not stored whole: the American and the one of Hong Kong."""
A_SHARES = pattern(r"(?<![a-z])a[- ]?(?:股|shares?\b|share\b)|沪深|两市|\bmainland\b|\bchinese\b", re.I)
"""Says itself that only A-shares are meant."""


def _say_apart(desk: ToolDesk, asked: FactQuestion) -> list[str]:
    """Return which securities a screen leaves out; [] for none."""
    names = desk.speak.join_items([display_name(desk, mention) for mention in asked.securities])
    return [desk.speak("Without {names}:", names=names)] if names else []


def load_industries(desk: ToolDesk) -> Work[list[str]]:
    """Return the names of the industries that are stored."""
    sectors = yield from desk.one("market.sectors", limit=50)
    return [str(row.get("name")) for key in ("best", "worst") for row in wording.rows_of(sectors, key)]


def refuse_unknown(desk: ToolDesk, wish: ScreenWish | Group, stored: list[str]) -> Reply | None:
    """Return the answer to a question for an industry that is not stored; None where all are."""
    unknown = [name for name in (*wish.industries, *wish.excluded) if name not in stored]
    if not (stored and unknown):
        return None
    return reply_of_lines(
        desk.speak(
            "No group “{word}” is stored. There are: {names}.",
            word=wording.industry_name(desk, unknown[0]),
            names=desk.speak.join_items([wording.industry_name(desk, each) for each in stored[:12]]),
        )
    )


def name_group(desk: ToolDesk, group: ScreenWish | Group) -> str:
    """Return a group of stocks in words; "" for all."""
    speak = desk.speak
    told = [wording.industry_name(desk, name) for name in group.industries]
    told += [speak("not {industry}", industry=wording.industry_name(desk, name)) for name in group.excluded]
    told += [speak(BOARDS[group.board])] if group.board else []
    told += [speak("no ST shares")] if group.st else []
    return speak.join_items(told)


def _scan(
    desk: ToolDesk,
    asked: FactQuestion,
    words: str,
    technicals: list[AskedTechnical],
    stored: list[str],
    universe: str,
) -> Work[Reply]:
    """Answer which stocks meet technical conditions, with the conditions of a screen beside them."""
    speak = desk.speak
    spans = [span for span in asked.spans if span.said and span.said in words.casefold()]
    if len(spans) == 1 and spans[0].kind in (DAY, RANGE, SINCE, SESSIONS):
        words = re.sub(re.escape(spans[0].said), " ", words, flags=re.I)
    asks_part, words = _PART.search(words), _PART.sub(" ", _HAPPENED.sub(" ", words))
    wish = parse_wish(words, industry_forms(words, stored, desk.tables))
    if wish.rest or wish.mean:
        said = wish.rest if wish.rest and wish.rest in asked.words else asked.words
        return wording.ask_back(desk, (said,))
    screened = bool(wish.bounds or wish.industries or wish.excluded or wish.board or wish.st)
    given: Json = {"where": wish.expression()} if screened else {}
    if spans:
        return (yield from _scan_days(desk, asked, spans[0], technicals, wish, universe=universe, given=given))
    limit = ALL if wish.ordered and not wish.listed else min(max(wish.limit, 1), MOST)
    found = yield from desk.one(
        "market.scan",
        expr=" & ".join(f"({each.code})" for each in technicals),
        universe=universe,
        columns=[each.show for each in technicals],
        limit=limit,
        **given,
    )
    if not found.ok:
        assert found.failure is not None
        return wording.unreadable(desk, wording.fact_name(desk, asked.facts[0]), found.failure)
    rows, told = wording.rows_of(found, "stocks"), [speak.fill(each.name) for each in technicals]
    named = say_conditions(desk, wish, [])
    said = speak.join_items([*told, *([named] if named else [])])
    day, mark = wording.result_day(found), wording.simulated_mark(desk, found.get("simulated"))
    if not rows:
        return reply_of_lines(
            speak("**None** meets: {conditions} ({date}){mark}", conditions=said, date=day, mark=mark)
        )
    met = int(found.get("met") or 0)
    if wish.ordered and not wish.listed:
        return (yield from _order_met(desk, asked, wish, technicals, rows, met))
    lines = [_say_met(desk, met, said, day, mark)]
    if asks_part and found.get("looked"):
        whole = int(found.get("looked") or 0)
        lines.append(speak("That is **{part}** of the {count} looked at.", part=f"{met / whole:.1%}", count=whole))
    lines += [f"- {_name(desk, row)} {_technical_cells(desk, technicals, row)}" for row in rows]
    if met > len(rows):
        lines.append(speak("… and {count} more.", count=met - len(rows)))
    return reply_of_lines(*lines)


def _order_met(
    desk: ToolDesk, asked: FactQuestion, wish: ScreenWish, technicals: list[AskedTechnical], rows: list[Json], met: int
) -> Work[Reply]:
    """Answer which of the stocks that meet technical conditions have the most or the least of a figure."""
    if met > len(rows):
        return wording.ask_back(desk, (asked.words,))
    speak, codes = desk.speak, [str(row.get("symbol")) for row in rows]
    what, limit = wording.fact_name(desk, asked.facts[0]), min(max(FEW if wish.one else wish.limit, 1), MOST)
    found, before, refused = yield from _run(desk, asked, wish, what, limit, "", codes)
    if refused:
        return refused
    told = speak.join_items([speak.fill(each.name) for each in technicals])
    return reply_of_lines(*before, speak("{conditions}: {count}", conditions=told, count=met),
                          *_say_found(desk, wish, found))  # fmt: skip


def answer_part(desk: ToolDesk, codes: list[str], words: str) -> Work[Reply | None]:
    """Answer which of some stocks of the mainland meet the conditions of a text; None where a word is not read."""
    yield from desk.load_tables("technicals", "technicals_more", "facts_market")
    rest, technicals, rank = take_indicators(words, desk.tables)
    wish = parse_wish(rest, industry_forms(rest, (), desk.tables))
    limits = wish.bounds or wish.industries or wish.excluded or wish.board or technicals
    if rank or wish.rest or wish.mean or not limits or (wish.sort and technicals and not wish.listed):
        return None
    speak, count = desk.speak, len(codes)
    if technicals:
        found = yield from desk.one(
            "market.scan",
            expr=" & ".join(f"({each.code})" for each in technicals),
            where=wish.expression(among=codes),
            columns=[each.show for each in technicals],
            limit=ALL,
        )
    else:
        order: Json = {"sort": wish.sort, "ascending": wish.ascending} if wish.sort else {}
        found = yield from desk.one("market.screen", expr=wish.expression(among=codes), limit=MOST, **order)
    if found.failure is not None:
        return None
    rows, named = wording.rows_of(found, "stocks"), say_conditions(desk, wish, wording.rows_of(found, "stocks"))
    said = speak.join_items([*(speak.fill(each.name) for each in technicals), *([named] if named else [])])
    cells = [_technical_cells(desk, technicals, row) if technicals else _cells(desk, wish, row) for row in rows]
    told = [f"- {_name(desk, row)} {each}".rstrip() for row, each in zip(rows, cells, strict=True)]
    head = speak(
        "**{count} of the {all}** that the answer before names: {conditions} ({date}){mark}",
        count=len(rows),
        all=count,
        conditions=said,
        date=wording.result_day(found),
        mark=wording.simulated_mark(desk, found.get("simulated")),
    )
    unknown = int(found.get("unknown") or 0)
    more = [speak("Of {count} more a value is not known.", count=unknown)] if unknown else []
    return reply_of_lines(head, *told, *more)


def _rank_stocks(
    desk: ToolDesk, asked: FactQuestion, words: str, rank: AskedRank, stored: list[str], universe: str
) -> Work[Reply]:
    """Answer which stocks have the most or the least of an indicator, of those that meet a screen."""
    speak = desk.speak
    wish = parse_wish(words, industry_forms(words, stored, desk.tables))
    left = words.casefold()
    others = tuple(span.said for span in asked.spans if f"{span.first}" != desk.request.day and span.said in left)
    others += tuple(mention.said for mention in asked.securities)
    if wish.rest or wish.mean or (wish.sort and not wish.listed) or others:
        said = wish.rest if wish.rest and wish.rest in asked.words else asked.words
        return wording.ask_back(desk, others or (said,))
    screened = bool(wish.bounds or wish.industries or wish.excluded or wish.board or wish.st)
    found = yield from desk.one(
        "market.scan",
        expr=rank.code if rank.highest else f"-({rank.code})",
        universe=universe,
        limit=FEW if wish.one else min(max(wish.limit, 1), MOST),
        **({"where": wish.expression()} if screened else {}),
    )
    if found.failure is not None:
        return wording.unreadable(desk, wording.fact_name(desk, asked.facts[0]), found.failure)
    rows, name = wording.rows_of(found, "stocks"), speak.fill(rank.name)
    if not rows:
        return reply_of_lines(speak("That figure is not stored of any of them."))
    said, count = say_conditions(desk, wish, []), len(rows)
    order = (
        speak("The {count} with the highest {column}", count=count, column=name)
        if rank.highest
        else speak("The {count} with the lowest {column}", count=count, column=name)
    ) + (f"{speak(': ')}{said}" if said else "")
    desk.ranked += [str(rows[0].get("symbol"))]
    day, mark = wording.result_day(found), wording.simulated_mark(desk, found.get("simulated"))
    sign = 1 if rank.highest else -1
    told = [
        f"{_name(desk, row)} {wording.say_value(desk, sign * (wording.figure_of(row, 'value') or 0.0), rank.unit)}"
        for row in rows
    ]
    if wish.one:
        head = speak("**{name}** ({order}, {date}){mark}", name=told[0], order=name, date=day, mark=mark)
        return reply_of_lines(head, *(f"- {each}" for each in told[1:]))
    head = speak("**{order}** ({date}){mark}", order=order, date=day, mark=mark)
    return reply_of_lines(head, *(f"- {each}" for each in told))


def _scan_days(
    desk: ToolDesk,
    asked: FactQuestion,
    span: TimeSpan,
    technicals: list[AskedTechnical],
    wish: ScreenWish,
    *,
    universe: str,
    given: Json,
) -> Work[Reply]:
    """Answer which stocks met technical conditions on a day of a stretch of time, each with the days."""
    speak, what = desk.speak, wording.fact_name(desk, asked.facts[0])
    days = yield from market_days.find_stretch(desk, span)
    if days is None:
        return wording.refuse_time(desk, what, span, desk.request.day)
    found = yield from desk.one(
        "market.scan",
        expr=" & ".join(f"({each.code})" for each in technicals),
        universe=universe,
        since=days[0],
        until=days[-1],
        limit=ALL,
        **given,
    )
    if found.failure is not None:
        return wording.unreadable(desk, what, found.failure)
    named = say_conditions(desk, wish, [])
    said = speak.join_items([*(speak.fill(each.name) for each in technicals), *([named] if named else [])])
    mark = wording.simulated_mark(desk, found.get("simulated"))
    when = days[0] if days[0] == days[1] else speak("{first} to {last}", first=days[0], last=days[-1])
    rows = wording.rows_of(found, "stocks")
    if not rows:
        return reply_of_lines(
            speak("**None** meets: {conditions} ({date}){mark}", conditions=said, date=when, mark=mark)
        )
    met: dict[str, list[Json]] = {}
    for row in rows:
        met.setdefault(str(row.get("symbol")), []).append(row)
    count = int(found.get("securities") or len(met))
    if days[0] == days[1]:
        names = [_name(desk, each[0]) for each in met.values()]
        more = [speak("… and {count} more.", count=count - MOST)] if count > MOST else []
        return reply_of_lines(
            _say_met(desk, count, said, when, mark), speak.join_items(names[:MOST]), *more,
            *([speak("Figures of companies and groups are those of the newest day.")] if given else []),
        )  # fmt: skip
    shown = list(met.values())[:_SHOWN_DAYS]
    lines = [_say_met(desk, count, said, when, mark), *(f"- {_say_days(desk, each)}" for each in shown)]
    if count > len(shown):
        lines.append(speak("… and {count} more.", count=count - len(shown)))
    if given:
        lines.append(speak("Figures of companies and groups are those of the newest day."))
    return reply_of_lines(*lines)


def _say_days(desk: ToolDesk, rows: list[Json]) -> str:
    """Return a stock and the days on which it met a condition, the newest first."""
    days = [str(row.get("date")) for row in rows]
    listed = desk.speak.join_items(days[:FEW])
    more = desk.speak(" and {count} more days", count=len(days) - FEW) if len(days) > FEW else ""
    return f"{_name(desk, rows[0])} {listed}{more}"


def _technical_cells(desk: ToolDesk, technicals: list[AskedTechnical], row: Json) -> str:
    values = row.get("columns")
    shown = [
        f"{desk.speak.fill(each.label)} {wording.say_value(desk, values[each.show], each.unit)}"
        for each in {each.show: each for each in technicals}.values()
        if isinstance(values, dict) and each.label[0] and values.get(each.show) is not None
    ]
    return desk.speak.join_items([wording.say_value(desk, row.get("close"), "price"), *shown])


def _screen_moves(desk: ToolDesk, asked: FactQuestion, wish: ScreenWish, among: list[str]) -> Work[Reply | None]:
    """Answer which stocks moved by so much over a stretch of days; None for any other screen."""
    moves = [bound for bound in wish.bounds if bound.column.name == "change"]
    stretch = any(span.kind in (RANGE, SINCE, SESSIONS) for span in asked.spans)
    if not moves or not stretch or wish.mean:
        return None
    if asked.securities:
        return wording.ask_back(desk, tuple(mention.said for mention in asked.securities))
    rest = wish._replace(bounds=tuple(bound for bound in wish.bounds if bound not in moves), sort="")
    limited = bool(rest.bounds or rest.industries or rest.excluded or rest.board or rest.st or among)
    where: Json = {"where": rest.expression(among=among)} if limited else {}
    losers = any("<" in bound.sign and bound.number <= 0 for bound in moves)
    what = desk.speak("losers") if losers else desk.speak("gainers")
    found, before, refused = yield from market_days.load_asked_stretch(
        desk, asked, "market.gainers", what, limit=ALL, losers=losers, **where
    )
    if refused:
        return refused
    listed = wording.rows_of(found, "stocks")
    rows = [row for row in listed if all(_is_within(wording.figure_of(row, "change_pct"), bound) for bound in moves)]
    told = [desk.speak(_SIGNS[each.sign], column=desk.speak("change"), value=each.said) for each in moves]
    told += [named] if (named := say_conditions(desk, rest, rows)) else []
    said, when = desk.speak.join_items(told), market_days.say_stretch(desk, found)
    mark = wording.simulated_mark(desk, found.get("simulated"))
    if not rows:
        return reply_of_lines(
            *before,
            desk.speak("**None** meets: {conditions} ({date}){mark}", conditions=said, date=when, mark=mark),
        )
    lines = [*before, _say_met(desk, len(rows), said, when, mark)]
    lines += [f"- {_name(desk, row)} {wording.say_percent(row.get('change_pct'))}" for row in rows[:SHOWN]]
    if len(rows) > SHOWN:
        lines.append(desk.speak("… and {count} more.", count=len(rows) - SHOWN))
    if len(rows) == ALL:
        lines.append(desk.speak("Only the first {count} are counted.", count=ALL))
    return reply_of_lines(*lines)


def _is_within(value: float | None, bound: Bound) -> bool:
    """Return True if a figure keeps a bound."""
    if value is None:
        return False
    if "=" in bound.sign and value == bound.number:
        return True
    return value < bound.number if "<" in bound.sign else value > bound.number


def _say_mean(desk: ToolDesk, wish: ScreenWish, found: DeskResult) -> list[str]:
    """Return the mean and the median of a figure over the stocks that a screen found."""
    speak, rows = desk.speak, wording.rows_of(found, "stocks")
    column = next(each for each in wish.columns if each.name == wish.sort)
    values = sorted(float(value) for row in rows if isinstance(value := _cell(row, column), int | float))
    day, mark = wording.result_day(found), wording.simulated_mark(desk, found.get("simulated"))
    if not values or len(values) < int(found.get("met") or 0):
        return [speak("No mean can be computed of {column} ({date}).", column=_title(desk, column), date=day)]
    middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    said = say_conditions(desk, wish, rows)
    lines = [
        speak(
            PluralText(
                "**{column}: mean {mean}, median {median}** of {count} stock{which} ({date}){mark}",
                "**{column}: mean {mean}, median {median}** of {count} stocks{which} ({date}){mark}",
            ),
            column=_title(desk, column, rows[0]),
            mean=wording.say_value(desk, sum(values) / len(values), column.unit),
            median=wording.say_value(desk, middle, column.unit),
            count=len(values),
            which=speak(": {conditions}", conditions=said) if said else "",
            date=day,
            mark=mark,
        )
    ]
    lines += [f"- {_name(desk, row)} {_cells(desk, wish, row)}" for row in rows[:FEW]] if len(rows) <= FEW else []
    if wish.sort in ("pe_ttm", "pe", "pb"):
        lines.append(speak("Each counts alike; what makes a loss is left out."))
    if unknown := int(found.get("unknown") or 0):
        lines.append(speak("Of {count} more a value is not known.", count=unknown))
    return lines


def _run(
    desk: ToolDesk, asked: FactQuestion, wish: ScreenWish, what: str, limit: int, of: str, among: list[str]
) -> Work[market_days.DayAnswer]:
    sort = re.sub(r"\Ape_ttm\Z", of, wish.sort) if of else wish.sort
    apart = "".join(f" and symbol != {mention.code}" for mention in asked.securities)
    order: Json = {"sort": sort, "ascending": wish.ascending} if sort else {}
    return (
        yield from market_days.load_asked_day(
            desk, asked, "market.screen", what, expr=wish.expression(of, among) + apart, limit=limit, **order
        )
    )


def _say_found(desk: ToolDesk, wish: ScreenWish, found: DeskResult) -> list[str]:
    """Return what a screen found: how many and which, with the figures that were asked about."""
    speak, rows, lines = desk.speak, wording.rows_of(found, "stocks"), []
    day, mark = wording.result_day(found), wording.simulated_mark(desk, found.get("simulated"))
    said = say_conditions(desk, wish, rows)
    order = _say_order(desk, wish, rows)
    unknown = int(found.get("unknown") or 0)
    if not rows and unknown and not found.get("met"):
        names = speak.join_items([_title(desk, each) for each in wish.columns])
        return [
            speak(
                PluralText(
                    "{names}: not known of {count} stock, and none of the others fits ({date}).",
                    "{names}: not known of {count} stocks, and none of the others fits ({date}).",
                ),
                names=names,
                count=unknown,
                date=day,
            )
        ]
    if not rows:
        lines.append(
            speak("**None** meets: {conditions} ({date}){mark}", conditions=said or order, date=day, mark=mark)
        )
    elif wish.one:
        met_by = speak.join_items([*filter(None, (said, order))])
        what = speak("{order} ({date}){mark}", order=met_by, date=day, mark=mark)
        lines.append(f"**{_name(desk, rows[0])}** {what}{speak(': ')}{_cells(desk, wish, rows[0])}")
        rows = rows[1:]
    elif wish.ordered:
        what = _say_extreme(desk, wish, rows) + (f"{speak(': ')}{said}" if said else "")
        lines.append(speak("**{order}** ({date}){mark}", order=what, date=day, mark=mark))
    else:
        met = int(found.get("met") or 0)
        lines.append(_say_met(desk, met, said, day, mark) + (speak("; {order}", order=order) if met > 1 else ""))
    lines += [f"- {_name(desk, row)} {_cells(desk, wish, row)}" for row in rows]
    more = int(found.get("met") or 0) - len(wording.rows_of(found, "stocks"))
    if more > 0 and not wish.one and (not wish.ordered or (wish.bounds and wish.limit == SHOWN)):
        lines.append(speak("… and {count} more.", count=more))
    if unknown:
        lines.append(speak("Of {count} more a value is not known.", count=unknown))
    return lines


def _name(desk: ToolDesk, row: Json) -> str:
    return wording.security_name(desk, str(row.get("symbol")), row.get("name"))


def _cells(desk: ToolDesk, wish: ScreenWish, row: Json) -> str:
    return desk.speak.join_items(
        [f"{_title(desk, each, row)} {wording.say_value(desk, _cell(row, each), each.unit)}" for each in wish.columns]
    )


def _title(desk: ToolDesk, column: ScreenColumn, row: Json | None = None) -> str:
    """Return what a column is called; of a P/E that one which the rows have."""
    name = "pe" if column.name == "pe_ttm" and row is not None and "pe_ttm" not in row and "pe" in row else column.name
    return desk.speak("dynamic P/E") if name == "pe" else desk.speak(column_title(name))


def _cell(row: Json, column: ScreenColumn) -> object:
    value = row.get(column.name, row.get(f"{column.name}_pct"))
    return row.get("pe") if value is None and column.name == "pe_ttm" else value


def _say_met(desk: ToolDesk, count: int, conditions: str, day: str, mark: str) -> str:
    """Return how many stocks meet the conditions."""
    template = PluralText(
        "**{count} stock**: {conditions} ({date}){mark}", "**{count} stocks**: {conditions} ({date}){mark}"
    )
    return desk.speak(template, count=count, conditions=conditions, date=day, mark=mark)


def say_conditions(desk: ToolDesk, wish: ScreenWish, rows: list[Json]) -> str:
    """Return the conditions of a screen in words."""
    speak, first = desk.speak, rows[0] if rows else None
    told = [
        speak(
            _SIGNS[bound.sign],
            column=_title(desk, bound.column, first),
            value=bound.said or wording.say_money(desk, bound.number),
        )
        for bound in wish.bounds
    ]
    group = name_group(desk, wish)
    return speak.join_items([*told, *([group] if group else [])])


def _say_extreme(desk: ToolDesk, wish: ScreenWish, rows: list[Json]) -> str:
    """Return that these are the rows with the most or the least of a figure."""
    column = next(each for each in wish.columns if each.name == wish.sort)
    title, count = _title(desk, column, rows[0]), len(rows)
    if wish.ascending:
        return desk.speak("The {count} with the lowest {column}", count=count, column=title)
    return desk.speak("The {count} with the highest {column}", count=count, column=title)


def _say_order(desk: ToolDesk, wish: ScreenWish, rows: list[Json]) -> str:
    """Return the order of a screen in words."""
    column = next((each for each in wish.columns if each.name == wish.sort), None)
    if column is None:
        return ""
    title = _title(desk, column, rows[0] if rows else None)
    if wish.ascending:
        return desk.speak("lowest {column} first", column=title)
    return desk.speak("highest {column} first", column=title)
