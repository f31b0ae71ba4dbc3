"""A correction of the journal that is told in words: the entry that is meant, and the command that corrects it."""

import re
import shlex

from ia.agent.analyst.ask import intent
from ia.agent.analyst.ask.correction_words import ToldCorrection
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import LONGEST, Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.plain_words import fold_characters
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, find_time_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import account_facts, history_facts, result_facts, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 4
_LAST = pattern(r"最后|最近|上一?[笔次条]|刚[才刚]?|\b(?:last|latest|newest|most recent|just)\b", re.I)
_KINDS = (
    ("deposit", pattern(r"入金|存入|转入|存款|\bdeposit", re.I)),
    ("withdraw", pattern(r"出金|取出|转出|\bwithdr", re.I)),
    ("dividend", pattern(r"分红|股息|\bdividend", re.I)),
)
"""Kinds of entries other than trades, by the words for them."""


def correct(desk: ToolDesk, told: ToldCorrection) -> Work[Reply]:
    """Name the entry that a correction means and the command for it; of several, each."""
    speak, question = desk.speak, desk.request.question[:LONGEST]
    if not told.field:
        return reply_of_lines(
            speak("Is {value} the number of shares or the price? Say “… 200 shares” or “the price is 24.5”.",
                  value=f"{told.value:.10g}" if told.value is not None else "")
        )  # fmt: skip
    securities = intent.read_acts(desk.request).securities
    if told.text:
        question = fold_characters(question).replace(told.text, "")
        securities = find_mentions(question)
    spans = find_time_spans(strip_mentions(question), desk.request.moment.date())
    value = _say_value(told, securities)
    if told.field == "date":
        days = [span for span in spans if span.kind == DAY and span.first is not None]
        value, spans = (f"{days[-1].first}", [each for each in spans if each is not days[-1]]) if days else ("", spans)
    listed = yield from desk.one("trade.list", limit=history_facts.LOOKED_AT)
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    rows = wording.rows_of(listed.value)
    within = yield from result_facts.trade_days(
        desk,
        FactQuestion((), tuple(securities), question, tuple(each for each in spans if each.kind != UNREAD), ()),
    )
    meant = _find_entries(rows, question, {each.code for each in securities})
    on_days = [row for row in meant if any(f"{d.first}" <= str(row.get("date")) <= f"{d.last}" for d in within or ())]
    numbers = history_facts.entry_numbers(history_facts.blank_days(question, spans))
    if numbers:
        codes = {each.code for each in securities}
        numbered = [row for row in rows if int(row.get("id") or 0) in numbers]
        meant = on_days = [row for row in numbered if not codes or row.get("symbol") in codes]
    waiting = (yield from _find_waiting(desk)) if _LAST.search(question) and not numbers else []
    lines = [speak("Nothing is changed yet: only your command corrects an entry of the journal.")]
    if not meant:
        return reply_of_lines(*lines, speak("I find no such entry: `ia trade list` shows all, with their numbers."))
    if within and not on_days:
        lines.append(speak("There is no such entry of that day; the newest one is this:"))
    chosen = on_days or meant
    if (not on_days and within) or _LAST.search(question):
        chosen = [max(chosen, key=lambda row: int(row.get("id") or 0))]
    lines += [
        speak("Proposal {id} ({path}) waits and is not in the journal: `ia reject {id}` drops it; then say the trade"
              " again as it was.", id=row.get("proposal"), path=row.get("path"))
        for row in waiting[-1:]
    ]  # fmt: skip
    lines += [_say_correction(desk, row, told, value) for row in chosen[:SHOWN]]
    if len(chosen) > SHOWN:
        lines.append(speak("… and {count} more: `ia trade list`", count=len(chosen) - SHOWN))
    return reply_of_lines(*lines)


def _find_waiting(desk: ToolDesk) -> Work[list[Json]]:
    """Return the proposals of journal entries that wait for the owner, oldest first."""
    listed = yield from desk.one("proposals.list")
    return [row for row in wording.rows_of(listed, "proposals") if row.get("kind") == "trade"] if listed.ok else []


def _find_entries(rows: list[Json], words: str, codes: set[str]) -> list[Json]:
    """Return the entries of the kind, the side and the securities that words name, newest first."""
    kind = next((name for name, form in _KINDS if form.search(words)), "")
    found = (
        [row for row in rows if row.get("kind") == kind]
        if kind
        else account_facts.one_side(account_facts.entries_within(rows, []), words)
    )
    return [row for row in found if not codes or row.get("symbol") in codes]


def _say_value(told: ToldCorrection, securities: list[Mention]) -> str:
    """Return the new value as the command takes it; "" where it is not known."""
    if told.text:
        return shlex.quote(told.text)
    if told.size is not None and told.size.in_lots:
        shares = told.size.shares_of(securities[0].symbol) if securities else None
        return f"{shares:.10g}" if shares is not None else ""
    return f"{told.value:.10g}" if told.value is not None else ""


def _say_correction(desk: ToolDesk, row: Json, told: ToldCorrection, value: str) -> str:
    """Return an entry, and the command that corrects it."""
    speak = desk.speak
    if told.size is not None and told.size.in_lots and not value:
        shares = told.size.shares_of(symbol_of_kind(str(row.get("symbol") or "")))
        value = f"{shares:.10g}" if shares is not None else ""
    trade = row.get("kind") in ("buy", "sell")
    field = told.field if trade or told.field == "date" else "amount"
    given: Json = {"id": row.get("id"), "option": f"--{field}", "value": value or field.upper()}
    if not trade:
        return speak(
            "{id}: {kind} of {date}, {amount}. `ia trade correct {id} {option} {value} --because WHY` corrects it.",
            kind=speak(str(row.get("kind"))),
            date=row.get("date"),
            amount=wording.say_exact(desk, row.get("amount"), currency=str(row.get("currency") or "")),
            **given,
        )
    return speak(
        "{id}: {name}, {told}. `ia trade correct {id} {option} {value} --because WHY` corrects it.",
        name=wording.security_name(desk, str(row.get("symbol") or ""), row.get("name")),
        told=account_facts.say_trade(desk, row),
        **given,
    )
