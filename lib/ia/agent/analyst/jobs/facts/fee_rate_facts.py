"""What the rules in force say of a trade: commission, stamp duty, transfer fee, levies, dividend tax, price limits."""

import re

from ia.agent.analyst.ask.amounts import find_market_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.instruments.boards import find_board
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_MARKETS = {"CNY": "CN", "HKD": "HK", "USD": "US"}
_SHARES = {"CN": mark_text("A-shares"), "HK": mark_text("Hong Kong shares"), "US": mark_text("US shares")}
_SCOPES = {"CN": ("main.SH", "main", "A"), "HK": ("HK",), "US": ("US",)}
"""What the rules of an ordinary share are made for, from the narrow to the wide."""
DIVIDEND_TAX = pattern(
    r"(?:红利|股息|分红|派息)[^，,。]{0,6}税|税[^，,。]{0,4}(?:红利|股息|分红)|\bdividends?\b.{0,20}\btax|\btax\b.{0,20}\bdividends?\b",
    re.I,
)
_KINDS = (
    ("commission", pattern(r"佣金|\bcommissions?\b|\bbroker", re.I)),
    ("stamp", pattern(r"印花税|税率|(?:交|收|缴|付).{0,4}税|\bstamp\b|\btax", re.I)),
    ("transfer", pattern(r"过户费|\btransfer fees?\b", re.I)),
)


def answer_fee_rates(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer at which rates a trade is charged today: all of them, or the kind that is named."""
    speak = desk.speak
    if asked.spans:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), asked.spans[0], desk.request.day)
    first = next(iter(asked.securities), None)
    named = [first.symbol.market] if first else [_MARKETS[code] for code in find_market_currencies(asked.words)]
    kinds = [kind for kind, words in _KINDS if words.search(asked.words)] or [kind for kind, _ in _KINDS]
    lines = []
    for market in named[:3] or ["CN"]:
        result = yield from desk.one("trade.rules", market=market)
        if result.failure is not None:
            return wording.unreadable(desk, speak("the rates"), result.failure)
        scopes = find_board(first.symbol).scopes if first else _SCOPES[market]
        rules: dict[str, Json] = {}
        for row in wording.rows_of(result, "rules"):
            if row.get("market") in scopes:
                known = rules.get(str(row["rule"]))
                if known is None or scopes.index(str(row["market"])) < scopes.index(str(known["market"])):
                    rules[str(row["rule"])] = row
        head = wording.head_of(desk, first) if first else f"**{speak(_SHARES[market])}**"
        if DIVIDEND_TAX.search(asked.words):
            told = _say_dividend_tax(desk, rules)
        else:
            commission = result.get("commission")
            told = _say_rates(desk, kinds, rules, commission if isinstance(commission, dict) else {})
        lines.append(
            head + speak(": ") + speak.join_clauses(told or [speak("no such tax or fee in the table of rules")])
        )
    if "commission" in kinds and not DIVIDEND_TAX.search(asked.words):
        lines.append(speak("The commission is your setting: `ia config list ledger.`; the rest: `ia trade rules`."))
    else:
        lines.append(speak("Sources and earlier rates: `ia trade rules`."))
    return reply_of_lines(*lines)


def _say_rates(desk: ToolDesk, kinds: list[str], rules: dict[str, Json], commission: Json) -> list[str]:
    """Return the rates of the kinds that are asked for; levies of another country with the transfer fee."""
    speak, told = desk.speak, list[str]()
    if "commission" in kinds:
        told.append(_say_commission(desk, commission))
    if "stamp" in kinds and (sold := rules.get("stamp_sell")):
        bought = rules.get("stamp_buy", sold)
        if float(bought["value"]) == float(sold["value"]):
            told.append(speak("stamp duty **{rate}%** of purchases and of sales", rate=sold["value"]))
        else:
            told.append(
                speak("stamp duty **{sold}%** of sales (since {date}), {bought}% of purchases", sold=sold["value"],
                      bought=bought["value"], date=sold["since"])
            )  # fmt: skip
    if "stamp" in kinds and (fee := rules.get("sec_fee")):
        told.append(speak("no stamp duty; SEC fee **{rate} USD** per million sold", rate=fee["value"]))
    if "transfer" in kinds and (fee := rules.get("transfer")):
        told.append(speak("transfer fee **{rate}%** of purchases and of sales", rate=fee["value"]))
    levies = [rules[name] for name in ("trading_fee", "sfc_levy", "afrc_levy", "settlement_fee") if name in rules]
    if "transfer" in kinds and levies:
        total = sum(float(row["value"]) for row in levies)
        told.append(
            speak("trading, settlement and supervision fees **{rate}%** in all", rate=f"{total:.5f}".rstrip("0"))
        )
    if "transfer" in kinds and (fee := rules.get("taf")):
        told.append(
            speak("FINRA fee **{rate} USD** a share sold, at most {most}", rate=fee["value"],
                  most=rules.get("taf_most", fee)["value"])
        )  # fmt: skip
    return told


def _say_commission(desk: ToolDesk, commission: Json) -> str:
    speak = desk.speak
    least = wording.figure_of(commission, "min") or 0
    if share := wording.figure_of(commission, "per_share"):
        told = speak("commission **{rate}** a share", rate=f"{share:g}")
    else:
        told = speak("commission **{rate}%** of the amount", rate=f"{wording.figure_of(commission, 'pct') or 0:g}")
    told += speak(", at least {least} a trade", least=f"{least:g}") if least else ""
    return told if commission.get("known") else told + speak(" (none is set for this market)")


def _say_dividend_tax(desk: ToolDesk, rules: dict[str, Json]) -> list[str]:
    """Return the tax of dividends by how long the shares were held, or what is withheld abroad."""
    speak = desk.speak
    names = ("dividend_tax_month", "dividend_tax_year", "dividend_tax_longer")
    if all(name in rules for name in names):
        month, year, longer = (rules[name]["value"] for name in names)
        return [
            speak("dividend tax **{month}%** if held for a month or less, **{year}%** for up to a year, **{longer}%**"
                  " for longer", month=month, year=year, longer=longer)
        ]  # fmt: skip
    kept = rules.get("dividend_withheld")
    return [speak("**{rate}%** of dividends is withheld", rate=kept["value"])] if kept else []


BOARDS = (
    ("main", mark_text("Main boards of Shanghai and Shenzhen"), pattern(r"主板|沪市|深市|\bmain board", re.I)),
    ("chinext", mark_text("ChiNext"), pattern(r"创业板|\bchinext\b", re.I)),
    ("star", mark_text("STAR Market"), pattern(r"科创板|\bstar(?: market| board)?\b", re.I)),
    ("bse", mark_text("Beijing Stock Exchange"), pattern(r"北交所|北证|\bbse\b|\bbeijing\b", re.I)),
)
"""Boards of the mainland by the names of their rules."""
_TREATED_SHARES = mark_text("ST shares of the main boards")
_TREATED = pattern(r"(?<![a-z])\*?st(?![a-z])|风险警示", re.I)
_ABROAD = pattern(r"港股|美股|香港|美国|\b(?:hong kong|hk|us|american|new york)\b", re.I)


def answer_price_limits(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how far a price may move in one session by the rules of its board: of those named, else of all."""
    speak = desk.speak
    if asked.spans and wording.other_day(asked, desk.request.day):
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), asked.spans[0], desk.request.day)
    result = yield from desk.one("trade.rules", market="CN")
    if result.failure is not None:
        return wording.unreadable(desk, speak("the rules"), result.failure)
    rules = {(str(row.get("rule")), str(row.get("market"))): row for row in wording.rows_of(result, "rules")}
    shares = [mention for mention in asked.securities[:3] if mention.symbol.kind == "stock"]
    if shares:
        lines = [_say_limit_of(desk, mention, rules) for mention in shares]
    else:
        lines = _say_limits_of_boards(desk, asked.words, rules)
    after = speak("The first sessions after a listing are without; all rules: `ia trade rules`.")
    return reply_of_lines(*lines, after)


def _say_limit_of(desk: ToolDesk, mention: Mention, rules: dict[tuple[str, str], Json]) -> str:
    name = wording.head_of(desk, mention)
    if mention.symbol.market != "CN":
        return desk.speak("{name}: **no daily limit**.", name=name)
    kinds = ("limit_st", "limit") if _TREATED.search(mention.name or mention.said) else ("limit",)
    rows = [
        rules[kind, scope] for kind in kinds for scope in find_board(mention.symbol).scopes if (kind, scope) in rules
    ]
    if not rows:
        return desk.speak("{name}: its limit is not in the table of rules.", name=name)
    return desk.speak("{name}: **{limit}%** up or down in a session.", name=name, limit=rows[0]["value"])


def _say_limits_of_boards(desk: ToolDesk, words: str, rules: dict[tuple[str, str], Json]) -> list[str]:
    """Return the limits of the boards that words name; without any those of all boards of the mainland."""
    speak, lines = desk.speak, list[str]()
    named = [(title, ("limit", board)) for board, title, form in BOARDS if form.search(words)]
    named += [(_TREATED_SHARES, ("limit_st", "main"))] if _TREATED.search(words) else []
    if _ABROAD.search(words):
        lines.append(speak("Hong Kong and US shares have **no daily limit**."))
    if not named and not lines:
        named = [*((title, ("limit", board)) for board, title, _ in BOARDS), (_TREATED_SHARES, ("limit_st", "main"))]
    return lines + [
        speak("{name}: **{limit}%** up or down in a session.", name=speak(title), limit=rules[rule]["value"])
        for title, rule in named
        if rule in rules
    ]


ANSWERS = {"fee_rates": answer_fee_rates, "price_limits": answer_price_limits}
