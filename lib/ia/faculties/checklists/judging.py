"""Judge a checklist: each item passes, fails or is unknown. A run trades nothing and is one event of the trail."""

import ast
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.faculties.checklists import figures
from ia.faculties.checklists.items import (
    ACCOUNT,
    ASK,
    BARS,
    DATES,
    RISK,
    RULE,
    SCREEN,
    CheckItem,
    Checklist,
    find_checklist,
)
from ia.faculties.skills import list_skills
from ia.faculties.skills.conditions import ConditionJudge, RuleFinding, expression, find_finding
from ia.kernel import audit
from ia.kernel.errors import BadData, IaError, Message, NotFound, Notify, UsageError, notify_once
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol
    from ia.organs.ohlcv.history import BarsAnswer

PASS, FAIL, UNKNOWN = "pass", "fail", "unknown"
_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


class CheckRequest(NamedTuple):
    """Which list is judged, and for which trade: one lot where no quantity is given, the latest price where none is.

    answer  asks the person a question; None where nobody answered. A model has no way to answer.
    """

    name: str
    symbol: str = ""
    quantity: str = ""
    price: str = ""
    allow_unknown: bool = False
    answer: Callable[[CheckItem], bool | None] = lambda _: None
    actor: str = "user"
    lang: str = "en"


class ItemResult(NamedTuple):
    """What became of an item. value: what was found. limit: what must hold. reason: why it is unknown, or failed.

    text, source: of the rule, where the item gives none.
    """

    result: str
    value: float | str | None = None
    limit: str = ""
    reason: Message | IaError | None = None
    text: str = ""
    source: str = ""


def run_checklist(ws: Workspace, request: CheckRequest, notify: Notify) -> Json:
    """Return the verdict of a checklist as plain data.

    `passed`: whether every `must` item passed (with allow_unknown: whether none failed). `failed`, `unknown` and
    `warned` name the items that count, that could not be judged, and that are only told.

    raises  NotFound for the list or the security, UsageError for the words of the request, BadData for a malformed
            list, TryLater or Unavailable where the source of the prices is down.
    """
    checklist = find_checklist(ws, request.name)
    judge = _ItemJudge(ws, checklist, request, notify_once(notify))
    rows = [judge.judge(item) for item in checklist.items]
    counted = [row for row in rows if row["severity"] == "must"]
    failed = [row["id"] for row in counted if row["result"] == FAIL]
    unknown = [row["id"] for row in counted if row["result"] == UNKNOWN]
    document: Json = {
        "check": checklist.name,
        "skill": checklist.skill,
        "title": checklist.title.in_language(request.lang),
        **judge.describe_trade(),
        "passed": not failed and (request.allow_unknown or not unknown),
        "failed": failed,
        "unknown": unknown,
        "warned": [row["id"] for row in rows if row not in counted and row["result"] != PASS],
        "items": rows,
    }
    told = {key: document[key] for key in ("symbol", "quantity", "price", "date", "passed", "failed", "unknown")}
    values = {row["id"]: [row["result"], row["value"], row["limit"]] for row in rows}
    audit.record(ws.db, "check.run", f"{checklist.skill}/{checklist.name}", request.actor, **told, items=values)
    return document


class _ItemJudge:
    """Judges the items of one list; bars, account and calendar are read once, when an item first needs them."""

    def __init__(self, ws: Workspace, checklist: Checklist, request: CheckRequest, notify: Notify) -> None:
        self.ws, self.checklist, self.request, self.notify = ws, checklist, request, notify
        self.voice = Voice(request.lang)
        self.symbol: Symbol | None = None
        self.quantity = Decimal(0)
        self.price: Decimal | None = None
        self._bars: BarsAnswer | None = None
        self._conditions: ConditionJudge | None = None
        self._supposed: Json | None = None
        self._account: dict[str, float | None] | None = None
        self._dates: dict[str, float | None] | None = None
        self._tests = {BARS: self._judge_bars, SCREEN: self._judge_screen, RULE: self._judge_rule,
                       RISK: self._judge_risk, ACCOUNT: self._judge_account, DATES: self._judge_dates,
                       ASK: self._judge_answer}  # fmt: skip
        self._read_request()

    def _read_request(self) -> None:
        """Read security, quantity and price. raises  UsageError, NotFound."""
        asked, name = self.request, self.checklist.name
        if not self.checklist.trade:
            if asked.symbol:
                raise UsageError("the checklist {name} is about no security", name=name, hint="ia check {name}")
            return
        if not asked.symbol:
            raise UsageError("the checklist {name} needs a SYMBOL", name=name, hint="ia check {name} SYMBOL")
        from ia.domain.rules.lots import find_lot
        from ia.kernel import clock
        from ia.organs.ledger import order
        from ia.wiring.ledger_prices import open_ledger

        self.symbol = open_ledger(self.ws).resolve_symbol(asked.symbol)
        lot = find_lot(self.symbol, clock.today(self.symbol.market))
        one_lot = lot.least if lot is not None else Decimal(1)
        self.quantity = order.parse_shares(asked.quantity, self.symbol) if asked.quantity else one_lot
        if lot is None and self.symbol.market == "HK" and not asked.quantity:
            self.notify(
                Message(
                    "{symbol}: the board lot is unknown, so the check is for 1 share; give QUANTITY",
                    symbol=self.symbol.canonical,
                )
            )
        self.price = order.parse_number(asked.price, "the price") if asked.price else None

    def describe_trade(self) -> Json:
        """Return the security, quantity and price that were judged; None where the list is about none."""
        if self.symbol is None:
            return dict.fromkeys(("symbol", "name", "action", "quantity", "price", "date", "simulated"))
        supposed, bars = self._supposed or {}, self._bars
        price = supposed.get("price") or (None if self.price is None else float(self.price))
        return {
            "symbol": self.symbol.canonical,
            "name": self.symbol.name,
            "action": self.checklist.trade,
            "quantity": float(self.quantity),
            "price": price,
            "date": bars.bars.date[-1] if bars and bars.bars.date else supposed.get("date"),
            "simulated": bool((bars and bars.series.simulated) or supposed.get("simulated")),
        }

    def judge(self, item: CheckItem) -> Json:
        """Return an item with its result, as plain data."""
        lang = self.request.lang
        found = self._tests[item.kind](item)
        text, source = item.text.in_language(lang) or found.text, item.source.in_language(lang) or found.source
        return {
            "id": item.id,
            "result": found.result,
            "severity": "must" if item.must else "should",
            "value": found.value,
            "limit": found.limit,
            "text": text,
            "reason": None if found.reason is None else self.voice.say(found.reason),
            "kind": item.kind,
            "source": source,
        }

    def _load_bars(self) -> "BarsAnswer":
        """Return the bars of the security. raises  what the source of prices raises: then nothing can be judged."""
        if self._bars is None:
            from ia.organs.compute import array_backend
            from ia.wiring.last_bars import load_bars

            assert self.symbol is not None
            array_backend.settle_on_numpy()
            self._bars = load_bars(self.ws, self.symbol.canonical, self.notify)
            if not self._bars.bars.date:
                raise NotFound("{symbol}: no prices", symbol=self.symbol.canonical)
        return self._bars

    def _judge_truth(self, node: ast.expr, wanted: bool) -> ItemResult:
        """Judge a condition over the bars as true or false."""
        if self._conditions is None:
            self._conditions = ConditionJudge(self._load_bars().bars, self.notify)
        self._conditions.prepare([node])
        answer = self._conditions.truth(node)
        limit = str(wanted).lower()
        if isinstance(answer, IaError):
            return ItemResult(UNKNOWN, None, limit, answer)
        return ItemResult(PASS if answer is wanted else FAIL, str(answer).lower(), limit)

    def _judge_bars(self, item: CheckItem) -> ItemResult:
        node = expression(item.test)
        assert node is not None
        found = self._judge_truth(node, True)
        sign = _SIGNS.get(type(node.ops[0])) if isinstance(node, ast.Compare) and len(node.ops) == 1 else None
        if found.result == UNKNOWN or sign is None or self._conditions is None:
            return found
        assert isinstance(node, ast.Compare)
        try:
            value, bound = (self._conditions.number(each) for each in (node.left, node.comparators[0]))
        except IaError:
            return found
        if value is None or bound is None:
            return ItemResult(UNKNOWN, None, "", Message("too few bars for {expression}", expression=item.test))
        return found._replace(value=_round(value), limit=f"{sign} {round(bound, 4):.10g}")

    def _judge_screen(self, item: CheckItem) -> ItemResult:
        from ia.organs.market.screen import screen_stocks
        from ia.organs.market.screen_conditions import parse_condition

        assert self.symbol is not None
        if self.symbol.market != "CN":
            return self._judge_foreign(item)
        only = f"symbol == '{self.symbol.canonical}'"
        columns = tuple(dict.fromkeys(column.name for column in parse_condition(item.test).columns))
        try:
            stored = screen_stocks(self.ws, only, columns=columns, notify=self.notify)
            if not stored.rows:
                return ItemResult(UNKNOWN, None, item.test, Message("no figures are stored; run `ia sync`"))
            met = screen_stocks(self.ws, f"{only} and ({item.test})", columns=columns)
        except IaError as error:
            return ItemResult(UNKNOWN, None, item.test, error)
        row = stored.rows[0]
        value = row[columns[0]] if len(columns) == 1 else " ".join(f"{name}={_show(row[name])}" for name in columns)
        value = _round(value) if isinstance(value, float) else value
        if met.unknown:
            missing = ", ".join(name for name in columns if row[name] is None)
            return ItemResult(UNKNOWN, value, item.test, Message("not stored: {names}", names=missing))
        return ItemResult(PASS if met.rows else FAIL, value, item.test)

    def _judge_foreign(self, item: CheckItem) -> ItemResult:
        """Judge a condition on the figures of a company of Hong Kong or the US: its quote and its newest report.

        Its P/E is that of the last twelve months; special treatment there is none of.
        """
        from ia.organs.market.market_reader import load_fundamentals, load_quotes
        from ia.organs.market.screen_conditions import judge_figures, parse_condition

        assert self.symbol is not None
        code, figures = self.symbol.canonical, dict[str, Any](st=0)
        try:
            quotes, _ = load_quotes(self.ws, [code], self.notify)
            figures |= {name: value for name, value in quotes[0].items() if value is not None} if quotes else {}
            _, reports = load_fundamentals(self.ws, code, 1, self.notify)
            figures |= {name: value for name, value in reports[0].items() if name not in figures}
        except IaError as error:
            if not figures.get("price"):
                return ItemResult(UNKNOWN, None, item.test, error)
        figures.setdefault("pe", figures.get("pe_ttm"))
        met = judge_figures(item.test, figures)
        names = tuple(dict.fromkeys(column.name for column in parse_condition(item.test).columns))
        value = figures.get(names[0]) if len(names) == 1 else " ".join(f"{n}={_show(figures.get(n))}" for n in names)
        value = _round(value) if isinstance(value, float) else value
        if met is None:
            missing = ", ".join(name for name in names if figures.get(name) is None)
            return ItemResult(UNKNOWN, value, item.test, Message("not stored: {names}", names=missing))
        return ItemResult(PASS if met else FAIL, value, item.test)

    def _judge_rule(self, item: CheckItem) -> ItemResult:
        """Judge a rule, pattern or red flag of a skill: it must not be the case, unless it speaks for the security."""
        skill, finding, node = self._find_rule(item.test)
        wanted = finding.stance == "for"
        text = finding.text if wanted else self.voice("not the case: {text}", text=finding.text)
        source = f"{skill}/{finding.id}: {finding.source}"
        if node is None:
            reason = Message("the rule is in words; a person has to judge it")
            return ItemResult(UNKNOWN, limit=str(wanted).lower(), reason=reason, text=text, source=source)
        if self.symbol is None:
            raise BadData("{id}: needs a security; add `trade: buy` or `trade: sell` to the list", id=item.id)
        return self._judge_truth(node, wanted)._replace(text=text, source=source)

    def _find_rule(self, name: str) -> tuple[str, RuleFinding, ast.expr | None]:
        """Return a rule by its id, or SKILL/ID: of the list's own skill, else of the first that has it.

        raises  BadData where none has it.
        """
        skill, _, short = name.rpartition("/")
        usable = [each.name for each in list_skills(self.ws) if each.enabled and each.problem is None]
        for each in sorted(usable, key=lambda one: one != self.checklist.skill):
            if skill in ("", each) and (found := find_finding(self.ws, each, short, self.request.lang)):
                return each, *found
        raise BadData("{path}: no skill has a rule {rule!r}", path=self.checklist.path, rule=name[:60])

    def _suppose(self) -> Json:
        """Return what the risk guard says of the trade (see suppose_trade), at the latest price where none is given."""
        if self._supposed is None:
            from ia.organs.ledger.whatif import suppose_trade
            from ia.wiring.ledger_prices import open_ledger

            assert self.symbol is not None
            if self.price is None:
                self._load_bars()  # stores the price that the ledger reads
            self._supposed = suppose_trade(
                open_ledger(self.ws, self.notify),
                self.symbol.canonical,
                action="sell" if self.checklist.trade == "sell" else "buy",
                quantity=self.quantity,
                price=self.price,
                translate=self.voice.say,
            )
        return self._supposed

    def _judge_risk(self, item: CheckItem) -> ItemResult:
        supposed, rules = self._suppose(), figures.find_risk_rules(item.test)
        broken = [each for each in supposed["breaches"] if each["refuses"] and each["rule"].startswith(rules)]
        lacking = [each for each in supposed["unknown"] if each["rule"].startswith((*rules, "price"))]
        value, limit = _risk_figures(item.test, supposed)
        if broken:
            if not limit and broken[0]["value"] is not None:
                value, limit = _round(broken[0]["value"]), _show(broken[0]["limit"])
            reason = Message("{reasons}", reasons="; ".join(str(each["message"]) for each in broken))
            return ItemResult(FAIL, value, limit, reason)
        if lacking:
            return ItemResult(UNKNOWN, value, limit, Message("{reason}", reason=lacking[0]["message"]))
        if item.test == "cash" and self.checklist.trade == "buy" and supposed.get("cash") is None:
            unknown = Message("cash in {currency} is unknown; enter it with `ia trade deposit` or set ledger.capital",
                              currency=supposed["currency"])  # fmt: skip
            return ItemResult(UNKNOWN, value, limit, unknown)
        return ItemResult(PASS, value, limit)

    def _judge_account(self, item: CheckItem) -> ItemResult:
        if self._account is None:
            self._account = figures.load_account(self.ws, self._suppose() if self.symbol is not None else None)
        return self._compare(ACCOUNT, item.test, self._account)

    def _judge_dates(self, item: CheckItem) -> ItemResult:
        if self._dates is None:
            assert self.symbol is not None
            bars = self._load_bars().bars
            self._dates = figures.load_dates(self.ws, self.symbol.canonical, bars.date[-1])
        return self._compare(DATES, item.test, self._dates)

    def _compare(self, key: str, test: str, known: dict[str, float | None]) -> ItemResult:
        comparison = figures.parse_comparison(key, test)
        value = known.get(comparison.figure)
        if value is None:
            reason = Message("{name} is not known", name=comparison.figure)
            if key == DATES and self.symbol is not None:
                reason = Message("no dates are stored; `ia calendar {symbol}` asks for them", symbol=self.symbol.code)
            return ItemResult(UNKNOWN, None, comparison.limit, reason)
        if value == float("inf"):
            result = PASS if comparison.holds(value) else FAIL
            return ItemResult(result, None, comparison.limit, Message("no date is announced"))
        return ItemResult(PASS if comparison.holds(value) else FAIL, _round(value), comparison.limit)

    def _judge_answer(self, item: CheckItem) -> ItemResult:
        answer = self.request.answer(item)
        if answer is None:
            reason = Message("only you can answer; `--yes {id}` answers yes", id=item.id)
            return ItemResult(UNKNOWN, None, "yes", reason)
        return ItemResult(PASS if answer else FAIL, "yes" if answer else "no", "yes")


def _risk_figures(name: str, supposed: Json) -> tuple[float | None, str]:
    """Return the figure that a risk item is about and what must hold of it, as far as there is one."""
    limits = supposed["limits"]
    match name:
        case "position":
            return _round(supposed.get("weight_pct")), f"<= {limits['position_pct']:.10g}"
        case "cash":
            need = supposed["amount"] + supposed["fees"] if supposed.get("amount") is not None else None
            cash = supposed.get("cash")
            return _round(need), "" if cash is None else f"<= {cash:.10g}"
        case "rise":
            return _round(supposed.get("change_pct")), f"<= {limits['rise_pct']:.10g}"
        case "daily-loss":
            day = supposed["day_pct"].get(supposed["currency"])
            return _round(None if day is None else -day), f"< {limits['day_stop_pct']:.10g}"
    return None, ""


def _round(value: float | None) -> float | None:
    """Return a number with as many digits as a person compares, a whole one as an int; None for None."""
    if value is None:
        return None
    return int(value) if value == int(value) else round(value, 4)


def _show(value: object) -> str:
    return "" if value is None else f"{value:.10g}" if isinstance(value, float) else str(value)
