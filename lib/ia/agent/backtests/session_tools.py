"""The tools of a run: market, indicator, account, trade and memory of the session that it lives in, and no others.

They have the names and answers of the tools of a turn. An order is `submitted` to the simulated exchange; nothing of
the workspace is read or written.
"""

from typing import Annotated, Any, Literal

from ia.agent.backtests.past_market import PastMarket
from ia.agent.backtests.run_memory import RunMemory
from ia.agent.backtests.trading_account import TradingAccount
from ia.agent.tools.builtin import indicator as indicators
from ia.agent.tools.registry import READ, WRITE, Tool, describe_tool, tool
from ia.agent.tools.schema import AtLeast
from ia.agent.tools.scope import Scope
from ia.kernel.errors import BadData, Message
from ia.kernel.jsontypes import Json
from ia.organs.ohlcv.canonical import Bars

MAX_BARS = 250
MAX_REASON = 500
Symbol = Annotated[str, "a security of this run"]


class SessionTools:
    """The tools over one run; `begin_session` moves them on."""

    def __init__(self, market: PastMarket, account: TradingAccount, memory: RunMemory) -> None:
        self.market, self.account, self.memory = market, account, memory
        self.day = ""
        self.orders: list[Json] = []
        self.refusals: list[Json] = []
        self.written: list[str] = []

    def begin_session(self, day: str) -> None:
        """Go on to a session, or to another turn of it."""
        self.day = day
        self.orders, self.refusals, self.written = [], [], []

    def tools(self) -> list[Tool]:
        """Return the tools as the router takes them."""
        own = (
            self.observe_market,
            self.load_history,
            self.evaluate_code,
            self.calculate_indicator,
            self.show_account,
            self.execute_trade,
            self.log_entry,
            self.write_note,
            self.recall_memory,
        )
        return [
            *map(describe_tool, (indicators.list_indicators, indicators.describe_indicator)),
            *map(describe_tool, own),
        ]

    def _bars(self, symbol: str) -> tuple[str, Bars]:
        name = self.market.find_name(symbol)
        bars = self.market.bars_as_of(name, self.day)
        if not bars.date:
            raise BadData("{symbol} has no bars yet", symbol=name)
        return name, bars

    def _show_date(self, told: Json) -> Json:
        """Return a result with its date as the model knows it."""
        day = told.get("date")
        return {**told, "date": self.market.show_day(day)} if isinstance(day, str) else told

    @tool("market.observe", READ)
    def observe_market(self, _scope: Scope, symbol: Annotated[str, "default: all of this run"] = "") -> Json:
        """Show the bar of the session: open, high, low, close, volume in shares. A security without a bar did not
        trade.
        """
        names = [self.market.find_name(symbol)] if symbol else list(self.market.securities)
        return {"datetime": self.market.show_day(self.day), "bars": self.describe_bars(names)}

    def describe_bars(self, names: list[str]) -> Json:
        """Return the bars of the session by security; None where it did not trade."""
        found: Json = {}
        for name in names:
            bars = self.market.bars_as_of(name, self.day)
            traded = bool(bars.date) and bars.date[-1] == self.day
            found[name] = (
                {
                    "open": bars.open[-1],
                    "high": bars.high[-1],
                    "low": bars.low[-1],
                    "close": bars.close[-1],
                    "volume": int(bars.volume[-1]),
                    "change_pct": round((bars.close[-1] / bars.close[-2] - 1) * 100, 2) if len(bars.date) > 1 else None,
                }
                if traded
                else None
            )
        return found

    @tool("market.history", READ)
    def load_history(
        self, _scope: Scope, symbol: Symbol, bars: Annotated[int, "number of bars, at most 250", AtLeast(1)] = 60
    ) -> Json:
        """Show the newest daily bars of a security, prices adjusted as known on this day, oldest first."""
        name, found = self._bars(symbol)
        last = self.market.show_bars(found.slice_bars(-min(bars, MAX_BARS)))
        rows = [list(row) for row in zip(*last, strict=True)]
        return {"symbol": name, "columns": ["date", "open", "high", "low", "close", "volume"], "bars": rows}

    @tool("compute.run", READ)
    def evaluate_code(
        self,
        _scope: Scope,
        code: Annotated[str, "one expression, such as rsi(close, 14) < 30"],
        symbol: Symbol,
    ) -> Json:
        """Evaluate an expression over the daily bars of a security: its value on this day. In reach: open high low
        close volume, sma ema rsi macd bbands atr crossover crossunder highest lowest change zscore …, + - * / < > & |.
        """
        from ia.organs.compute.calculate import calculate_expression
        from ia.organs.compute.render import result_document

        if not _is_plain_expression(code):
            raise BadData(
                "{expression!r} cannot be evaluated in a run",
                expression=code[:80],
                hint="use the functions that `indicator.list` names, + - * / < > & | and numbers",
            )
        name, bars = self._bars(symbol)
        return {"symbol": name, **self._show_date(result_document(calculate_expression(code, lambda: bars)))}

    @tool("indicator.calc", READ)
    def calculate_indicator(
        self,
        _scope: Scope,
        name: Annotated[str, "RSI, MACD, BollingerBands …"],
        symbol: Symbol,
        params: Annotated[Json | None, 'by name: {"period": 14}'] = None,
    ) -> Json:
        """Calculate an indicator: its newest and its previous value."""
        from ia.organs.compute.indicators import calculate_indicator as calculate

        found, bars = self._bars(symbol)
        warned: list[str] = []

        def notify(message: Message) -> None:
            warned.append(self.account.voice.say(message))

        told = {"symbol": found, **self._show_date(calculate(name, bars, params or {}, notify))}
        return {**told, "warnings": warned} if warned else told

    @tool("account.status", READ)
    def show_account(self, _scope: Scope) -> Json:
        """Show the account: cash, equity, positions, pending orders, profit of the session and in all, largest drawdown
        (a fraction: 0.05 is 5 per cent).
        """
        return self.account.status()

    @tool("trade.execute", WRITE)
    def execute_trade(
        self,
        _scope: Scope,
        action: Annotated[Literal["buy", "sell", "close"], "close sells all that is held"],
        symbol: Symbol,
        quantity: Annotated[float | None, "shares; left out with close"] = None,
        order_type: Literal["market", "limit", "stop"] = "market",
        price: Annotated[float | None, "of a share; needed for limit and stop"] = None,
        reason: Annotated[str, "why, in a sentence"] = "",
    ) -> Json:
        """Give an order for the next session: it is filled then or lapses at its close. The risk guard checks it first:
        `rejected` tells the rule and its numbers, and is final.
        """
        name = self.market.find_name(symbol)
        words = " ".join(reason.split())[:MAX_REASON]
        told = self.account.submit(action, name, quantity, order_type, price, words)
        asked: Json = {"action": action, "symbol": name, "quantity": quantity, "order_type": order_type}
        asked |= {} if price is None else {"price": price}
        if told["status"] == "submitted":
            self.orders.append({"order_id": told["order_id"], **asked, "reason": words})
        else:
            self.refusals.append({**asked, "reason": told["reason"], "rules": told["rules"]})
        return told

    @tool("memory.log", WRITE)
    def log_entry(self, _scope: Scope, content: Annotated[str, "a sentence or a review of the day"]) -> Json:
        """Append an entry to the journal of this day."""
        return self._note_written(self.memory.log(content))

    @tool("memory.note", WRITE)
    def write_note(
        self,
        _scope: Scope,
        key: Annotated[str, "position_SYMBOL, playbook, a review such as week_03, or a topic"],
        content: Annotated[str, "the whole text; it replaces the old one"],
    ) -> Json:
        """Create or replace a note. `playbook` is in every prompt: keep it short."""
        return self._note_written(self.memory.note(key, content))

    @tool("memory.recall", READ)
    def recall_memory(self, _scope: Scope, query: str) -> Any:
        """Search the playbook, the notes, the journal of the last days and the reviews before."""
        return self.memory.recall(query)

    def _note_written(self, path: str) -> Json:
        if path not in self.written:
            self.written.append(path)
        return {"status": "written", "path": path}


def _is_plain_expression(code: str) -> bool:
    """Return True if an expression is evaluated on arrays in this process: a run starts no sandbox."""
    from ia.organs.compute import array_backend
    from ia.organs.compute.array_lane import compile_array

    array_backend.choose_arrays(code)
    return compile_array(code) is not None
