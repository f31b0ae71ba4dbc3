"""Short answers to questions for facts: the figure first, where it is from, and what was not understood."""

import re
from collections.abc import Callable, Generator
from dataclasses import replace
from datetime import date
from typing import Any

from ia.agent.analyst.ask.amounts import find_market_words
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import find_near_name, strip_mentions
from ia.agent.analyst.ask.screens import parse_bounds
from ia.agent.analyst.ask.time_spans import DAY, RANGE, TimeSpan
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import one_market, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.patterns import pattern

Answer = Callable[[ToolDesk, FactQuestion], Generator[Any, Any, Reply]]


READS_NUMBERS = (
    "term", "screen", "gainers", "calendar", "order_cost", "against_average", "size", "tasks", "day_count",
    "last_move", "growth",
    "extreme_day", "refuse", "from_extreme", "new_extreme", "level_crossing", "limit_hit", "volume_against",
    "own_stop", "what_if", "premise", "position_filter", "set_limit", "sellable", "trades_made", "what_if_all",
    "income", "sale_net", "average_in", "over_weight", "may_buy", "sizes", "each_stop", "decline",
    "command", "limits", "dates", "moved", "undo", "average_last", "price_converted", "rate", "trade_cost",
    "price_judged", "results_history", "figure_years", "line_pair", "average_cross", "condition_days",
    "note", "own_target", "to_level", "price_after",
    "howto", "cost_basis", "watched_since", "fee_rates", "actions", "dividend_years", "peer_rank",
    "figure_meaning", "purchase",
    "traded_sum", "alert_state", "dividend_tax", "traded_price", "daily_move", "day_story", "period_against",
    "part_of_account", "moved_by", "sell_down", "trades_above", "year_dividends",
    "bought_then",
    "rest_result", "setting", "share_ratio", "mean_move", "trade_facts", "stop", "sale_check", "trades",
    "moves", "stops_hit", "value_at_risk", "stop_within",
    "bands", "candles", "gaps", "lot", "back_above", "last_run", "after_report",
)  # fmt: skip
"""Sources whose answers read the numbers of a question themselves."""


_READS_COUNTS = ("gainers", "sectors")
"""Sources whose answers read how many are wanted."""


_LATELY = pattern(r"最近|近期|近来|近日|\b(?:lately|recently|of late)\b", re.I)
"""Days that nobody counted."""


_OF_DAYS = ("gainers", "screen", "level_crossing", "extreme_day", "new_extreme", "from_extreme", "limit_hit", "growth")
"""Sources that read numbers, but no times of their own."""


_POINTED = pattern(r"[这那]|(?:that|th[eo]se|this)\b", re.I)
"""A stretch of time that is only pointed at: that week, 那个月."""
_AMONG = pattern(r"其中|里面|当中|\bamong (?:them|these|those)\b", re.I)
"""Words that point at a list."""
_OF_ENTRIES = ("undo", "command", "howto", "cost_basis", "tasks", "inbox", "traded_price")
"""Sources that read what a question points at."""


_OF_TRADES = ("trades_made", "traded_sum", "trades_grouped", "purchases_now", "closed_positions", "turnover")
"""Sources that read the days of the journal, from its beginning."""


_OF_WATCH_LIST = ("watch", "watch_rank", "watch_list")
"""Sources that read the name of a group of the watch list."""


def answer_question(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Return the answer to a question for facts; a question back where a word that may change it was not understood."""
    markets = one_market.find_markets(asked)
    if not markets:
        return (yield from _answer_read(desk, asked))
    if not one_market.can_narrow(asked):
        return wording.ask_back(desk, find_market_words(asked.words))
    one_market.narrow_desk(desk, markets)
    try:
        left = one_market.drop_market_words(asked.left, markets)
        told = yield from _answer_read(desk, replace(one_market.drop_exception(asked), left=left))
    finally:
        desk.narrow = None
    if told.unread or not told.understood:
        return told
    notes = one_market.say_markets(desk, asked, markets)
    return told._replace(lines=[*told.lines, *notes], points=[*told.points, *notes])


def _answer_read(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    if asked.times and asked.answer in _OF_TRADES:
        asked, unread = _read_bounds(asked)
        if unread:
            return wording.ask_back(desk, unread)
    if asked.answer in ("stop", "own_stop") and asked.securities:
        from ia.agent.analyst.jobs import own_notes

        if own_notes.NOTED.search(asked.words):
            return (yield from own_notes.quote_target(desk, asked.securities[0], stop=True, spans=asked.spans))
    unread = tuple(word for word in asked.unread if asked.answer not in _READS_COUNTS or not word.isdigit())
    if asked.times and asked.answer in _OF_DAYS:
        return wording.ask_back(desk, asked.times)
    if among := tuple(word for word in unread if _AMONG.search(word)):
        return wording.ask_back(desk, among)  # a list that is not known here
    if asked.answer not in _OF_ENTRIES and (pointed := tuple(said for said in asked.times if _POINTED.match(said))):
        return wording.ask_back(desk, pointed)
    if asked.answer in _READS_COUNTS and _LATELY.search(asked.words):
        if not asked.spans:
            return reply_of_lines(desk.speak("Over which days: today, this week, or the last 20 days?"))
        asked = replace(asked, words=_LATELY.sub(lambda found: " " * len(found[0]), asked.words))
    unread = drop_bounds(asked, unread)
    if asked.answer == "position" or (asked.answer == "trade_facts" and asked.facts[0].field == "paid"):
        unread = yield from _check_held_size(desk, asked, unread)
        asked = replace(asked, unread=unread)
    if unread and asked.answer not in READS_NUMBERS:
        return wording.ask_back(desk, unread)
    if asked.left and asked.answer in _OF_WATCH_LIST:
        from ia.agent.analyst.jobs.facts import group_facts

        asked = replace(asked, left=(yield from group_facts.drop_group_words(desk, asked)))
    asked = replace(asked, left=wording.drop_own_currency(asked))
    if asked.left:
        if typed := [word for word in asked.left if find_near_name(word)[0]]:
            from ia.agent.analyst.jobs import small_talk

            return small_talk.ask_which(desk, typed)
        return wording.ask_back(desk, asked.left)
    asked = yield from _count_from_newest(desk, asked)
    return (yield from _find_answer(asked.answer)(desk, asked))


def drop_bounds(asked: FactQuestion, unread: tuple[str, ...]) -> tuple[str, ...]:
    """Return what was not read of a question for a figure, without the bounds that it is held against: below 1."""
    if asked.answer == "northbound":
        from ia.agent.analyst.jobs.facts import northbound_facts

        rest = northbound_facts.blank_numbers(asked.words)
        return tuple(word for word in unread if word in rest and wording.EACH_DAY.search(word) is None)
    if not unread or asked.answer not in ("quote", "report", "dividend_yield"):
        return unread
    rest, bounds = parse_bounds(strip_mentions(asked.words))
    return tuple(word for word in unread if not bounds or word in rest)


_SHARES_SAID = pattern(
    r"(?:[这那]|我(?:的[^\d，,。？?]{0,8}?)?|剩下?的?)(?P<n>\d[\d,]*)\s*股"
    r"|\b(?:my|those|the) (?P<m>\d[\d,]*)(?= shares\b| +(?=[\w ]*\bi sold\b)| {2})",
    re.I,
)


def _check_held_size(desk: ToolDesk, asked: FactQuestion, unread: tuple[str, ...]) -> Work[tuple[str, ...]]:
    """Return what was not read of a question for a position: its own size is read, another one is not.

    "my 100 shares of Tencent" is all of it where 100 are held; of a part of it no profit is told.
    """
    said = _SHARES_SAID.search(asked.words)
    if said is None or len(asked.securities) != 1:
        return unread
    size = (said["n"] or said["m"]).replace(",", "")
    if asked.facts[0].field == "realized":
        sales = yield from desk.one("account.history", symbol=asked.securities[0].code)
        sold = sum(float(row.get("quantity") or 0) for row in wording.rows_of(sales.value))
        return tuple(word for word in unread if word.replace(",", "") != size) if sold == float(size) else unread
    if asked.answer == "trade_facts":
        sales = yield from desk.one("account.history", symbol=asked.securities[0].code)
        if wording.rows_of(sales.value):
            return (*unread, said[0])  # more was bought than is held
    status = yield from desk.one("account.status")
    held = wording.objects_of(status, "positions").get(asked.securities[0].code)
    rest = tuple(word for word in unread if word.replace(",", "") != size)
    return rest if held is not None and float(held.get("size") or 0) == float(size) else (*rest, said[0])


def _read_bounds(asked: FactQuestion) -> tuple[FactQuestion, tuple[str, ...]]:
    """Return a question for trades with the times that end a stretch: the journal's beginning is known.

    Besides, the times that are still unread.
    """
    from ia.agent.analyst.jobs.facts.result_facts import BEGINNING

    spans = [replace(span, kind=RANGE, first=BEGINNING) for span in asked.ended]
    said = [span.said for span in spans]
    unread = tuple(time for time in asked.times if time not in said)
    kept = tuple(word for word in asked.unread if word not in asked.times)
    return replace(asked, spans=(*asked.spans, *spans), times=(), unread=kept), unread


def _count_from_newest(desk: ToolDesk, asked: FactQuestion) -> Work[FactQuestion]:
    """Return a question whose days that are counted back in sessions count from today.

    Readers count back from the newest bar, which is of today only after the close: before it, that bar is one back.
    """
    if not any(_is_counted_back(span) for span in asked.spans):
        return asked
    markets = {mention.symbol.market for mention in asked.securities}
    index = wording.CALENDARS.get(markets.pop() if len(markets) == 1 else "CN", wording.CALENDARS["CN"])
    bars = yield from desk.one("market.ohlcv", symbol=index, tail=1)
    newest = next((row[0] for row in wording.bars_of(bars)), "") if bars.ok else ""
    if not newest or newest >= desk.request.day:
        return asked
    day = date.fromisoformat(newest)
    spans = [
        span if not _is_counted_back(span)
        else replace(span, sessions=span.sessions - 1) if span.sessions > 1
        else replace(span, sessions=0, first=day, last=day)
        for span in asked.spans
    ]  # fmt: skip
    return replace(asked, spans=tuple(spans))


def _is_counted_back(span: TimeSpan) -> bool:
    return span.kind == DAY and span.first is None and span.sessions > 0


def _find_answer(name: str) -> Answer:
    """Return the function behind an answer of a table. Only what is needed is imported."""
    if name in ("quote", "report", "actions", "report_dates", "refuse"):
        from ia.agent.analyst.jobs.facts import security_facts

        return security_facts.ANSWERS[name]
    if name in (
        "premise",
        "relation",
        "stop",
        "levels",
        "streak",
        "day_count",
        "against_average",
        "order_cost",
        "trend",
    ):
        from ia.agent.analyst.jobs.facts import price_facts

        return price_facts.ANSWERS[name]
    if name in ("extreme_day", "from_extreme", "new_extreme", "level_crossing", "limit_hit", "drawdown"):
        from ia.agent.analyst.jobs.facts import extreme_facts

        return extreme_facts.ANSWERS[name]
    if name in (
        "move", "daily_list", "ranking", "growth", "volume_against", "against_sector"
    ):  # fmt: skip
        from ia.agent.analyst.jobs.facts import period_facts

        return period_facts.ANSWERS[name]
    if name in (
        "sales",
        "share_of_stocks",
        "costs",
        "account",
        "position",
        "trades",
        "traded_shares",
        "trades_made",
        "holdings_rank",
        "limits",
    ):
        from ia.agent.analyst.jobs.facts import account_facts

        return account_facts.ANSWERS[name]
    if (owned := _find_owner_answer(name)) is not None:
        return owned
    if name in ("dates", "news", "watch_news"):
        from ia.agent.analyst.jobs.facts import date_facts

        return date_facts.ANSWERS[name]
    if (lone := _find_lone_answer(name)) is not None:
        return lone
    if name == "dividend_years":
        from ia.agent.analyst.jobs.facts import dividend_facts

        return dividend_facts.answer_dividend_years
    if name in ("valuation", "dividend_yield", "peer_rank", "peers"):
        from ia.agent.analyst.jobs.facts import valuation_facts

        return valuation_facts.ANSWERS[name]
    if name in ("average_cross", "indicator_cross", "bands", "condition_days"):
        from ia.agent.analyst.jobs.facts import past_technicals, technical_facts

        return (past_technicals.ANSWERS | technical_facts.ANSWERS)[name]
    if name in ("price_judged", "results_history", "figure_years", "line_pair"):
        from ia.agent.analyst.jobs.facts import figure_years, judged_facts, line_pairs

        return (judged_facts.ANSWERS | figure_years.ANSWERS | line_pairs.ANSWERS)[name]
    if name in ("statement", "fundamentals"):
        from ia.agent.analyst.jobs.facts import fundamental_facts, statement_facts

        return fundamental_facts.answer_fundamentals if name == "fundamentals" else statement_facts.answer_statement
    if name == "screen":
        from ia.agent.analyst.jobs.facts import screen_facts

        return screen_facts.answer_screen
    from ia.agent.analyst.jobs.facts import market_facts

    return market_facts.ANSWERS[name]


def _find_lone_answer(name: str) -> Answer | None:
    """Return the function behind an answer that has a file of its own; None for another."""
    if name in ("tasks", "proposal"):
        from ia.agent.analyst.jobs.facts import task_facts

        return task_facts.ANSWERS[name]
    if name in ("purchase", "trade_of_day", "average_without"):
        from ia.agent.analyst.jobs.facts import purchase_facts

        return purchase_facts.ANSWERS[name]
    if name in (
        "to_level",
        "price_after",
        "since_when",
        "suspended",
        "against_cost",
        "share_ratio",
        "bought_instead",
        "mean_move",
    ):
        from ia.agent.analyst.jobs.facts import level_facts, pair_facts

        return (level_facts.ANSWERS | pair_facts.ANSWERS)[name]
    if name == "compared_gains":
        from ia.agent.analyst.jobs.facts import compared_gains

        return compared_gains.answer_compared_gains
    if name in ("note", "own_target", "last_report", "noted_levels", "noted_securities", "oldest_note"):
        from ia.agent.analyst.jobs.facts import note_facts, noted_levels

        return (note_facts.ANSWERS | noted_levels.ANSWERS)[name]
    if name in ("watch", "watch_rank", "watch_group", "watch_industries", "watch_edit"):
        from ia.agent.analyst.jobs.facts import watch_facts, watch_groups

        return (watch_facts.ANSWERS | watch_groups.ANSWERS)[name]
    if name in ("traded_sum", "trades_grouped"):
        from ia.agent.analyst.jobs.facts import trade_sums

        return trade_sums.ANSWERS[name]
    if name in ("inbox", "alert_state"):
        from ia.agent.analyst.jobs.facts import alert_facts, inbox_facts

        return inbox_facts.answer_inbox if name == "inbox" else alert_facts.answer_alert_state
    if name == "sessions":
        from ia.agent.analyst.jobs.facts import session_facts

        return session_facts.answer_sessions
    if name == "calendar":
        from ia.agent.analyst.jobs.facts import calendar_facts

        return calendar_facts.answer_calendar
    if name == "figure_meaning":
        from ia.agent.analyst.jobs.facts import meaning_facts

        return meaning_facts.answer_figure_meaning
    if name in ("riskier", "moves", "stops_hit", "value_at_risk", "index_relation", "risk_parts", "stop_within"):
        return _find_risk_answer(name)
    if name == "data_source":
        from ia.agent.analyst.jobs.facts import source_facts

        return source_facts.answer_data_source
    if name in ("rate", "northbound", "sale_after_purchase"):
        from ia.agent.analyst.jobs.facts import northbound_facts, rate_facts, settlement_facts

        return {
            "rate": rate_facts.answer_rate,
            "northbound": northbound_facts.answer_northbound,
            "sale_after_purchase": settlement_facts.answer_sale_after_purchase,
        }[name]
    return _find_day_answer(name)


def _find_risk_answer(name: str) -> Answer:
    """Return the function behind an answer about the risk of what is held, and about supposed moves."""
    if name == "moves":
        from ia.agent.analyst.jobs.facts import supposed_moves

        return supposed_moves.answer_moves
    if name in ("stops_hit", "stop_within"):
        from ia.agent.analyst.jobs.facts import stop_facts

        return stop_facts.ANSWERS[name]
    from ia.agent.analyst.jobs.facts import portfolio_risk, risk_facts

    return (portfolio_risk.ANSWERS | {"riskier": risk_facts.answer_riskier})[name]


def _find_day_answer(name: str) -> Answer | None:
    """Return the function behind an answer about days, or sums of what is owned; None for another."""
    if name in (
        "rest_result", "fx_account", "total_cost", "fee_share", "fees_of_profit", "no_reason", "times_compared",
    ):  # fmt: skip
        from ia.agent.analyst.jobs.facts import part_sums

        return part_sums.ANSWERS[name]
    if name in ("paid_sum", "in_index", "day_counts", "bought_then"):
        from ia.agent.analyst.jobs.facts import bought_then, day_counts, paid_in_facts

        return (paid_in_facts.ANSWERS | day_counts.ANSWERS | bought_then.ANSWERS)[name]
    if name in (
        "profit_share", "near_cost", "cash_parts", "side_value", "sell_rest", "sell_down", "trade_extreme",
        "trades_above",
    ):  # fmt: skip
        from ia.agent.analyst.jobs.facts import own_shares, trade_extremes

        return (own_shares.ANSWERS | trade_extremes.ANSWERS)[name]
    if name in ("currency_converted", "mean_figure", "largest_closed", "reconcile", "currency_sum", "values_converted"):
        from ia.agent.analyst.jobs.facts import own_sums

        return own_sums.ANSWERS[name]
    if name == "account_curve":
        from ia.agent.analyst.jobs.facts import worth_facts

        return worth_facts.ANSWERS[name]
    if name in ("traded_price", "after_sale", "held_since", "purchases_now"):
        from ia.agent.analyst.jobs.facts import own_trade_facts

        return own_trade_facts.ANSWERS[name]
    if name in ("day_story", "period_against", "part_of_account"):
        from ia.agent.analyst.jobs.facts import day_facts

        return day_facts.ANSWERS[name]
    if name in ("why_not", "reason_holds"):
        from ia.agent.analyst.jobs.facts import why_facts

        return why_facts.ANSWERS[name]
    if name in ("daily_move", "held_or_company"):
        from ia.agent.analyst.jobs.facts import daily_moves

        return daily_moves.ANSWERS[name]
    if name in ("last_run", "opening", "after_report"):
        from ia.agent.analyst.jobs.facts import run_facts

        return run_facts.ANSWERS[name]
    if name in ("share_count", "listed_where"):
        from ia.agent.analyst.jobs.facts import share_count_facts

        return share_count_facts.ANSWERS[name]
    if name in ("candles", "gaps", "recovery", "back_above", "lot"):
        from ia.agent.analyst.jobs.facts import candle_facts, lot_facts, recovery_facts

        return (candle_facts.ANSWERS | lot_facts.ANSWERS | recovery_facts.ANSWERS)[name]
    return None


def _find_owner_answer(name: str) -> Answer | None:
    """Return the function behind an answer about the owner's views, money, positions or rules; None for another."""
    if name in ("howto", "cost_basis", "watched_since", "setting", "own_related"):
        from ia.agent.analyst.jobs.facts import howto_facts, related_facts, setting_facts

        return (howto_facts.ANSWERS | setting_facts.ANSWERS | related_facts.ANSWERS)[name]
    if name in ("view_change", "happened"):
        from ia.agent.analyst.jobs.facts import view_facts

        return view_facts.ANSWERS[name]
    if name in ("size", "set_limit", "most"):
        from ia.agent.analyst.jobs.facts import size_facts

        return size_facts.ANSWERS[name]
    if name in (
        "started", "closed_positions", "turnover", "sell_all", "dividend_tax", "market_shares",
        "each_sale", "profit_parts", "account_result", "account_index", "account_why", "held_on",
    ):  # fmt: skip
        from ia.agent.analyst.jobs.facts import record_facts, result_facts

        return (record_facts.ANSWERS | result_facts.ANSWERS)[name]
    if name in ("average_last", "last_move"):
        from ia.agent.analyst.jobs.facts import average_facts, move_facts

        return (average_facts.ANSWERS | move_facts.ANSWERS)[name]
    if name in ("fee_rates", "price_limits", "fees_paid"):
        from ia.agent.analyst.jobs.facts import fee_rate_facts, fees_paid_facts

        return (fee_rate_facts.ANSWERS | fees_paid_facts.ANSWERS)[name]
    if name in ("interest", "payments", "largest_result", "price_converted", "fx_part"):
        from ia.agent.analyst.jobs.facts import money_facts

        return money_facts.ANSWERS[name]
    if name in ("trade_cost", "sale_check", "profit_each", "no_price", "what_if_limit"):
        from ia.agent.analyst.jobs.facts import supposed_facts

        return supposed_facts.ANSWERS[name]
    if name in ("undo", "own_index", "held_longest", "best_months", "own_drawdown", "command"):
        from ia.agent.analyst.jobs.facts import history_facts

        return history_facts.ANSWERS[name]
    if name in ("moved", "moved_by", "strongest", "first_trade", "too_big", "watch_list", "held_closes"):
        from ia.agent.analyst.jobs.facts import portfolio_facts

        return portfolio_facts.ANSWERS[name]
    if name in ("periods", "annual", "net_worth", "allocation", "income", "largest_risk"):
        from ia.agent.analyst.jobs.facts import performance_facts

        return performance_facts.ANSWERS[name]
    if name in (
        "own_stop", "take_profit", "own_pct", "sellable", "sellable_each", "break_even", "cost_distance", "cooldown",
        "what_if", "trade_facts",
    ):  # fmt: skip
        from ia.agent.analyst.jobs.facts import holding_facts

        return holding_facts.ANSWERS[name]
    if name in (
        "rule_breaks", "at_stop", "position_filter", "weights", "groups", "invested", "bearable", "day_loss",
        "not_computed",
    ):  # fmt: skip
        from ia.agent.analyst.jobs.facts import rule_facts

        return rule_facts.ANSWERS[name]
    if name in (
        "what_if_all", "sale_net", "average_in", "trade_stats", "last_fees", "reasons", "sizes", "currency",
        "over_weight", "concentration", "account_days", "risk_stats", "year_dividends", "followed", "may_buy",
        "sell_or_hold",
    ):  # fmt: skip
        from ia.agent.analyst.jobs.facts import ledger_facts

        return ledger_facts.ANSWERS[name]
    return None
