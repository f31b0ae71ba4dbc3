"""`pe < 15 and roe > 15%`: conditions on the columns of the market, read by a small parser of our own into SQL.

    condition   either ("or" either)* · all ("and" all)* · "not" · comparison
    comparison  sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)+ · sum "in" (…) · sum "between" a "and" b
                column ("~" | "!~") text · a flag such as st
    sum         + - * / and brackets over columns and numbers: 15, 1.5, 5%, 100亿, 2e9, 50bn, 2020-01-01

A comparison that calls a function (`rsi(close, 14) < 30`) is technical: it is kept as it stands, and the caller judges.

Names, keywords and signs may be Chinese (`市盈率 < 15 且 行业 == 银行`). What a person writes reaches the database only
as a bound parameter: SQL is made of the columns' own text and of the signs that are listed here. A comparison with a
value that is missing is neither true nor false, as in SQL, and so is its negation.
"""

import contextlib
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Mapping
from typing import NamedTuple, NoReturn

from ia.domain.instruments.groups import source_groups
from ia.kernel.errors import BadData, Message
from ia.organs.market.screen_columns import (
    BOARDS,
    DATE,
    FLAG,
    NUMBER,
    PCT,
    TEXT,
    ScreenColumn,
    find_column,
    similar_names,
)
from ia.organs.ohlcv.canonical import is_date

MAX_LENGTH = 2_000
GROUPS = ("industry", "concepts")
"""Columns of names that may be given in English."""
EXAMPLE = "try `ia screen 'pe < 15 and roe > 15'`"
MAX_DEPTH = 16
MAX_PARTS = 200
"""Columns, numbers and texts of one condition: SQLite has its limits too."""

UNITS = {
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
    "百亿": 1e10,
    "千亿": 1e11,
    "万亿": 1e12,
    "k": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "t": 1e12,
    "tn": 1e12,
}
_WORDS = {
    "and": "and", "且": "and", "并且": "and", "而且": "and", "&&": "and", "&": "and",
    "or": "or", "或": "or", "或者": "or", "||": "or", "|": "or", "not": "not", "非": "not", "!": "not",
    "in": "in", "between": "between", "介于": "between", "属于": "in",
    "<": "<", "小于": "<", "低于": "<", "<=": "<=", "=<": "<=", "≤": "<=", "小于等于": "<=", "不大于": "<=",
    ">": ">", "大于": ">", "高于": ">", ">=": ">=", "=>": ">=", "≥": ">=", "大于等于": ">=", "不小于": ">=",
    "==": "==", "=": "==", "等于": "==", "!=": "!=", "<>": "!=", "≠": "!=", "不等于": "!=",
    "~": "~", "包含": "~", "!~": "!~", "不包含": "!~",
    "+": "+", "-": "-", "−": "-", "*": "*", "×": "*", "/": "/", "÷": "/", "(": "(", ")": ")", ",": ",", "、": ",",
}  # fmt: skip
_SQL = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」"}
_CHINESE = sorted((word for word in _WORDS if "\u4e00" <= word[0] <= "\u9fff" and word != "非"), key=len, reverse=True)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SIGN_WITHIN = re.compile("|".join(_CHINESE))
_TOKEN = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d(?!\d))|(?P<word>\d{6}\.[A-Za-z]{2}\b|60日\w+|[^\W\d][\w.]*)"
    r"|(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<sign>&&|\|\||<=|=<|>=|=>|==|!=|<>|!~|[-+*/<>=!~(),&|≤≥≠−×÷、])|(?P<other>\S)"
)
_UNIT = re.compile(
    rf"\s?(?:(%)|({'|'.join(sorted(UNITS, key=len, reverse=True))})(?![A-Za-z0-9_])[元股]?|[元股倍])", re.I
)


class ConditionToken(NamedTuple):
    """A piece of a condition: its kind (number, date, text, word, sign, end), text, and place, counted from 1.

    A number has its value; percent tells that a % stands behind it.
    """

    kind: str
    text: str
    at: int
    value: float = 0.0
    percent: bool = False


class ConditionPart(NamedTuple):
    """A piece of SQL: its type, unit, place, the column that it is, and whether it is a number with a % behind it."""

    sql: str
    type: str
    at: int
    unit: str = ""
    column: ScreenColumn | None = None
    percent: bool = False


class Condition(NamedTuple):
    """A condition in SQL over `snapshots s, securities c`: named parameters, and the columns that it asks about.

    technical   the comparisons that call functions, joined with the rest by `and`; the SQL takes them as met
    """

    sql: str
    params: dict[str, float | str]
    columns: tuple[ScreenColumn, ...]
    technical: tuple[str, ...] = ()


IsFunction = Callable[[str], bool]


def parse_condition(text: str, *, of_row: bool = False, is_function: IsFunction = lambda name: False) -> Condition:
    """Return a condition as SQL with named parameters.

    of_row       over a row that has the columns under their names, instead of `snapshots s, securities c`
    is_function  tells the names that make a comparison technical where they are called

    raises  BadData that names the place, and for an unknown column those that are like it.

    >>> parse_condition("pb between 1 and 2 且 rsi(close, 14) < 30", is_function=lambda name: name == "rsi").technical
    ('rsi(close, 14) < 30',)
    """
    if len(text) > MAX_LENGTH:
        raise BadData("the condition is longer than {limit} characters; shorten it", limit=MAX_LENGTH)
    return _ConditionParser(text, is_function, of_row=of_row).parse_whole()


def judge_figures(text: str, figures: Mapping[str, object]) -> bool | None:
    """Return whether figures of one security, by the names of columns, meet a condition; None where one is missing.

    >>> judge_figures("pe > 0 and pe < 60", {"pe": 31.8}), judge_figures("市净率 < 1 or pe < 5", {"pb": 2.0})
    (True, None)
    """
    condition = parse_condition(text, of_row=True)
    names = [column.name for column in condition.columns]
    row = ", ".join(f":figure_{name} AS {name}" for name in names) or "1"
    given = {f"figure_{name}": figures.get(name) for name in names}
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        found = db.execute(f"SELECT {condition.sql} FROM (SELECT {row})", {**condition.params, **given}).fetchone()[0]
    return None if found is None else bool(found)


def _fail(at: int, what: Message, *, hint: str | None = EXAMPLE, **params: object) -> NoReturn:
    raise BadData("condition, character {at}: {what}", at=at, what=what, hint=hint, **params)


def _fail_at(token: ConditionToken) -> NoReturn:
    """Raise BadData for a token that stands where none of its kind may."""
    what = Message("unexpected {word!r}", word=token.text) if token.text else Message("the condition is incomplete")
    _fail(token.at, Message("{sign!r} is not valid here", sign=token.text) if token.kind == "other" else what)


def _normalize_width(text: str) -> str:
    """Return a text with full-width signs, letters and digits as plain ones, each at its place."""
    folded = (unicodedata.normalize("NFKC", char) if char not in _QUOTES else char for char in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, folded, strict=True))


def _tokenize(written: str) -> list[ConditionToken]:
    text = _normalize_width(written)
    if lost := _SURROGATE.search(text):  # what was no UTF-8 on the command line
        _fail(lost.start() + 1, Message("{sign!r} is not valid here", sign=lost[0]))
    found: list[ConditionToken] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        if text[at] in _QUOTES:
            end = text.find(_QUOTES[text[at]], at + 1)
            if end < 0:
                _fail(at + 1, Message("the closing quotation mark is missing"))
            found.append(ConditionToken("text", text[at + 1 : end], at + 1))
            at = end + 1
            continue
        match = _TOKEN.match(text, at)
        assert match is not None  # `other` is any character
        token = _build_token(match, text)
        found.append(token)
        at = token.at - 1 + len(token.text)
        if token.kind in ("word", "sign"):
            found[-1] = token._replace(text=_WORDS.get(token.text.lower(), token.text))
        elif token.kind == "number" and (unit := _UNIT.match(text, at)):
            value = token.value * UNITS.get((unit[2] or "").lower(), 1.0)
            found[-1] = token._replace(text=text[token.at - 1 : unit.end()], value=value, percent=bool(unit[1]))
            at = unit.end()
    return [*found, ConditionToken("end", "", len(text) + 1)]


def _build_token(match: re.Match[str], text: str) -> ConditionToken:
    """Return the token of a match; a Chinese word ends where a sign in it begins, as in 市盈率小于15."""
    kind, word, at = match.lastgroup or "", match[0], match.start() + 1
    if kind == "date" and not is_date(word):
        _fail(at, Message("{text!r} is not a valid date", text=word), hint="write a date as 2024-03-15")
    if kind == "number":
        value = float(word)
        if value - value:
            _fail(at, Message("the number is too large"))
        return ConditionToken(kind, word, at, value)
    if kind == "word":
        sign = _SIGN_WITHIN.search(word)
        if sign:
            word = word[: sign.start()] or sign[0]
        if word[0] == "非" and (column := find_column(word[1:])) and column.type == FLAG:
            word = "非"
        if word.lower() in _WORDS:
            kind = "sign"
    return ConditionToken(kind, word, at)


class _ConditionParser:
    """Reads tokens from left to right; every method returns the SQL of what it has read."""

    def __init__(self, text: str, is_function: IsFunction, *, of_row: bool) -> None:
        self.text, self.tokens, self.of_row = _normalize_width(text), _tokenize(text), of_row
        self.is_function = is_function
        self.technical: list[str] = []
        self.place = 0
        self.depth = 0
        self.params: dict[str, float | str] = {}
        self.columns: dict[str, ScreenColumn] = {}

    def parse_whole(self) -> Condition:
        if self.next_token.kind == "end":
            raise BadData("the condition is empty", hint=EXAMPLE)
        sql = self.parse_or()
        if self.next_token.kind != "end":
            _fail_at(self.next_token)
        return Condition(sql, self.params, tuple(self.columns.values()), tuple(self.technical))

    @property
    def next_token(self) -> ConditionToken:
        return self.tokens[self.place]

    def take_token(self) -> ConditionToken:
        token = self.tokens[self.place]
        self.place += token.kind != "end"
        return token

    def take_sign(self, *signs: str) -> str:
        """Take the next token if it is one of these signs, and return it; else "" ."""
        if self.next_token.kind == "sign" and self.next_token.text in signs:
            return self.take_token().text
        return ""

    def expect_sign(self, sign: str) -> None:
        if not self.take_sign(sign):
            _fail(self.next_token.at, Message("{sign!r} is missing", sign=sign))

    def count_nesting(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            _fail(self.next_token.at, Message("the parentheses are nested too deeply"))

    def bind_value(self, value: float | str) -> str:
        """Return the parameter that stands for a value."""
        name = f"p{len(self.params)}"
        self.params[name] = value
        if len(self.params) > MAX_PARTS:
            _fail(self.next_token.at, Message("more than {limit} values; use fewer", limit=MAX_PARTS))
        return f":{name}"

    def parse_or(self) -> str:
        before = len(self.technical)
        parts = [self.parse_and()]
        while self.take_sign("or"):
            parts.append(self.parse_and())
        if len(parts) > 1:
            self.forbid_technical(before)
        return f"({' OR '.join(parts)})" if len(parts) > 1 else parts[0]

    def parse_and(self) -> str:
        parts = [self.parse_not()]
        while self.take_sign("and"):
            parts.append(self.parse_not())
        return f"({' AND '.join(parts)})" if len(parts) > 1 else parts[0]

    def parse_not(self) -> str:
        if self.take_sign("not"):
            self.count_nesting()
            before = len(self.technical)
            inner = self.parse_not()
            self.forbid_technical(before)
            self.depth -= 1
            return f"(NOT {inner})"
        if self.next_token.kind == "sign" and self.next_token.text == "(" and self._holds_condition():
            self.take_token()
            self.count_nesting()
            inner = self.parse_or()
            self.expect_sign(")")
            self.depth -= 1
            return inner
        return self.parse_comparison()

    def _holds_condition(self) -> bool:
        """Whether the bracket that opens here holds a condition, and not a part of a sum."""
        open_ = 0
        for token in self.tokens[self.place :]:
            if token.kind == "sign":
                open_ += {"(": 1, ")": -1}.get(token.text, 0)
                if token.text in (*_SQL, "and", "or", "not", "~", "!~", "in", "between"):
                    return True
            if token.kind == "word" and (column := find_column(token.text)) and column.type == FLAG:
                return True
            if open_ == 0:
                break
        return False

    def forbid_technical(self, before: int) -> None:
        """Raise BadData where a technical comparison was read since there were so many."""
        if len(self.technical) > before:
            raise BadData(
                "{part!r}: a technical condition can only be joined with `and`",
                part=self.technical[-1],
                hint="`ia scan` joins them with | and &, too: '(rsi(close, 14) < 30) | (rsi(close, 14) > 70)'",
            )

    def take_technical(self) -> bool:
        """Take a comparison that calls a function, as it stands; False for one of columns alone."""
        depth, end, called = 0, self.place, False
        while (token := self.tokens[end]).kind != "end":
            following = self.tokens[end + 1]
            called |= token.kind == "word" and following.text == "(" and self.is_function(token.text)
            if token.kind == "sign":
                if depth == 0 and token.text in ("and", "or", ")"):
                    break
                depth += {"(": 1, ")": -1}.get(token.text, 0)
            end += 1
        if called:
            self._forbid_signs(self.tokens[self.place : end])
            self.technical.append(self.text[self.next_token.at - 1 : token.at - 1].strip())
            self.place = end
        return called

    def _forbid_signs(self, tokens: list[ConditionToken]) -> None:
        """Refuse a sign in a technical comparison that Python does not have."""
        for token in tokens:
            if token.kind == "sign" and token.text in ("between", "in", "~", "!~", "not"):
                hint = "write `20 < rsi(close, 14) < 30`"
                _fail(token.at, Message("{sign!r} does not work with functions", sign=token.text), hint=hint)

    def parse_comparison(self) -> str:
        if self.take_technical():
            return "1"
        left = self.parse_sum()
        if left.type == FLAG:
            if self.next_token.kind == "sign" and self.next_token.text in (*_SQL, "~", "!~", "in", "between", *"+-*/"):
                name = self._describe_part(left)
                hint = "write {name} or not {name}"
                _fail(self.next_token.at, Message("{name} is a yes/no column", name=name), hint=hint, name=name)
            return left.sql
        no = bool(
            self.next_token.text == "not"
            and self.tokens[self.place + 1].text in ("in", "between")
            and self.take_sign("not")
        )
        if self.take_sign("in"):
            return self._negate_if(no, self.parse_membership(left))
        if self.take_sign("between"):
            low = self.parse_right_side(left)
            self.expect_sign("and")
            return self._negate_if(no, f"({left.sql} BETWEEN {low} AND {self.parse_right_side(left)})")
        if left.type == TEXT:
            return self.parse_text_comparison(left)
        parts = []
        while operator := self.take_sign(*_SQL):
            start = self.next_token
            right = self.parse_operand(left)
            parts.append(f"{self.scaled_sql(left, right)} {_SQL[operator]} {self.scaled_sql(right, left)}")
            left = right
            if right.type != NUMBER and right.type != DATE:
                _fail(start.at, Message("{name} is not a number", name=self._describe_part(right)))
        if not parts:
            if self.take_sign("~", "!~"):
                _fail(self.tokens[self.place - 1].at, Message("{name} is not text", name=self._describe_part(left)))
            _fail(
                self.next_token.at,
                Message("a comparison is missing"),
                hint="write `{name} < …`",
                name=self._describe_part(left),
            )
        return f"({' AND '.join(parts)})"

    def _negate_if(self, no: bool, sql: str) -> str:
        return f"(NOT {sql})" if no else sql

    def _describe_part(self, part: ConditionPart) -> str | Message:
        return part.column.name if part.column else Message("this expression")

    def parse_operand(self, left: ConditionPart) -> ConditionPart:
        """Return the right side of a comparison of numbers or dates, checked to be of the same type."""
        start = self.next_token
        right = self.parse_sum()
        if right.type != left.type:
            hint = "write a date as 2024-03-15" if DATE in (left.type, right.type) else None
            name = self._describe_part(left)
            if left.type == DATE:
                _fail(start.at, Message("{name} must be compared with a date", name=name), hint=hint)
            _fail(start.at, Message("{name} must be compared with a number", name=name), hint=hint)
        return right

    def parse_right_side(self, left: ConditionPart) -> str:
        if left.type not in (NUMBER, DATE):
            _fail(left.at, Message("{name} is not a number", name=self._describe_part(left)))
        right = self.parse_operand(left)
        return self.scaled_sql(right, left)

    def scaled_sql(self, part: ConditionPart, other: ConditionPart) -> str:
        """Return the SQL of a side of a comparison: `5%` is 5 of a column in per cent, and 0.05 of a ratio."""
        if not part.percent or other.unit == PCT:
            return part.sql
        if other.unit:
            _fail(part.at, Message("{name} is not a percentage", name=self._describe_part(other)))
        return f"(({part.sql}) / 100.0)"

    def parse_membership(self, left: ConditionPart) -> str:
        """Return the SQL of `in (…)`."""
        self.expect_sign("(")
        choices = []
        while True:
            if left.type == TEXT:
                choices.append(self.equality_sql(left, self.parse_text()))
            else:
                choices.append(f"{left.sql} = {self.parse_right_side(left)}")
            if not self.take_sign(","):
                break
        self.expect_sign(")")
        return f"({' OR '.join(choices)})"

    def parse_text_comparison(self, left: ConditionPart) -> str:
        operator = self.take_sign("==", "!=", "~", "!~")
        if not operator:
            name = self._describe_part(left)
            hint = "write `{name} == 银行`, `{name} ~ 茅台` or `{name} in (…)`"
            _fail(self.next_token.at, Message("{name} is text", name=name), hint=hint, name=name)
        value = self.parse_text()
        if operator in ("~", "!~"):
            parts = [f"instr(lower({left.sql}), lower({self.bind_value(value)})) > 0"]
            if left.column is not None and left.column.name in GROUPS:
                parts += [self.group_sql(left, name) for name in source_groups(value, part=True)]
            sql = f"({' OR '.join(parts)})"
        else:
            sql = self.equality_sql(left, value)
        return self._negate_if(operator[0] == "!", sql)

    def parse_text(self) -> str:
        token = self.take_token()
        if token.kind not in ("word", "text", "number", "date"):
            _fail(
                token.at,
                Message("text is missing here"),
                hint="put text that contains special characters in quotation marks",
            )
        text = token.text
        if token.kind in ("word", "number"):  # 5G概念, 3D打印
            while self.next_token.kind in ("word", "number") and self.next_token.at == token.at + len(text):
                text += self.take_token().text
        return text

    def equality_sql(self, left: ConditionPart, value: str) -> str:
        """Return the SQL of a text column being a value; of concepts, that the value is one of them."""
        assert left.column is not None
        name = left.column.name
        if name in GROUPS:
            told = [self.group_sql(left, each) for each in (value, *source_groups(value))]
            return told[0] if len(told) == 1 else f"({' OR '.join(told)})"
        if name == "symbol" and "." not in value:
            return f"(substr({left.sql}, 1, length({left.sql}) - 3) = {self.bind_value(value)})"
        value = _SPELT.get(name, {}).get(value.lower(), value)
        return f"(lower({left.sql}) = lower({self.bind_value(value)}))"

    def group_sql(self, left: ConditionPart, value: str) -> str:
        """Return the SQL of a stock being in an industry or a concept of this name."""
        assert left.column is not None
        if left.column.name == "industry":
            return f"(lower({left.sql}) = lower({self.bind_value(value)}))"
        return f"(instr(';' || lower({left.sql}) || ';', ';' || lower({self.bind_value(value)}) || ';') > 0)"

    def parse_sum(self) -> ConditionPart:
        """Return a sum. It is written flat: SQLite's own parser has room for about a hundred open brackets."""
        left = first = self.parse_product()
        while operator := self.take_sign("+", "-"):
            right = self.parse_product()
            self._require_numbers(left, right)
            sql = f"{self.scaled_sql(left, right)} {operator} {self.scaled_sql(right, left)}"
            left = ConditionPart(sql, NUMBER, left.at, left.unit or right.unit, percent=left.percent and right.percent)
        return left if left is first else left._replace(sql=f"({left.sql})")

    def parse_product(self) -> ConditionPart:
        left = first = self.parse_signed()
        while operator := self.take_sign("*", "/"):
            right = self.parse_signed()
            self._require_numbers(left, right)
            sides = [f"({side.sql} / 100.0)" if side.percent else side.sql for side in (left, right)]
            units = ["" if side.percent else side.unit for side in (left, right)]
            unit = "".join(units) if "" in units else "" if operator == "/" and units[0] == units[1] else "?"
            left = ConditionPart(f"{sides[0]} {operator} {sides[1]}", NUMBER, left.at, unit)
        return left if left is first else left._replace(sql=f"({left.sql})")

    def _require_numbers(self, *sides: ConditionPart) -> None:
        for side in sides:
            if side.type != NUMBER:
                _fail(side.at, Message("{name} is not a number", name=self._describe_part(side)))

    def parse_signed(self) -> ConditionPart:
        if not self.take_sign("-"):
            return self.parse_atom()
        self.count_nesting()
        inner = self.parse_signed()
        self.depth -= 1
        self._require_numbers(inner)
        return inner._replace(sql=f"(- {inner.sql})", column=None)

    def parse_atom(self) -> ConditionPart:
        token = self.take_token()
        if token.kind == "number":
            unit = PCT if token.percent else ""
            return ConditionPart(self.bind_value(token.value), NUMBER, token.at, unit, percent=token.percent)
        if token.kind == "date":
            return ConditionPart(self.bind_value(token.text), DATE, token.at)
        if token.kind == "word":
            return self.parse_name(token)
        if token.text == "(" and token.kind == "sign":
            self.count_nesting()
            inner = self.parse_sum()
            self.expect_sign(")")
            self.depth -= 1
            return inner
        if token.kind == "text":
            _fail(token.at, Message("the left side must be a column"), hint="write `name ~ 茅台`")
        _fail_at(token)

    def parse_name(self, token: ConditionToken) -> ConditionPart:
        column = find_column(token.text)
        if column is None:
            close = similar_names(token.text)
            hint = "did you mean {near}?" if close else "`ia screen --columns` lists all columns"
            _fail(token.at, Message("unknown column {word!r}", word=token.text[:40]), hint=hint, near=close)
        self.columns[column.name] = column
        if len(self.columns) + len(self.params) > MAX_PARTS:
            _fail(token.at, Message("more than {limit} values; use fewer", limit=MAX_PARTS))
        sql = column.name if self.of_row else column.sql
        return ConditionPart(sql=sql, type=column.type, at=token.at, unit=column.unit, column=column)


_SPELT: dict[str, dict[str, str]] = {
    "board": {chinese.lower(): name for name, chinese in BOARDS.items()}
    | {"gem": "chinext", "beijing": "bse", "北证": "bse"},
    "exchange": {"上海": "SH", "沪": "SH", "上交所": "SH", "深圳": "SZ", "深": "SZ", "深交所": "SZ", "北京": "BJ"},
    "kind": {"股票": "stock", "指数": "index", "基金": "etf"},
}
"""How people write what these columns hold."""
