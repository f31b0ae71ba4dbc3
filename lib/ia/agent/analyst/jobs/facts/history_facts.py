"""The owner's history: a position against an index, the longest held, the best month, the drawdown; commands."""

import re
from collections.abc import Iterable
from datetime import date

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.figures import find_averages
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import RANGE, TimeSpan, blank_spans
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name
from ia.agent.analyst.jobs.facts import (
    account_facts,
    bar_rows,
    holding_facts,
    journal_rows,
    performance_facts,
    result_facts,
    wording,
)
from ia.agent.analyst.say.outline import outline_at
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.organs.compute.indicators import example_call

SHOWN = 4


def answer_own_index(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether what is held of a security did better than an index since it was bought."""
    speak, lines = desk.speak, []
    yield from desk.load_tables("view")
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = wording.objects_of(status, "positions")
    for mention in [each for each in asked.securities if each.symbol.kind != "index"][:SHOWN]:
        position = held.get(mention.code)
        if position is None or position.get("unrealized_pct") is None:
            lines.append(speak("{name}: you hold none now, so there is nothing to compare.",
                               name=wording.head_of(desk, mention)))  # fmt: skip
            continue
        lines += yield from _compare_position(desk, asked, mention, position)
    return reply_of_lines(*lines)


def _compare_position(desk: ToolDesk, asked: FactQuestion, mention: Mention, position: Json) -> Work[list[str]]:
    """Return how a position did against an index into which the same money went on the same days."""
    speak, name = desk.speak, wording.head_of(desk, mention)
    rows, result = yield from journal_rows.load_trades(desk, mention)
    bought = journal_rows.purchases_of_held(rows)
    if result.failure is not None or not bought:
        return [speak("{name}: the journal has no purchase of it, so I cannot say since when.", name=name)]
    named = [each.code for each in asked.securities if each.symbol.kind == "index"]
    index = named[0] if named else str(outline_at(desk.tables).benchmarks.get(mention.symbol.market, ""))
    first, last = str(bought[0]["date"]), str(position.get("price_date") or desk.request.day)
    span = TimeSpan(kind=RANGE, said="", at=(0, 0), first=date.fromisoformat(first), last=date.fromisoformat(last))
    loaded = (yield from bar_rows.load_span_of(desk, index, span)) if index else None
    if loaded is None or isinstance(loaded, DeskResult):
        return [speak("No prices of {name} are at hand to compare with.", name=index or "–")]
    closes = [(row.date, row.close) for row in loaded.with_base]
    change = _follow_index(closes, bought, last)
    if change is None:
        return [speak("No prices of {name} are at hand to compare with.", name=index)]
    rate = float(position["unrealized_pct"])
    given: Json = {
        "name": name, "rate": wording.say_percent(rate), "change": wording.say_percent(change),
        "index": wording.name_alone(desk, index, ""), "gap": f"{abs(rate - change):.2f}", "first": first,
    }  # fmt: skip
    head = (
        speak("{name}: **ahead** of {index} by {gap} percentage points since {first}.", **given)
        if rate > change
        else speak("{name}: **behind** {index} by {gap} percentage points since {first}.", **given)
    )
    told = speak("Your position {rate} (fees included, dividends not), {index} {change} to {last}.", last=last, **given)
    if len(bought) > 1:
        told += " " + speak("The index is counted from each of {count} purchases.", count=len(bought))
    return [head, told + wording.simulated_mark(desk, loaded.simulated)]


def _follow_index(closes: list[tuple[str, float]], bought: list[Json], last: str) -> float | None:
    """Return what the money of purchases would have made in an index, in per cent; None without its closes."""
    then = [[close for day, close in closes if day <= str(row["date"])] for row in bought]
    now = [close for day, close in closes if day <= last]
    if not now or not all(then):
        return None
    paid = [float(row["quantity"]) * float(row["price"]) for row in bought]
    worth = sum(money * now[-1] / known[-1] for money, known in zip(paid, then, strict=True))
    return (worth / sum(paid) - 1) * 100


_NEWEST = pattern(r"最短|最晚|最近|最新|\b(?:shortest|newest|latest|most recent(?:ly)?|last)\b", re.I)


def answer_held_longest(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which holding has been held longest, or bought last."""
    speak = desk.speak
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = wording.objects_of(status, "positions")
    if not held:
        return reply_of_lines(speak("Nothing is held."))
    calls = [DeskCall("trade.list", {"symbol": symbol, "limit": holding_facts.LIMIT}) for symbol in held]
    listed = yield from desk.run(*calls)
    known, unknown = [], []
    for (symbol, position), result in zip(held.items(), listed, strict=True):
        bought = journal_rows.purchases_of_held(journal_rows.trades_of(result))
        name = wording.security_name(desk, symbol, position.get("name"))
        if bought:
            known.append((str(bought[0]["date"]), name))
        else:
            unknown.append(name)
    known.sort(reverse=bool(_NEWEST.search(asked.words)))
    told = [_say_held(desk, first, name) for first, name in known]
    lines = [f"**{told[0]}**"] if told else []
    if told[1:]:
        lines.append(speak("Then: {rest}.", rest=speak.join_clauses(told[1 : SHOWN + 1])))
    if unknown:
        lines.append(speak("Not known of: {names}.", names=speak.join_items(unknown)))
    return reply_of_lines(*lines)


def _say_held(desk: ToolDesk, first: str, name: str) -> str:
    days = (date.fromisoformat(desk.request.day) - date.fromisoformat(first)).days
    counted = desk.speak(PluralText("{count} day", "{count} days"), count=days)
    return desk.speak("{name} since {date} ({days})", name=name, date=first, days=counted)


def answer_best_months(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer in which month the account did best and worst."""
    loaded = yield from performance_facts.load_performance(desk, asked, by="month")
    if isinstance(loaded, Reply):
        return loaded
    (result, _), speak, lines = loaded, desk.speak, []
    for name, account in performance_facts.accounts_of(desk, result):
        risk: Json = account.get("risk") or {}
        best, worst = risk.get("best_month"), risk.get("worst_month")
        if not isinstance(best, dict) or not isinstance(worst, dict):
            lines.append(speak("{name}: not known ({reason})", name=name, reason="–"))
            continue
        high, low = performance_facts.say_fraction(best["frac"]), performance_facts.say_fraction(worst["frac"])
        told = [
            speak("best month **{month}** {rate}", month=best["day"], rate=high),
            speak("worst month **{month}** {rate}", month=worst["day"], rate=low),
        ]
        lines.append(f"{name}{speak(': ')}{speak.join_clauses(told)}")
    lines[0] += wording.simulated_mark(desk, result.get("simulated"))
    return reply_of_lines(*lines, speak("Time-weighted, of calendar months; `ia profit --by month` lists all."))


def answer_drawdown(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how far the account fell from its highest value, and when."""
    loaded = yield from performance_facts.load_performance(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    (result, label), speak = loaded, desk.speak
    told = []
    for name, account in performance_facts.accounts_of(desk, result):
        found = (account.get("risk") or {}).get("max_drawdown")
        if not isinstance(found, dict) or found.get("frac") is None:
            told.append(speak("not known ({name})", name=name))
            continue
        given: Json = {"rate": f"{float(found['frac']) * 100 or 0.0:.2f}", "name": name,
                       "peak": found.get("peak"), "trough": found.get("trough")}  # fmt: skip
        if not found.get("peak"):
            told.append(speak("{rate}% ({name})", **given))
        elif found.get("recovered"):
            told.append(speak("{rate}% ({name}), {peak} – {trough}, recovered on {day}", day=found["recovered"],
                              **given))  # fmt: skip
        else:
            told.append(speak("{rate}% ({name}), {peak} – {trough}, not recovered yet", **given))
    head = wording.fact_name(desk, asked.facts[0]) + (speak(" ({days})", days=label) if label else "")
    mark = wording.simulated_mark(desk, result.get("simulated"))
    if _NOW.search(asked.words):
        below = [
            speak("{rate}% ({name})", rate=f"{float(fall) * 100 or 0.0:.2f}", name=name)
            for name, account in performance_facts.accounts_of(desk, result)
            if (fall := (account.get("risk") or {}).get("below_high_frac")) is not None
        ]
        days = speak(" ({days})", days=label) if label else ""
        return reply_of_lines(
            speak("**Below the highest value{days}** {rates}{mark}", days=days,
                  rates=speak.join_clauses(below) or "–", mark=mark),
            speak("Largest drawdown:"),
            *(f"- {each}" for each in told),
        )  # fmt: skip
    return reply_of_lines(f"**{head}** {told[0] if told else '–'}{mark}", *(f"- {each}" for each in told[1:]))


_NOW = pattern(
    r"当前|现在|目前|[离距从].{0,6}(?:高点|峰值|顶部?)|\b(?:current(?:ly)?|now|at the moment)\b"
    r"|\b(?:from|below|off) (?:its|the|my|their) (?:peak|high|highest|top|maximum)\b",
    re.I,
)


_PERIODS = (
    ("weekly", pattern(r"周[Kk线]|每周|\bweekly\b", re.I)),
    ("monthly", pattern(r"月[Kk线]|每月|\bmonthly\b", re.I)),
)
_LATIN = pattern(r"[A-Za-z]{3,}")


def answer_command(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer a wish for a chart, a backtest or an export with the command that does it."""
    yield from desk.load_tables("figures")
    speak = desk.speak
    if asked.facts[0].field == "export":
        form = "beancount" if re.search("beancount", asked.words, re.I) else "csv"
        other = "csv" if form == "beancount" else "beancount"
        return reply_of_lines(
            speak("`ia trade export --format {form} > FILE` writes your trades and payments to a file; `--format"
                  " {other}` does it as {other}.", form=form, other=other)
        )  # fmt: skip
    if asked.facts[0].field == "backtest":
        return reply_of_lines(
            speak("Ask for a backtest alone: “backtest a 5/20 average cross on Moutai since 2020”; `ia backtest --help`"
                  " shows all forms.")
        )  # fmt: skip
    codes = [each.code for each in asked.securities]
    command = f"ia chart {codes[0]}" + (f" --with {','.join(codes[1:5])}" if codes[1:] else "")
    command += next((f" --period {name}" for name, form in _PERIODS if form.search(asked.words)), "")
    plain = strip_mentions(asked.words)
    averages, taken = find_averages(plain, desk.request.moment.date(), desk.tables)
    spans = [each for each in asked.spans if not any(each.at[0] < end and begin < each.at[1] for begin, end in taken)]
    span = spans[0] if len(spans) == 1 else None
    if span is not None and isinstance(span.first, date):
        command += f" --start {span.first}" + (f" --end {span.last}" if span.last else "")
    command += "".join(f" --indicator '{code}'" for code in averages)
    said = dict.fromkeys(each.casefold() for each in _LATIN.findall(asked.words) if example_call(each))
    panes = [each for each in said if not any(code.startswith(each) for code in averages)]
    command += f" --panes {','.join(panes)}" if panes else ""
    names = speak.join_items([display_name(desk, each) for each in asked.securities[:5]])
    return reply_of_lines(
        speak("`{command}` draws the chart of {names}; `-o FILE.svg` or `-o FILE.html` writes it to a file.",
              command=command, names=names)
    )  # fmt: skip


def answer_undo_trade(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer a wish to undo a trade: nothing is undone, and the command that voids the entry names it."""
    speak, lines = desk.speak, [desk.speak("Nothing was undone: only your command voids an entry of the journal.")]
    if numbers := entry_numbers(blank_days(asked.words, asked.spans)):
        return (yield from _name_entries(desk, numbers, lines))
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    codes = [each.code for each in asked.securities[:SHOWN]] or [""]
    found = yield from desk.run(*(DeskCall("trade.list", {"symbol": code, "limit": LOOKED_AT}) for code in codes))
    for code, result in zip(codes, found, strict=True):
        if result.failure is not None:
            return wording.unreadable(desk, speak("the journal"), result.failure)
        rows = account_facts.one_side(account_facts.entries_within(result.value, days), asked.words)
        if not (code or days) and _ANY_ENTRY.search(asked.words) and len(rows) == len(_trades_of(result)):
            newest = max((int(row.get("id") or 0) for row in wording.rows_of(result.value)), default=0)
            return (yield from _name_entries(desk, [newest], lines))
        if not rows:
            lines.append(speak("The journal has no such trade."))
            continue
        if days:
            lines += [
                speak(
                    "{id}: {name}, {told}. `ia trade void {id} --because WHY` voids it.",
                    id=row.get("id"),
                    name=wording.security_name(desk, str(row.get("symbol") or code), row.get("name")),
                    told=account_facts.say_trade(desk, row),
                )
                for row in rows[:SHOWN]
            ]
            continue
        last = max(rows, key=lambda row: int(row.get("id") or 0))
        lines.append(
            speak(
                "The last one entered is {id}: {name}, {told}. `ia trade void {id} --because WHY` voids it.",
                id=last.get("id"),
                name=wording.security_name(desk, str(last.get("symbol") or code), last.get("name")),
                told=account_facts.say_trade(desk, last),
            )
        )
    return reply_of_lines(*lines)


_SAID = rf"#?(?:{COUNT})(?:\s*(?:,|、|和|and|&)\s*#?(?:{COUNT}))*"
_ENTRY = pattern(
    rf"第\s*(?P<zh>{_SAID})\s*[号笔条]|(?<![\d.#])(?P<zh2>#?\d+(?:\s*[、和,]\s*\d+)*)\s*[号笔条]"
    r"|\b(?:trades?|entry|entries|transactions?|purchases?|sales?|records?)\s*(?:no\.?|numbers?|id)?\s*"
    r"(?P<en>#?\d+(?:\s*(?:,|and|&)\s*#?\d+)*)\b"
    r"|\b(?P<en2>\d+)(?:st|nd|rd|th) (?:trade|entry|transaction|record)\b",
    re.I,
)
"""An entry of the journal by its number."""


def entry_numbers(words: str) -> list[int]:
    """Return the numbers of the journal's entries that words name.

    >>> entry_numbers("Delete trade 13"), entry_numbers("把第十三笔删了"), entry_numbers("void my last trade")
    ([13], [13], [])
    >>> entry_numbers("delete trades 2 and 3")
    [2, 3]
    """
    said = [next(text for text in found.groups() if text) for found in _ENTRY.finditer(words)]
    counts = [parse_count(each) for text in said for each in re.findall(rf"{COUNT}", text)]
    return list(dict.fromkeys(int(count) for count in counts if count and count == int(count)))


def blank_days(words: str, spans: Iterable[TimeSpan]) -> str:
    """Return words without their dates: the 6 of 3月6号 is no number of an entry, those of 第6号 and 6号交易 are."""
    plain = strip_mentions(words)
    return blank_spans(plain, [span for span in spans if not _is_number(plain, span)])


_NUMBERED = pattern(r"\s*(?:的)?(?:交易|记录|条目|流水)")


def _is_number(plain: str, span: TimeSpan) -> bool:
    """Return True if words that may be a day are the number of an entry."""
    if plain[: span.at[0]].endswith("第"):
        return True
    return re.fullmatch(r"\d{1,2}号", span.said) is not None and _NUMBERED.match(plain, span.at[1]) is not None


_ANY_ENTRY = pattern(r"记录|条目|一条|\b(?:entry|record|line)\b", re.I)
"""An entry of any kind: a payment, too."""


def _trades_of(result: DeskResult) -> list[Json]:
    return account_facts.entries_within(result.value, [])


def _name_entries(desk: ToolDesk, numbers: list[int], lines: list[str]) -> Work[Reply]:
    """Name the entries that are meant by their numbers, and the command that voids each."""
    speak, listed = desk.speak, (yield from desk.one("trade.list", limit=LOOKED_AT))
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    rows = listed.value if isinstance(listed.value, list) else []
    known = {int(row.get("id") or 0): row for row in rows if isinstance(row, dict)}
    trades = account_facts.entries_within(rows, [])
    for number in numbers[:SHOWN]:
        row = known.get(number) or next((each for each in rows if each.get("corrects") == number), None)
        if row is None:
            older = len(rows) >= LOOKED_AT and number < min(known)
            lines.append(
                speak("{id} is one of the older entries: `ia trade void {id} --because WHY` voids it.", id=number)
                if older
                else speak("The journal has no entry {id} that counts: `ia trade list` shows all.", id=number)
            )
            continue
        if row.get("id") != number:
            lines.append(
                speak("{id} was corrected: entry {other} stands in its place.", id=number, other=row.get("id"))
            )
        if row not in trades:
            told: Json = {"id": row.get("id"), "date": row.get("date"), "kind": speak(str(row.get("kind")))}
            lines.append(speak("{id}: {kind} of {date}. `ia trade void {id} --because WHY` voids it.", **told))
            continue
        lines.append(
            speak(
                "{id}: {name}, {told}. `ia trade void {id} --because WHY` voids it.",
                id=row.get("id"),
                name=wording.security_name(desk, str(row.get("symbol") or ""), row.get("name")),
                told=account_facts.say_trade(desk, row),
            )
        )
    return reply_of_lines(*lines)


LOOKED_AT = 200
"""Entries among which the last one is looked for."""


ANSWERS = {
    "undo": answer_undo_trade,
    "own_index": answer_own_index,
    "held_longest": answer_held_longest,
    "best_months": answer_best_months,
    "own_drawdown": answer_drawdown,
    "command": answer_command,
}
