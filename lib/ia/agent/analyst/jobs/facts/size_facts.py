"""How much may be bought: by the risk rules, the cash, a budget, a part of the account, or what a stop may cost."""

import re
from decimal import Decimal
from typing import NamedTuple

from ia.agent.analyst.ask.amounts import UNIT, Size, find_currencies, find_size
from ia.agent.analyst.ask.facts import FactQuestion, condition_words, security_table
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import read_value
from ia.agent.analyst.failures import NO_BARS
from ia.agent.analyst.jobs import risk_rules
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.instruments.symbols import Symbol
from ia.domain.rules import lots
from ia.domain.rules.lots import LotRule, find_lot
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel import config
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

ATR_STOP = 2
SHOWN = 3
"""Securities of one question for which a size is computed."""
USUAL_RISK = 1.0
"""Per cent of the account that a stop may cost where the question does not say."""
_TENTHS = {"半": 5.0, "全": 10.0, "满": 10.0}
_PERCENT = rf"(?P<{{0}}>{COUNT})\s*(?:%|％|per ?cent)"
_AMOUNT = (
    rf"[$¥]?(?P<{{0}}>{COUNT})\s*(?P<{{0}}_k>k\b)?\s*"
    rf"(?:{UNIT}|(?<=[万千百亿]))"
)
_STOPPED = r"(?:止损|\bstop(?:[- ]?loss)?\b)"
_MONEY_EN = r"(?:my |the )?(?:total )?(?:account|equity|money|capital|portfolio|funds)"
_MONEY_ZH = r"(?:总?资[金产]|账户|本金|组合|净值|权益)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "risk_of",
        pattern(
            rf"{_MONEY_ZH}的?\s*{_PERCENT.format('n')}\s*(?:的)?(?:作?为?|来|算|设|做)?(?:最大|最多)?(?:风险|止损|亏损?|损失)"
            rf"|(?:亏|损失|冒|承受)(?:掉|损)?{_MONEY_ZH}的?\s*{_PERCENT.format('z')}"
            rf"|{_PERCENT.format('m')} of {_MONEY_EN}(?: as (?:a |the )?| at )?\s*(?:risk|stop(?:[- ]?loss)?|loss)\b"
            rf"|\b(?:stop(?:[- ]?loss)?|los[es]|losing|risk(?:ing)?)\b[^,;]{{0,12}}?"
            rf"{_PERCENT.format('l')} of {_MONEY_EN}\b",
            re.I,
        ),
    ),
    (
        "stop_pct",
        pattern(
            rf"(?:亏|跌|损失|回撤|\blos(?:e|ing)|\bdown)\D{{0,4}}?{_PERCENT.format('a')}"
            rf"\D{{0,4}}?(?:止损|\bstop(?:[- ]?loss)?\b)"
            rf"|{_PERCENT.format('b')}\s*(?:的)?(?:trailing )?{_STOPPED}"
            rf"|{_STOPPED}(?:线|价|位|幅度?)?[\s,，]*(?:设|放|定|挂|为|是|在|到|于|at|of|is|set|placed|below)*"
            rf"[\s:：]*{_PERCENT.format('c')}",
            re.I,
        ),
    ),
    (
        "risk_money",
        pattern(
            rf"(?:\brisk(?:ing)?\b|\blose\b|风险|最多亏|[只仅]?愿?意?亏|损失|冒)\D{{0,12}}?{_AMOUNT.format('r')}",
            re.I,
        ),
    ),
    (
        "risk",
        pattern(
            rf"(?:\brisk(?:ing)?\b|\blose\b|风险|最多亏|只?愿?亏|损失|冒)\D{{0,12}}?{_PERCENT.format('n')}(?:\s*的?风险)?"
            rf"|{_PERCENT.format('m')}\s*(?:of {_MONEY_EN} )?(?:at )?"
            r"的?(?:风险|冒险|来冒|\brisk\b)",
            re.I,
        ),
    ),
    (
        "stop",
        pattern(
            r"(?:止损(?:价|位)?(?:设|放|定|挂)?[在到于]?"
            r"|\bstop(?:[- ]?loss)?(?: for\b[^\d,;]{0,12})?(?: is| placed| set)?(?: at| of| below| @)?)"
            r"\s*[$¥]?(?P<n>\d[\d,]*(?:\.\d+)?)(?!\d|\s*(?:%|％|per ?cent))",
            re.I,
        ),
    ),
    (
        "price",
        pattern(
            rf"(?:\bat\b(?: a price of| about| around)?|@|[按以](?!及)|(?:价格?|股价)(?:在|为|是|到)?|[跌涨][到至]"
            r"|\b(?:falls?|drops?) to)"
            r"\s*(?:hk|us)?[$¥]?"
            r"(?P<n>\d[\d,]*(?:\.\d+)?)"
            r"(?![\d.,]*(?:\d|\s*(?:%|％|per ?cent|股|手|成|shares?\b|lots?\b)))"
            rf"\s*(?:{UNIT})?\s*(?:一股|每股|的?价格?|a share|each|per share|apiece)?",
            re.I,
        ),
    ),
    (
        "part",
        pattern(
            rf"{_PERCENT.format('n')}|(?P<t>[一二两三四五六七八九十\d])成(?:仓位?|资金|的钱)?"
            r"|(?P<w>[半全满])仓|\b(?P<half>half) (?:of )?(?:my|the) (?:account|portfolio|money|cash)\b"
            r"|(?P<hz>一半的?(?:现金|闲钱|余钱|钱|资金)|(?:现金|闲钱|余钱|钱|资金)的?一半)",
            re.I,
        ),
    ),
    (
        "money",
        pattern(
            rf"(?:hk|us)?[$¥](?P<d>\d[\d,]*(?:\.\d+)?)\s*(?P<k>k\b)?"
            rf"|(?P<n>{COUNT})\s*(?:k\b\s*)?{UNIT}"
            rf"|(?P<b>{COUNT}(?<=[万千百亿]))(?!\s*(?:股|手))|(?:\b(?:for|with|spend|invest)\b|[用拿花])\s*"
            r"(?:(?P<f>\d[\d,]{2,})(?![\d,.]*\d)(?:\s*k\b)?|(?P<f2>\d+(?:\.\d+)?)\s?k\b)"
            r"(?!\s*(?:股|手|[万千亿]|shares?|%|mn?\b|million|thousand|bn\b|billion))",
            re.I,
        ),
    ),
)
"""What a question can plan with. The first form that has a stretch of the text keeps it."""
_FREE = pattern(
    r"(?:不考虑|不管|不顾|忽略|抛开|无视|除去).{0,4}(?:仓位|风控|规则|限制|上限)[^，,。？?]{0,4}"
    r"|\b(?:ignor\w+|without(?! (?:break|violat|breach|exceed|pass|hitt|going))|regardless of|disregard\w*"
    r"|leaving aside)\b.{0,10}\b(?:position |risk |my )*(?:limits?|rules?)\b",
    re.I,
)
_WITHIN = pattern(
    r"\bwithout (?:break|violat|breach|exceed|pass|hitt|going)\w*.{0,20}\b(?:limits?|rules?)\b"
    r"|(?:不|别)(?:违反|违背|超过?|突破|触碰).{0,6}(?:规则|上限|限制|仓位)",
    re.I,
)
_OWN_MONEY = pattern(
    r"\bmy (?:\w+ )?(?:dollars?|cash|money|yuan|usd|cny)\b|现金|手[里上头]的?钱|剩(?:下|余)的?(?:钱|资金)|可用资金",
    re.I,
)
_OF_CASH = pattern(r"现金|闲钱|余钱|\b(?:cash|dry powder)\b", re.I)
"""What a part is of, where it is not of the account."""
_ALL_CASH = pattern(
    r"\bwith (?:(?:all )?(?:of )?(?:my|the) )?(?:\w+ )?(?:cash|yuan|dollars?|money|usd|cny|hkd|rmb)"
    r"(?: (?:that )?i(?: still)?(?: have|[''’]ve got)?)?\b"
    r"|[用拿][^，,。\d]{0,10}(?:现金|人民币|美元|港币|港元|钱|资金)",
    re.I,
)
"""All the cash is to pay for it."""
_RULES = pattern(r"规则|规矩|风控|上限|限额|限制|\b(?:rules?|limits?|caps?|ceiling)\b", re.I)
_LOTS = pattern(r"手(?!续|里|上|头)|\blots?\b", re.I)
_WEIGHT = pattern(r"\bweight\b|\bshare of (?:my|the)\b|仓位(?:会?是|变|有)?多少|占(?:比|多少|到?几)|比重|权重", re.I)


class Plan(NamedTuple):
    """What a question plans with; None where it does not say.

    risk_pct, risked   what a stop may cost: in per cent of the account, or in money
    price   what a share is to cost, where the question names it
    stop, stop_pct     where it is: a price, or so many per cent below the price
    free    it leaves the position limit aside. rest: the words that are not read
    of_cash the part is one of the cash, not of the account
    """

    risk_pct: float | None = None
    risked: float | None = None
    stop: float | None = None
    stop_pct: float | None = None
    part_pct: float | None = None
    size: Size | None = None
    money: float | None = None
    currency: str = ""
    price: float | None = None
    free: bool = False
    rest: str = ""
    of_cash: bool = False

    @property
    def risks(self) -> bool:
        """Whether it names a stop, or what one may cost."""
        return any(each is not None for each in (self.risk_pct, self.risked, self.stop, self.stop_pct))


def read_plan(words: str) -> Plan:
    """Return what a question plans with.

    >>> plan = read_plan("risk 1% with a stop at 80")
    >>> plan.risk_pct, plan.stop, read_plan("用两成仓位买").part_pct, read_plan("三万块能买几股").money
    (1.0, 80.0, 20.0, 30000.0)
    >>> plan = read_plan("亏2%算止损的话，账户冒1%风险该买几手")
    >>> plan.stop_pct, plan.risk_pct, read_plan("50万全仓可以买几手").money, read_plan("if I buy 1000").size.number
    (2.0, 1.0, 500000.0, 1000.0)
    >>> plan = read_plan("按总资金的2%止损，止损22，最多买多少股")
    >>> plan.risk_pct, plan.stop_pct, plan.stop, read_plan("stop loss at 2% of my capital").risk_pct
    (2.0, None, 22.0, 2.0)
    """
    rest, found = words, {}
    rest = _WITHIN.sub(" ", rest)
    free = _FREE.search(rest)
    if free:
        rest = rest[: free.start()] + " " * len(free[0]) + rest[free.end() :]
    size = None
    for name, form in _FORMS:
        if name == "money" and (size := find_size(rest)) is not None:  # before money: three hundred shares are none
            rest = rest[: size.at[0]] + " " * (size.at[1] - size.at[0]) + rest[size.at[1] :]
        match = form.search(rest)
        if match is not None:
            found[name] = match
            rest = rest[: match.start()] + " " * len(match[0]) + rest[match.end() :]
    spent = found.get("money") or found.get("risk_money")
    currency = next(iter(find_currencies(spent[0], colloquial=True)), "") if spent else ""
    if spent and not currency and re.search(r"[万千百亿]", spent[0]):
        currency = "CNY"
    return Plan(
        _number(found.get("risk_of") or found.get("risk")), _number(found.get("risk_money")),
        _number(found.get("stop")), _number(found.get("stop_pct")), _part(found.get("part")), size,
        _number(found.get("money")), currency, _number(found.get("price")), free is not None, rest,
        "part" in found and _names_cash(found["part"]),
    )  # fmt: skip


def _number(match: re.Match[str] | None) -> float | None:
    if match is None:
        return None
    said = next((text for key, text in match.groupdict().items() if text and key not in ("k", "r_k")), "")
    count = parse_count(said.casefold())
    return count * 1000 if count is not None and re.search(r"\d\s*k\b", match[0], re.I) else count


def _names_cash(match: re.Match[str]) -> bool:
    """Return True if a part is said to be one of the cash."""
    return _OF_CASH.search(match.string[match.start() : match.end() + 24]) is not None


def _part(match: re.Match[str] | None) -> float | None:
    """Return a part of the account in per cent."""
    if match is None:
        return None
    if match["w"]:
        return _TENTHS[match["w"]] * 10
    if match["t"]:
        return (parse_count(match["t"]) or 0) * 10
    return 50.0 if match["half"] or match["hz"] else parse_count(match["n"].casefold())


class _Purchase(NamedTuple):
    """A security that may be bought, with what the ledger and the rules say of it."""

    mention: Mention
    head: str
    check: DeskResult
    price: float
    equity: float
    account: str
    cash: float
    held: float
    atr: float | None
    in_lots: bool = False
    shares: int | None = None

    @property
    def lot_known(self) -> bool:
        """Whether it is known how many shares are traded at once: in Hong Kong each issuer has its own lot."""
        return (
            self.mention.symbol.market != "HK" or find_lot(self.mention.symbol, str(self.check.get("date"))) is not None
        )

    @property
    def lot_rule(self) -> LotRule | None:
        return find_lot(self.mention.symbol, str(self.check.get("date") or ""))

    @property
    def currency(self) -> str:
        return str(self.check.get("currency") or "")

    @property
    def most(self) -> int:
        return int(self.check.get("most") or 0)

    def lots(self, count: float) -> int:
        """Return a number of shares in whole lots."""
        return round_to_lots(self.mention.symbol, count, str(self.check.get("date") or ""))


def round_to_lots(symbol: Symbol, count: float, day: str) -> int:
    """Return a number of shares rounded down to whole lots; 0 below the least lot."""
    return int(lots.round_to_lots(Decimal(str(count)), lots.find_lot(symbol, day) or lots.WHOLE_SHARES))


def answer_size(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares rules and cash allow, or what a plan for a purchase comes to."""
    speak, plan = desk.speak, read_plan(strip_mentions(asked.words))
    if asked.spans and (span := wording.other_day(asked, desk.request.day)):
        return reply_of_lines(speak("Sizes I compute at the newest price only, not for “{time}”.", time=span.said))
    if unread := condition_words(plan.rest):
        return wording.ask_back(desk, tuple(unread))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    several, lines = len(asked.securities) > 1, []
    for mention in asked.securities[:SHOWN]:
        told = yield from _answer_one(desk, asked, mention, plan, status)
        lines += told.lines[:2] if several else told.lines
    if several:
        lines.append(speak("Each is computed by itself: the same cash pays only once."))
    if more := asked.securities[SHOWN:]:
        names = speak.join_items([wording.head_of(desk, mention) for mention in more])
        lines.append(speak("Not computed: {names}. Ask for them by themselves.", names=names))
    return reply_of_lines(*lines)


def _answer_one(desk: ToolDesk, asked: FactQuestion, mention: Mention, plan: Plan, status: DeskResult) -> Work[Reply]:
    """Return what a plan comes to for one security."""
    bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1)
    if not bars.ok:
        return reply_of_lines(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
    code = security_table(desk.tables).expressions["typical_move"].code
    moved = yield from desk.one("compute.run", code=code, symbol=mention.code)
    shares = plan.size.shares_of(mention.symbol) if plan.size else None
    if plan.size and shares is None:
        return reply_of_lines(wording.say_lot_unknown(desk, mention))
    size: Json = {"quantity": int(shares)} if shares else {}
    size |= {"price": plan.price} if plan.price else {}
    check = yield from desk.one("risk.check", symbol=mention.code, **size)
    if check.failure is not None:
        return wording.unreadable(desk, desk.speak("the ledger"), check.failure)
    book = wording.objects_of(status, "currencies").get(str(check.get("currency")), {})
    head = wording.head_of(desk, mention)
    if check.get("most") is None or not book.get("equity") or not check.get("price"):
        return _say_unknown(desk, mention, plan, check)
    position = wording.objects_of(status, "positions").get(mention.code, {})
    account = wording.name_account(desk, wording.objects_of(status, "currencies"), check.get("currency"))
    made = _Purchase(
        mention, head, check, float(check.get("price")), float(book.get("whole_equity") or book["equity"]),
        account, float(book["cash"]),
        float(position.get("value") or 0), read_value(moved)[0], _LOTS.search(asked.words) is not None,
        int(shares) if shares else None,
    )  # fmt: skip
    if plan.currency and plan.currency != made.currency:
        return _say_other_currency(desk, made, plan)
    if not made.lot_known and not made.shares:
        return _say_no_lot(desk, made, plan)
    if plan.free:
        return _say_free(desk, made)
    if plan.risks:
        return _say_risked(desk, made, plan)
    if made.shares:
        return _say_weight(desk, made, made.shares, plan.money)
    if plan.money is not None or plan.part_pct is not None:
        told = yield from _say_budget(desk, made, plan)
        if plan.money is None or not _WEIGHT.search(asked.words):
            return told
        bought = made.lots(plan.money / made.price)
        return reply_of_lines(*_say_weight(desk, made, bought, plan.money).lines[:1], *told.lines)
    own_money, of_rules = bool(_OWN_MONEY.search(asked.words)), bool(_RULES.search(asked.words))
    if not of_rules and (_ALL_CASH.search(asked.words)):
        named = find_currencies(asked.words)
        if named and made.currency not in named:
            return reply_of_lines(
                desk.speak("{name} is traded in {currency}: {other} must be changed first. You have {cash}.",
                           name=made.head, currency=made.currency, other=named[0], cash=_money(desk, made, made.cash))
            )  # fmt: skip
        return (yield from _say_budget(desk, made, plan._replace(money=made.cash)))
    return _say_ceiling(desk, made, own_money=own_money, of_rules=of_rules)


def _say_purchase(desk: ToolDesk, made: _Purchase) -> Json:
    """Return the fields that every answer about a purchase fills in."""
    return {
        "name": made.head,
        "price": number(made.price, "price", desk.speak),
        "date": desk.speak("the price that you name") if made.check.get("price_given") else made.check.get("date"),
        "mark": wording.simulated_mark(desk, made.check.get("simulated")),
    }


def _money(desk: ToolDesk, made: _Purchase, amount: float) -> str:
    return wording.say_exact(desk, amount, currency=made.currency)


def _say_unknown(desk: ToolDesk, mention: Mention, plan: Plan, check: DeskResult) -> Reply:
    """Return that the account is not known; what an amount of money buys is known without it."""
    speak, currency = desk.speak, str(check.get("currency") or "")
    lines = [
        speak(
            "{name}: your {currency} account is not known, so no size can be computed (`ia trade deposit` enters"
            " money).",
            name=wording.head_of(desk, mention),
            currency=currency,
        )
    ]
    price = check.get("price")
    if plan.money and price and plan.currency in ("", currency):
        shares = round_to_lots(mention.symbol, plan.money / float(price), str(check.get("date")))
        lines.insert(
            0,
            speak(
                "{name}: {amount} buy **{shares}** shares at {price} ({date}), without fees{mark}.",
                name=wording.head_of(desk, mention),
                amount=wording.say_exact(desk, plan.money, currency=currency),
                shares=f"{shares:,}",
                price=number(float(price), "price", speak),
                date=check.get("date"),
                mark=wording.simulated_mark(desk, check.get("simulated")),
            ),
        )
        if mention.symbol.market == "HK" and find_lot(mention.symbol, str(check.get("date"))) is None:
            lines.insert(1, speak("How many shares are one lot of it I do not know: round down to whole lots."))
    return reply_of_lines(*lines)


def _say_rule(desk: ToolDesk, made: _Purchase, wished: int) -> str:
    """Return what the rules say of a number of shares: within them, or at most how many."""
    if refused := _say_refused(desk, made):
        return refused
    if wished <= made.most:
        return desk.speak("Your rules allow it: {most}.", most=risk_rules.most_allowed(desk, made.check))
    return desk.speak("**That is more than your rules allow**: {most}.", most=risk_rules.most_allowed(desk, made.check))


def _say_count(desk: ToolDesk, made: _Purchase, shares: int) -> str:
    """Return a number of shares, with the lots where the question asks for lots and they are known."""
    rule = made.lot_rule
    if not made.in_lots or rule is None or rule.step != rule.least:
        return f"{shares:,}"
    lots = desk.speak(PluralText(" ({count} lot)", " ({count} lots)"), count=shares // int(rule.step))
    return f"{shares:,}{lots}"


def _say_other_currency(desk: ToolDesk, made: _Purchase, plan: Plan) -> Reply:
    speak, money = desk.speak, plan.money if plan.money is not None else plan.risked
    lines = [
        speak(
            "{name} is traded in {currency}, and I have no exchange rate from {other}: how many shares"
            " {amount} buy I cannot say.",
            name=made.head,
            currency=made.currency,
            other=plan.currency,
            amount=wording.say_exact(desk, money, currency=plan.currency),
        )
    ]
    if made.lot_known and plan.money is not None and not plan.risks:
        lines.append(
            speak(
                "{amount} would buy {shares} at {price} ({date}), without fees{mark}.",
                **_say_purchase(desk, made),
                amount=_money(desk, made, plan.money),
                shares=f"{made.lots(plan.money / made.price):,}",
            )
        )
    if made.lot_known:
        lines.append(speak("Your rules: {most}.", most=risk_rules.most_allowed(desk, made.check)))
    return reply_of_lines(*lines)


def _say_no_lot(desk: ToolDesk, made: _Purchase, plan: Plan) -> Reply:
    """Return what may be spent on a security whose lot is not known."""
    limit = desk.request.limits.get("position_pct")
    room = min(made.cash, max(0.0, made.equity * limit / 100 - made.held) if limit else made.cash)
    amounts = [room]
    if plan.money is not None:
        amounts.append(plan.money)
    if plan.part_pct is not None:
        amounts.append((made.cash if plan.of_cash else made.equity) * plan.part_pct / 100)
    if plan.risks and (distance := _distance(made, plan)) > 0:
        amounts.append(_loss_allowed(made, plan) / distance * made.price)
    return reply_of_lines(
        desk.speak(
            "{name}: for at most **{amount}**, at {price} a share ({date}){mark}.",
            **_say_purchase(desk, made),
            amount=_money(desk, made, min(amounts)),
        ),
        desk.speak("How many shares are one lot of it I do not know, so I give no number: round down to whole lots."),
    )


def _say_free(desk: ToolDesk, made: _Purchase) -> Reply:
    """Return what the cash alone pays for, and that the rules stay in force."""
    shares = made.lots(made.cash / made.price)
    return reply_of_lines(
        desk.speak(
            "{name}: without the position limit your cash ({cash}) pays for at most **{shares}** shares at {price}"
            " ({date}), before fees{mark}.",
            **_say_purchase(desk, made),
            cash=_money(desk, made, made.cash),
            shares=_say_count(desk, made, shares),
        ),
        _say_rule(desk, made, shares),
        desk.speak("Your rules stay in force until you change them: `ia config set risk.position_pct PERCENT`."),
    )


def _distance(made: _Purchase, plan: Plan) -> float:
    """Return how far the stop is below the price: as it is told, or twice the usual move; 0 or less for none."""
    if plan.stop is not None:
        return made.price - plan.stop
    if plan.stop_pct is not None:
        return made.price * plan.stop_pct / 100
    return ATR_STOP * (made.atr or 0.0)


def _loss_allowed(made: _Purchase, plan: Plan) -> float:
    """Return what the stop may cost in money."""
    percent = plan.risk_pct if plan.risk_pct is not None else USUAL_RISK
    return plan.risked if plan.risked is not None else made.equity * percent / 100


def _say_stop(desk: ToolDesk, made: _Purchase, plan: Plan) -> str:
    speak = desk.speak
    if plan.stop is not None:
        return speak("a stop at {stop}", stop=number(plan.stop, "price", speak))
    if plan.stop_pct is not None:
        return speak("a stop {percent}% below", percent=f"{plan.stop_pct:g}")
    return speak("a stop at twice the usual move below")


class _Cap(NamedTuple):
    """A limit of a purchase: the shares that it allows, its name, and how it is told."""

    allows: int
    name: str
    told: str


def _name_limit(desk: ToolDesk, made: _Purchase) -> str:
    """Return which of rules and cash allows least."""
    return desk.speak("the cash") if made.check.get("most_by") == "cash" else desk.speak("the position limit")


def _say_risked(desk: ToolDesk, made: _Purchase, plan: Plan) -> Reply:
    """Return how many shares a stop allows: by the risk, the budget and the rules, and what they would lose there."""
    speak, distance = desk.speak, _distance(made, plan)
    if distance <= 0:
        return reply_of_lines(
            speak(
                "{name}: a stop at {stop} is not below the price of {price} ({date}){mark}.",
                **_say_purchase(desk, made),
                stop=number(plan.stop, "price", speak),
            )
            if plan.stop is not None
            else speak("{name}: no stop can be computed: too few prices.", name=made.head)
        )
    told = plan.risk_pct is not None or plan.risked is not None
    budget = plan.money if plan.part_pct is None else (made.cash if plan.of_cash else made.equity) * plan.part_pct / 100
    caps: list[_Cap] = []
    if told or (made.shares is None and budget is None):
        risked = _loss_allowed(made, plan)
        share = f"{risked / made.equity * 100:.2f}".rstrip("0").rstrip(".")
        price, stop = Decimal(str(made.price)), Decimal(str(made.price)) - Decimal(str(round(distance, 6)))
        count = int(lots.size_by_loss(Decimal(str(risked)), price, stop, made.lot_rule or lots.WHOLE_SHARES))
        given = {"risked": _money(desk, made, risked), "percent": share, "count": f"{count:,}"}
        caps.append(
            _Cap(count, speak("the risk of {percent}%", **given),
                 speak("the risk of {percent}% ({risked}) allows {count}", **given))
            if told
            else _Cap(count, speak("the usual risk of {percent}%", **given),
                      speak("the usual risk of {percent}% ({risked}) allows {count}", **given))
        )  # fmt: skip
    if made.shares is not None:
        count = made.shares
        caps.append(_Cap(count, speak("your number"), speak("you asked for {count}", count=f"{count:,}")))
    if budget is not None:
        count = made.lots(budget / made.price)
        pays = speak("{amount} pay for {count}", amount=_money(desk, made, budget), count=f"{count:,}")
        caps.append(_Cap(count, speak("the money"), pays))
    allowed = speak("your rules and your cash allow {count} more", count=f"{made.most:,}")
    caps.append(_Cap(made.most, _name_limit(desk, made), allowed))
    least = min(caps, key=lambda cap: cap.allows)
    shares, loss = least.allows, least.allows * distance
    lines = [
        speak(
            "{name}: **{shares}** shares; what binds is {limit}. With {what} each can lose {distance}, together {loss}"
            " ({percent}% of the account); price {price} ({date}){mark}.",
            **_say_purchase(desk, made),
            shares=_say_count(desk, made, shares),
            limit=least.name,
            what=_say_stop(desk, made, plan),
            distance=number(distance, "price", speak),
            percent=f"{loss / made.equity * 100:.2f}",
            loss=_money(desk, made, loss),
        ),
        speak("Of these the least counts: {caps}.", caps=speak.join_clauses([cap.told for cap in caps])),
    ]
    if refused := _say_refused(desk, made):
        lines.append(refused)
    return reply_of_lines(*lines)


def _say_refused(desk: ToolDesk, made: _Purchase) -> str:
    """Return the rules that forbid any purchase now; "" without one."""
    refusing = [each for each in made.check.get("breaches") or [] if isinstance(each, dict) and each.get("refuses")]
    others = [each for each in refusing if each.get("rule") not in ("risk.position_pct", "account.cash")]
    own, abroad = (
        desk.speak.join_clauses([risk_rules.describe_breach(desk, each) for each in part])
        for part in risk_rules.split_refusing(others)
    )
    told = [desk.speak("Your rules forbid a purchase now: {breaches}.", breaches=own)] if own else []
    return " ".join(
        [*told, *([desk.speak("The exchange would not take it: {breaches}.", breaches=abroad)] if abroad else [])]
    )


def _say_weight(desk: ToolDesk, made: _Purchase, shares: int, money: float | None) -> Reply:
    """Return what a purchase of so many shares costs, whether the money pays for it, and the weight that it makes."""
    weight, cost = (made.held + shares * made.price) / made.equity * 100, shares * made.price
    speak, funds = desk.speak, made.cash if money is None else money
    return reply_of_lines(
        speak(
            "{name}: after buying {shares} shares more ({amount} at {price}, {date}) it is **{weight}%** of"
            " {account}{mark}.",
            **_say_purchase(desk, made),
            shares=_say_count(desk, made, shares),
            amount=_money(desk, made, cost),
            weight=f"{weight:.2f}",
            account=made.account,
        ),
        speak("{funds} pay for that, without fees.", funds=_money(desk, made, funds))
        if cost <= funds
        else speak("{funds} do not pay for that.", funds=_money(desk, made, funds)),
        _say_rule(desk, made, shares),
    )


def _load_fees(desk: ToolDesk, made: _Purchase, shares: int, amount: float) -> Work[tuple[int, float | None]]:
    """Return how many shares an amount pays for with the fees, and these fees; None where they are not known."""
    fees = None
    for _ in range(3):
        if shares <= 0:
            break
        check = yield from desk.one("risk.check", symbol=made.mention.code, quantity=shares, price=made.price)
        fees = check.get("fees") if check.ok else None
        if fees is None or shares * made.price + float(fees) <= amount + 0.005:
            break
        shares, fees = made.lots(min((amount - float(fees)) / made.price, shares - 1)), None
    return shares, None if fees is None else float(fees)


def _say_budget(desk: ToolDesk, made: _Purchase, plan: Plan) -> Work[Reply]:
    """Return how many shares an amount or a part of the account buys, with the fees."""
    speak = desk.speak
    whole = made.cash if plan.of_cash else made.equity
    base = whole if plan.money is None else plan.money
    amount = base if plan.part_pct is None else base * plan.part_pct / 100
    shares, fees = yield from _load_fees(desk, made, made.lots(amount / made.price), amount)
    told = (
        speak("{amount} ({percent}% of the cash)", amount=_money(desk, made, amount), percent=f"{plan.part_pct:g}")
        if plan.money is None and plan.of_cash
        else speak(
            "{amount} ({percent}% of the account)", amount=_money(desk, made, amount), percent=f"{plan.part_pct:g}"
        )
        if plan.money is None
        else _money(desk, made, amount)
    )
    given: Json = {**_say_purchase(desk, made), "amount": told, "shares": _say_count(desk, made, shares)}
    spent = shares * made.price + (fees or 0)
    return reply_of_lines(
        speak("{name}: {amount} buy **{shares}** shares at {price} ({date}), without fees{mark}.", **given)
        if fees is None
        else speak(
            "{name}: {amount} buy **{shares}** shares at {price} ({date}): {spent} with {fees} of fees, {left}"
            " left{mark}.",
            spent=_money(desk, made, spent), fees=wording.say_exact(desk, fees),
            left=wording.say_exact(desk, amount - spent), **given,
        ),
        *([_say_rule(desk, made, shares)] if shares else _say_one_lot(desk, made)),
    )  # fmt: skip


def _say_one_lot(desk: ToolDesk, made: _Purchase) -> list[str]:
    """Return that an amount does not pay for one lot, what one costs, and whether the rules allow it."""
    speak, rule = desk.speak, made.lot_rule
    if rule is None or not made.price:
        return [speak("That is less than one lot.")]
    least = int(rule.least)
    told = speak("That is less than one lot: {shares} shares cost {amount}.", shares=f"{least:,}",
                 amount=_money(desk, made, least * made.price))  # fmt: skip
    return [told, _say_rule(desk, made, least)]


def _say_ceiling(desk: ToolDesk, made: _Purchase, *, own_money: bool, of_rules: bool) -> Reply:
    """Return how many shares the least of risk, position limit and cash allows; how many to buy is the owner's choice.

    of_rules    the question is what the rules allow: the usual risk is no rule, and only named
    """
    speak, limit = desk.speak, desk.request.limits.get("position_pct")
    by_stop = made.lots(made.equity * USUAL_RISK / 100 / (ATR_STOP * made.atr)) if made.atr else made.most
    risky = by_stop < made.most and not of_rules
    shares = by_stop if risky else made.most
    lines = [
        speak(
            "{name}: at most **{shares}** shares ({amount}) at {price} ({date}); what binds is {limit}.{mark}",
            **_say_purchase(desk, made),
            shares=_say_count(desk, made, shares),
            amount=_money(desk, made, shares * made.price),
            limit=speak("the usual risk of {percent}%", percent=f"{USUAL_RISK:g}")
            if risky
            else _name_limit(desk, made),
        )
    ]
    if risky:
        lines.append(speak("Your rules and your cash allow {count}.", count=f"{made.most:,}"))
    if limit:
        room = max(0.0, made.equity * limit / 100 - made.held)
        given = {
            "limit": f"{limit:g}",
            "equity": wording.say_exact(desk, made.equity),
            "room": wording.say_exact(desk, room),
            "held": wording.say_exact(desk, made.held),
            "cash": wording.say_exact(desk, made.cash),
        }
        lines.append(
            speak(
                "The position limit of {limit}% of {equity} leaves {room}; you hold {held} of it, and {cash} in cash.",
                **given,
            )
            if made.held
            else speak(
                "The position limit of {limit}% of {equity} leaves {room}; you hold none of it, and {cash} in cash.",
                **given,
            )
        )
    if own_money and (paid := made.lots(made.cash / made.price)) > made.most:
        lines.append(
            speak("The cash alone would pay for {shares} shares: the position limit binds.", shares=f"{paid:,}")
        )
    refusing = [each for each in made.check.get("breaches") or [] if isinstance(each, dict) and each.get("refuses")]
    if refusing and (refused := _say_rule(desk, made, made.most) if made.most else _say_refused(desk, made)):
        lines.append(refused)
    if made.atr:
        loss = by_stop * ATR_STOP * made.atr
        lines.append(
            speak(
                "With a stop at twice the usual move ({distance}) below, {shares} shares can lose {loss} ({percent}% of"
                " the account).",
                distance=number(ATR_STOP * made.atr, "price", speak),
                percent=f"{loss / made.equity * 100:.2f}",
                loss=wording.say_exact(desk, loss),
                shares=f"{by_stop:,}",
            )
        )
    lines.append(speak("That is a ceiling, no advice to buy."))
    return reply_of_lines(*lines)


_SETTINGS = (
    ("risk.stop_loss_pct", pattern(r"止损|\bstop", re.I)),
    ("risk.cooling_hours", pattern(r"冷却|冷静|\bcool", re.I)),
    ("risk.rise_pct", pattern(r"涨幅|追高|追涨|\bris[ei]|\bchas", re.I)),
    ("risk.day_stop_pct", pattern(r"单日|当日|今天|每天|日内|\bdaily\b|\bday\b", re.I)),
    ("risk.position_pct", pattern(r"仓位|单只|持仓|\bposition|\bweight|\bper stock", re.I)),
)
"""Settings of the risk rules and the words that mean them; the first counts."""


def answer_set_limit(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how a risk rule is changed: by a setting, which only its owner writes."""
    yield from ()
    speak = desk.speak
    name = next((name for name, form in _SETTINGS if form.search(asked.words)), "risk.position_pct")
    figures = re.findall(r"\d+(?:\.\d+)?", asked.words)
    value = figures[0] if len(figures) == 1 else speak("VALUE")
    now = desk.request.limits.get(name.removeprefix("risk."))
    lines = [speak("I do not change your rules; you do: `ia config set {name} {value}`", name=name, value=value)]
    if now is not None:
        lines.append(speak("In force now: `{name}` {value}.", name=name, value=f"{now:g}"))
    return reply_of_lines(*lines)


def explain_limit(desk: ToolDesk, asked: FactQuestion) -> Reply:
    """Return why a risk rule has its number: it is the owner's setting, with its default and what it costs at most."""
    speak, limits = desk.speak, desk.request.limits
    name = next((name for name, form in _SETTINGS if form.search(asked.words)), "risk.position_pct")
    value = limits.get(name.removeprefix("risk."))
    if value is None:
        return reply_of_lines(speak("No risk rules are in force yet: they begin with the first entry of the ledger."))
    default = next(str(key.default) for key in config.KEYS if key.name == name)
    given: Json = {"name": name, "value": f"{value:g}", "default": default}
    lines = [
        speak("**{value}** is ia's default of the setting `{name}`.", **given)
        if f"{value:g}" == default
        else speak("**{value}** is your setting `{name}` (ia's default: {default}).", **given)
    ]
    stop, weight = limits.get("stop_loss_pct"), limits.get("position_pct")
    if name in ("risk.stop_loss_pct", "risk.position_pct") and stop and weight:
        lines.append(
            speak("A position at its limit of {weight}% that is sold at the stop of -{stop}% costs {cost}% of the"
                  " account.", weight=f"{weight:g}", stop=f"{stop:g}", cost=f"{weight * stop / 100:.2f}")
        )  # fmt: skip
    lines.append(speak("The number is a convention, not computed from your securities; yours to change: `ia config set"
                       " {name} VALUE`.", **given))  # fmt: skip
    return reply_of_lines(*lines)


_HAD = pattern(r"\bever (?:had|held|owned|put)\b|曾经|最多(?:持有|拿|买)过", re.I)


def answer_most(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how much money one security may take at most, in each currency."""
    speak, limit = desk.speak, desk.request.limits.get("position_pct")
    if past := _HAD.search(asked.words):
        return wording.ask_back(desk, (past[0],))  # what was held most is no limit
    if limit is None:
        return reply_of_lines(speak("No risk rules are in force yet: they begin with the first entry of the ledger."))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    told = [
        speak(
            "{amount} of {equity}",
            amount=wording.say_exact(
                desk, float(book.get("whole_equity") or book["equity"]) * limit / 100, currency=currency
            ),
            equity=wording.say_exact(desk, book.get("whole_equity") or book["equity"]),
        )
        for currency, book in wording.objects_of(status, "currencies").items()
        if book.get("equity")
    ]
    return reply_of_lines(
        speak(
            "One security: at most **{limit}%** of the account: {amounts}.{mark}",
            limit=f"{limit:g}",
            amounts=speak.join_clauses(told) or "–",
            mark=wording.simulated_mark(desk, status.get("simulated")),
        ),
        speak("What is held of it counts. For one security ask: “how many CMB may I buy?”"),
    )


ANSWERS = {"size": answer_size, "set_limit": answer_set_limit, "most": answer_most}
