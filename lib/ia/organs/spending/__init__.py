"""What models cost: every call is reserved before and settled after, so that no cap is passed, whoever else is running.

Caps guard real money. Their day and month are therefore those of the real time in the user's zone, also under `--now`;
what is listed (`rows`) is listed by the clock, like everything else. Money is counted in whole trillionths (`_pico`) of
the currency and never as a float. The embedded analyst runs on this machine: it is listed, and no cap counts it.
"""

import contextlib
import os
import sqlite3
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import NamedTuple

from ia.kernel import clock, config, store
from ia.kernel.errors import ConfigError, Refused, UsageError
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

LOCAL = "ia-offline"
RESERVE = 1_000
"""Output tokens that a call reserves at a time."""
STALE = timedelta(minutes=15)
"""Age at which a reservation counts no more whose process cannot be looked at: it is on another machine."""
CAPS = (
    "turn.max_cost",
    "turn.max_cost_day",
    "turn.max_cost_month",
    "turn.max_tokens",
    "turn.max_tokens_day",
    "turn.max_tokens_month",
)
UNPRICED_TOKENS = 500_000
"""Tokens that one command may use of a model without a price, where turn.max_tokens is not set: the caps in money do
not count it."""
UNPRICED = "turn.max_tokens"
BY = {"day": "%Y-%m-%d", "month": "%Y-%m", "model": "", "session": ""}
_PICO = 10**12
_TOKENS = f"CASE WHEN model = '{LOCAL}' THEN 0 ELSE {{}}_tokens END"
"""The embedded analyst reads and writes no tokens: what is kept of them is an estimate of a prompt's size."""


class TokenPrice(NamedTuple):
    """What a million tokens cost."""

    input: Decimal
    output: Decimal
    currency: str

    def cost_in_pico(self, input_tokens: int, output_tokens: int) -> int:
        """Return the cost in trillionths, rounded up."""
        money = (self.input * input_tokens + self.output * output_tokens) * (_PICO // 1_000_000)
        return int(money.to_integral_value(ROUND_CEILING))


class Left(NamedTuple):
    """A cap: its limit, what is spent and what is left, in `unit` (tokens, or a currency)."""

    limit: Decimal
    spent: Decimal
    left: Decimal
    unit: str


class UsageRow(NamedTuple):
    """The calls of a day, month, model or session. `cost` is of those with a price, None where none has one.

    estimated   calls whose model told no token counts. unpriced: calls of models without a price.
    """

    key: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None
    currency: str
    estimated: int
    unpriced: int


def model_price(model_id: str) -> TokenPrice | None:
    """Return a model's price from the settings `prices.MODEL.input` and `.output`; None where there is neither.

    raises  ConfigError where only one of the two is set.
    """
    both = (
        [config.get_setting(f"prices.{model_id}.{side}") for side in ("input", "output")] if model_id else [None, None]
    )
    if both == [None, None]:
        return None
    if None in both:
        missing = ("input", "output")[both.index(None)]
        raise ConfigError(
            "the price of {model} has no {missing}",
            model=model_id,
            missing=missing,
            hint="set it with `ia config set prices.{model}.{missing} PRICE`, in money per million tokens",
        )
    return TokenPrice(Decimal(str(both[0])), Decimal(str(both[1])), _price_currency())


class Meter:
    """Counts the calls of one model in one command, and keeps them below the caps.

    Calls of one `turn` count as one command: a subagent's go with its turn's. Without a turn this meter is one.
    moment  the time at which its calls are listed; None: that of each call
    """

    def __init__(
        self,
        ws: Workspace,
        model_id: str,
        *,
        command: str,
        session: str = "",
        turn: str = "",
        actor: str = "user",
        moment: datetime | None = None,
    ) -> None:
        self.ws = ws
        self.model = model_id
        self.local = model_id == LOCAL
        self.price = None if self.local else model_price(model_id)
        self.turn = turn or uuid.uuid4().hex
        self._who = {"command": command, "session": session, "turn": self.turn, "model": model_id, "actor": actor}
        self._moment = moment
        self._caps = self._applicable_caps()
        self._row = 0
        self._input = self._output = self._reserved = 0

    @property
    def unpriced(self) -> bool:
        """Whether the caps in money cannot count this model."""
        return self.price is None and not self.local

    def adopt_price(self, model_id: str) -> None:
        """Take the price of the model that is meant, where the name it goes by has none: caps must count it."""
        if self.unpriced and model_id != self.model:
            self.price = model_price(model_id)
            self._caps = self._applicable_caps()

    def _applicable_caps(self) -> "list[_Cap]":
        """Return the caps that count this model."""
        if self.local:
            return []
        return (
            _configured_caps()
            if self.price is not None
            else _with_token_cap([cap for cap in _configured_caps() if not cap.money])
        )

    def remaining_caps(self) -> dict[str, Left]:
        """Return the caps that count this model, by name, with what is left of them for this command."""
        return {cap.name: _compute_left(cap, _sum_spent(self.ws.db, cap, turn=self.turn)) for cap in self._caps}

    def is_new(self) -> bool:
        """Whether no other command has called this model yet."""
        sql = "SELECT 1 FROM usage WHERE model = ? AND turn <> ? LIMIT 1"
        return self.ws.db.execute(sql, (self.model, self.turn)).fetchone() is None

    def reserve_call(self, input_tokens: int) -> None:
        """Reserve a call that sends so many tokens.

        raises  Refused where it would pass a cap.
        """
        self._input, self._output, self._reserved = max(0, input_tokens), 0, 0
        if self.local:
            return
        with _open_transaction(self.ws) as db:
            self._delete_reservation(db)
            for number in _find_orphans(db):
                db.execute("DELETE FROM usage WHERE id = ?", (number,))
            room = self._remaining_tokens(db)
            self._reserved = RESERVE if room is None else min(RESERVE, room)
            self._row = self._insert_row(db, self._input, self._reserved, estimated=True, state="reserved")

    def exceeds_cap(self, output_tokens: int) -> bool:
        """Whether an answer of so many tokens is above a cap. Asks the database once in RESERVE tokens."""
        self._output = max(self._output, output_tokens)
        if self._output <= self._reserved or not self._caps or not self._row:
            return False
        with _open_transaction(self.ws) as db:
            try:
                room = self._remaining_tokens(db)
            except Refused:
                return True
            if room is not None and self._output > room:
                return True
            self._reserved = self._output + RESERVE if room is None else min(self._output + RESERVE, room)
            self._update_row(db, self._input, self._reserved, estimated=True, state="reserved")
        return False

    def settle_call(self, input_tokens: int | None, output_tokens: int | None) -> None:
        """Enter what the call used; for None the estimates stand, and the call is marked as estimated.

        So they do for a count of nothing where something was sent or came: a cap must not trust a server that counts
        nothing.
        """
        input_tokens = None if self._input and (input_tokens or 0) <= 0 else input_tokens
        output_tokens = None if self._output and (output_tokens or 0) <= 0 else output_tokens
        estimated = input_tokens is None or output_tokens is None
        sent = self._input if input_tokens is None else max(0, input_tokens)
        got = (self._output or self._reserved) if output_tokens is None else max(0, output_tokens)
        with _open_transaction(self.ws) as db:
            if self._row:
                self._update_row(db, sent, got, estimated=estimated, state="done")
            else:
                self._insert_row(db, sent, got, estimated=estimated, state="done")
        self._row = 0

    def release_call(self) -> None:
        """Release the reservation of a call that failed."""
        if self._row:
            with _open_transaction(self.ws) as db:
                self._delete_reservation(db)

    def total_usage(self) -> Json:
        """Return what this command has used so far, plain values for JSON.

        {"input", "output", "cost", "currency", "calls"}; the cost is None where a model that was called has no price.
        """
        calls, sent, got, priced, cost = self.ws.db.execute(
            "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), count(cost_pico),"
            " coalesce(sum(cost_pico), 0) FROM usage WHERE turn = ? AND state = 'done'",
            (self.turn,),
        ).fetchone()
        money = float(Decimal(cost) / _PICO) if priced == calls else None
        return {"input": sent, "output": got, "cost": money, "currency": _price_currency(), "calls": calls}

    def _remaining_tokens(self, db: sqlite3.Connection) -> int | None:
        """Return how many tokens of output fit below all caps beside the input, at least 1; None: no cap applies.

        raises  Refused where none fits.
        """
        rooms = []
        for cap in self._caps:
            spent = _sum_spent(db, cap, turn=self.turn, but=self._row)
            room = cap.limit - spent - (self._compute_cost(self._input, 0)[0] or 0 if cap.money else self._input)
            each = self._compute_cost(0, 1)[0] if cap.money else 1
            if each:
                room //= each
                rooms.append(room)
            if room < (1 if each else 0):  # a model whose output is free needs no room for it
                told = _compute_left(cap, spent)
                raise Refused(
                    "a call with {tokens} tokens would exceed {cap}: {spent} of {limit} {unit} already used",
                    tokens=self._input,
                    cap=cap.name,
                    spent=format_amount(told.spent),
                    limit=format_amount(told.limit),
                    unit=told.unit,
                    hint="`ia usage` shows what is left; change the cap with `ia config set {cap} …`",
                )
        return min(rooms, default=None)

    def _compute_cost(self, sent: int, got: int) -> tuple[int | None, str | None]:
        if self.local:
            return 0, None
        return (self.price.cost_in_pico(sent, got), self.price.currency) if self.price else (None, None)

    def _insert_row(self, db: sqlite3.Connection, sent: int, got: int, *, estimated: bool, state: str) -> int:
        wall = clock.utc_stamp(clock.wall_time())
        cost, currency = self._compute_cost(sent, got)
        row = {
            **self._who,
            "time": clock.utc_stamp(self._moment or clock.now()) if self._moment or clock.is_simulated() else wall,
            "wall": wall,
            "input_tokens": sent,
            "output_tokens": got,
            "cost_pico": cost,
            "currency": currency,
            "estimated": int(estimated),
            "state": state,
            "owner": _process_identity(os.getpid()),
        }
        sql = f"INSERT INTO usage ({', '.join(row)}) VALUES ({', '.join(':' + name for name in row)})"
        return db.execute(sql, row).lastrowid or 0

    def _update_row(self, db: sqlite3.Connection, sent: int, got: int, *, estimated: bool, state: str) -> None:
        db.execute(
            "UPDATE usage SET input_tokens = ?, output_tokens = ?, cost_pico = ?, estimated = ?, state = ?"
            " WHERE id = ?",
            (sent, got, self._compute_cost(sent, got)[0], int(estimated), state, self._row),
        )

    def _delete_reservation(self, db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM usage WHERE id = ? AND state = 'reserved'", (self._row,))
        self._row = 0


def remaining_caps(ws: Workspace) -> dict[str, Left]:
    """Return the caps that are set, by name, with what is left of them; nothing is spent yet of a command's."""
    chosen = config.get_setting("model")
    unpriced = bool(chosen) and chosen != LOCAL and model_price(str(chosen)) is None
    return {
        cap.name: _compute_left(cap, _sum_spent(ws.db, cap))
        for cap in (_with_token_cap(_configured_caps()) if unpriced else _configured_caps())
    }


def usage_rows(ws: Workspace, by: str = "day", since: str | None = None) -> list[UsageRow]:
    """Return what was used, grouped: days and months (user's zone) newest first, models and sessions largest first.

    since   UTC stamp; calls at or after it. Nothing after now() is returned.
    raises  UsageError for a grouping that there is not.
    """
    if by not in BY:
        raise UsageError("{by}: cannot group usage by this; use {known}", by=by, known=", ".join(BY))
    key = f"strftime('{BY[by]}', time, :zone)" if BY[by] else by
    now = clock.now()
    offset = (now.utcoffset() or timedelta()).total_seconds()
    found = ws.db.execute(
        f"SELECT {key} AS grouped, count(*), sum({_TOKENS.format('input')}), sum({_TOKENS.format('output')}),"
        " sum(cost_pico),"
        f" coalesce(currency, :currency) AS money, sum(estimated AND model <> '{LOCAL}'), sum(cost_pico IS NULL)"
        " FROM usage WHERE state = 'done' AND time <= :now AND time >= :since GROUP BY grouped, money"
        f" ORDER BY {'grouped DESC' if BY[by] else 'sum(input_tokens + output_tokens) DESC, grouped'}",
        {
            "zone": f"{offset:+.0f} seconds" if clock.is_simulated() else "localtime",
            "currency": _price_currency(),
            "now": clock.utc_stamp(now),
            "since": since or "",
        },
    )
    return [
        UsageRow(
            key=key,
            calls=calls,
            input_tokens=sent,
            output_tokens=got,
            cost=None if cost is None else Decimal(cost) / _PICO,
            currency=money,
            estimated=estimated,
            unpriced=unpriced,
        )
        for key, calls, sent, got, cost, money, estimated, unpriced in found
    ]


def format_amount(amount: Decimal) -> str:
    """Return an amount as people write it: no exponent, no zeros at the end."""
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


class _Cap(NamedTuple):
    name: str
    scope: str
    money: bool
    limit: int  # tokens, or trillionths of the currency


def _configured_caps() -> list[_Cap]:
    """Return the caps that are set."""
    found = []
    for name in CAPS:
        value = config.get_setting(name)
        if value is not None:
            money = name.startswith("turn.max_cost")
            scope = name.rpartition("_")[2] if name.endswith(("_day", "_month")) else "command"
            found.append(_Cap(name, scope, money, int(Decimal(str(value)) * (_PICO if money else 1))))
    return found


def _with_token_cap(caps: list[_Cap]) -> list[_Cap]:
    """Return the caps of a model without a price: one in tokens a command is always among them."""
    if any(cap.name == UNPRICED for cap in caps):
        return caps
    return [*caps, _Cap(UNPRICED, "command", False, UNPRICED_TOKENS)]


def _sum_spent(db: sqlite3.Connection, cap: _Cap, *, turn: str = "", but: int = 0) -> int:
    """Return what counts towards a cap: settled calls, and live reservations of others."""
    wall = clock.wall_time()
    midnight = wall.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    begin = midnight.replace(day=1) if cap.scope == "month" else midnight
    what = "cost_pico" if cap.money else "input_tokens + output_tokens"
    live = f"wall > :stale AND id NOT IN ({', '.join(map(str, _find_orphans(db)))})"
    where = "turn = :turn" if cap.scope == "command" else "wall >= :begin"
    row = db.execute(
        f"SELECT coalesce(sum({what}), 0) FROM usage WHERE {where} AND id <> :but AND model <> :local"
        f" AND (state = 'done' OR ({live})){' AND currency = :currency' if cap.money else ''}",
        {
            "turn": turn,
            "begin": clock.utc_stamp(begin.astimezone()),
            "but": but,
            "local": LOCAL,
            "stale": clock.utc_stamp(wall - STALE),
            "currency": _price_currency(),
        },
    ).fetchone()
    return int(row[0])


def _process_identity(process: int) -> str:
    """Return what names a process of this machine: its number is used again, but not with the same start; "" if none.

    Where there is no /proc, the number alone has to do.
    """
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            started = file.read().rpartition(")")[2].split()[19]
    except OSError:
        if os.path.exists("/proc/self/stat"):
            return ""
        started = ""
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return ""
        except PermissionError:  # it runs, as another user
            pass
    return f"{os.uname().nodename}:{process}:{started}"


def _find_orphans(db: sqlite3.Connection) -> list[int]:
    """Return the reservations whose process is gone: it was killed in the middle of a call."""
    rows = db.execute("SELECT id, owner FROM usage WHERE state = 'reserved' AND owner <> ''").fetchall()
    host = os.uname().nodename
    return [
        number
        for number, owner in rows
        if owner.split(":")[0] == host and owner != _process_identity(int(owner.split(":")[1]))
    ]


def _compute_left(cap: _Cap, spent: int) -> Left:
    scale = _PICO if cap.money else 1
    return Left(
        Decimal(cap.limit) / scale,
        Decimal(spent) / scale,
        Decimal(max(0, cap.limit - spent)) / scale,
        _price_currency() if cap.money else "tokens",
    )


def _price_currency() -> str:
    return str(config.get_setting("prices.currency"))


@contextlib.contextmanager
def _open_transaction(ws: Workspace) -> Iterator[sqlite3.Connection]:
    with store.translate_errors(store.PRECIOUS, ws.root), store.transaction(ws.db):
        yield ws.db
