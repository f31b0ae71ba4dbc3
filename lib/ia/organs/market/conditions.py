"""`pe < 15 and roe > 15%`: conditions on the columns of the market, read by a small parser of our own into SQL.

    condition   either ("or" either)* · all ("and" all)* · "not" · comparison
    comparison  sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)+ · sum "in" (…) · sum "between" a "and" b
                column ("~" | "!~") text · a flag such as st
    sum         + - * / and brackets over columns and numbers: 15, 1.5, 5%, 100亿, 2e9, 50bn, 2020-01-01

Names, keywords and signs may be Chinese (`市盈率 < 15 且 行业 == 银行`). What a person writes reaches the database only
as a bound parameter: SQL is made of the columns' own text and of the signs that are listed here. A comparison with a
value that is missing is neither true nor false, as in SQL, and so is its negation.
"""

import re
import unicodedata
from typing import NamedTuple, NoReturn

from ia.kernel.errors import BadData, Message
from ia.organs.market.columns import BOARDS, DATE, FLAG, NUMBER, PCT, TEXT, Column, find, near
from ia.organs.ohlcv.canonical import is_date

MAX_LENGTH = 2_000
EXAMPLE = "`ia screen 'pe < 15 and roe > 15'`"
MAX_DEPTH = 16
MAX_PARTS = 200
"""Columns, numbers and texts of one condition: SQLite has its limits too."""

UNITS = {
    "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8, "百亿": 1e10, "千亿": 1e11, "万亿": 1e12,
    "k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12, "tn": 1e12,
}  # fmt: skip
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


class Token(NamedTuple):
    """A piece of a condition: its kind (number, date, text, word, sign, end), text, and place, counted from 1.

    A number has its value; percent tells that a % stands behind it.
    """

    kind: str
    text: str
    at: int
    value: float = 0.0
    percent: bool = False


class Part(NamedTuple):
    """A piece of SQL: its type, unit, place, the column that it is, and whether it is a number with a % behind it."""

    sql: str
    type: str
    at: int
    unit: str = ""
    column: Column | None = None
    percent: bool = False


class Condition(NamedTuple):
    """A condition in SQL over `snapshots s, securities c`: named parameters, and the columns that it asks about."""

    sql: str
    params: dict[str, float | str]
    columns: tuple[Column, ...]


def parse(text: str) -> Condition:
    """Return a condition as SQL with named parameters.

    raises  BadData that names the place, and for an unknown column those that are like it.
    """
    if len(text) > MAX_LENGTH:
        raise BadData("the condition is longer than {limit} characters", limit=MAX_LENGTH)
    return _Parser(_tokens(text)).condition()


def _fail(at: int, what: Message, *, hint: str | None = EXAMPLE, **params: object) -> NoReturn:
    raise BadData("character {at} of the condition: {what}", at=at, what=what, hint=hint, **params)


def _plain(text: str) -> str:
    """Return a text with full-width signs, letters and digits as plain ones, each at its place."""
    folded = (unicodedata.normalize("NFKC", char) if char not in _QUOTES else char for char in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, folded, strict=True))


def _tokens(written: str) -> list[Token]:
    text = _plain(written)
    if lost := _SURROGATE.search(text):  # what was no UTF-8 on the command line
        _fail(lost.start() + 1, Message("{sign!r} means nothing here", sign=lost[0]))
    found: list[Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        if text[at] in _QUOTES:
            end = text.find(_QUOTES[text[at]], at + 1)
            if end < 0:
                _fail(at + 1, Message("the quotation does not end"))
            found.append(Token("text", text[at + 1 : end], at + 1))
            at = end + 1
            continue
        match = _TOKEN.match(text, at)
        assert match is not None  # `other` is any character
        token = _token(match, text)
        found.append(token)
        at = token.at - 1 + len(token.text)
        if token.kind in ("word", "sign"):
            found[-1] = token._replace(text=_WORDS.get(token.text.lower(), token.text))
        elif token.kind == "number" and (unit := _UNIT.match(text, at)):
            value = token.value * UNITS.get((unit[2] or "").lower(), 1.0)
            found[-1] = token._replace(text=text[token.at - 1 : unit.end()], value=value, percent=bool(unit[1]))
            at = unit.end()
    return [*found, Token("end", "", len(text) + 1)]


def _token(match: re.Match[str], text: str) -> Token:
    """Return the token of a match; a Chinese word ends where a sign in it begins: 市盈率小于15且…"""
    kind, word, at = match.lastgroup or "", match[0], match.start() + 1
    if kind == "other":
        _fail(at, Message("{sign!r} means nothing here", sign=word))
    if kind == "date" and not is_date(word):
        _fail(at, Message("{text!r} is not a date", text=word), hint="write a date as 2024-03-15")
    if kind == "number":
        value = float(word)
        if value - value:
            _fail(at, Message("the number is too large"))
        return Token(kind, word, at, value)
    if kind == "word":
        sign = _SIGN_WITHIN.search(word)
        if sign:
            word = word[: sign.start()] or sign[0]
        if word[0] == "非" and (column := find(word[1:])) and column.type == FLAG:
            word = "非"
        if word.lower() in _WORDS:
            kind = "sign"
    return Token(kind, word, at)


class _Parser:
    """Reads tokens from left to right; every method returns the SQL of what it has read."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.place = 0
        self.depth = 0
        self.params: dict[str, float | str] = {}
        self.columns: dict[str, Column] = {}

    def condition(self) -> Condition:
        if self.next.kind == "end":
            raise BadData("the condition is empty", hint=EXAMPLE)
        sql = self.either()
        if self.next.kind != "end":
            _fail(self.next.at, Message("{word!r} was not expected", word=self.next.text))
        return Condition(sql, self.params, tuple(self.columns.values()))

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self) -> Token:
        token = self.tokens[self.place]
        self.place += token.kind != "end"
        return token

    def sign(self, *signs: str) -> str:
        """Take the next token if it is one of these signs, and return it; else "" ."""
        if self.next.kind == "sign" and self.next.text in signs:
            return self.take().text
        return ""

    def expect(self, sign: str) -> None:
        if not self.sign(sign):
            _fail(self.next.at, Message("{sign!r} is missing", sign=sign))

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            _fail(self.next.at, Message("the brackets are nested too deeply"))

    def bound(self, value: float | str) -> str:
        """Return the parameter that stands for a value."""
        name = f"p{len(self.params)}"
        self.params[name] = value
        if len(self.params) > MAX_PARTS:
            _fail(self.next.at, Message("more than {limit} values", limit=MAX_PARTS))
        return f":{name}"

    def either(self) -> str:
        parts = [self.all()]
        while self.sign("or"):
            parts.append(self.all())
        return f"({' OR '.join(parts)})" if len(parts) > 1 else parts[0]

    def all(self) -> str:
        parts = [self.negated()]
        while self.sign("and"):
            parts.append(self.negated())
        return f"({' AND '.join(parts)})" if len(parts) > 1 else parts[0]

    def negated(self) -> str:
        if self.sign("not"):
            self.deeper()
            inner = self.negated()
            self.depth -= 1
            return f"(NOT {inner})"
        if self.next.kind == "sign" and self.next.text == "(" and self._holds_condition():
            self.take()
            self.deeper()
            inner = self.either()
            self.expect(")")
            self.depth -= 1
            return inner
        return self.comparison()

    def _holds_condition(self) -> bool:
        """Whether the bracket that opens here holds a condition, and not a part of a sum."""
        open_ = 0
        for token in self.tokens[self.place :]:
            if token.kind == "sign":
                open_ += {"(": 1, ")": -1}.get(token.text, 0)
                if token.text in (*_SQL, "and", "or", "not", "~", "!~", "in", "between"):
                    return True
            if token.kind == "word" and (column := find(token.text)) and column.type == FLAG:
                return True
            if open_ == 0:
                break
        return False

    def comparison(self) -> str:
        left = self.sum()
        if left.type == FLAG:
            if self.next.kind == "sign" and self.next.text in (*_SQL, "~", "!~", "in", "between", *"+-*/"):
                name = self._name(left)
                hint = "write {name}, or not {name}"
                _fail(self.next.at, Message("{name} is yes or no", name=name), hint=hint, name=name)
            return left.sql
        no = bool(
            self.next.text == "not" and self.tokens[self.place + 1].text in ("in", "between") and self.sign("not")
        )
        if self.sign("in"):
            return self._negated_if(no, self.member(left))
        if self.sign("between"):
            low = self.right(left)
            self.expect("and")
            return self._negated_if(no, f"({left.sql} BETWEEN {low} AND {self.right(left)})")
        if left.type == TEXT:
            return self.of_text(left)
        parts = []
        while operator := self.sign(*_SQL):
            start = self.next
            right = self.operand(left)
            parts.append(f"{self.compared(left, right)} {_SQL[operator]} {self.compared(right, left)}")
            left = right
            if right.type != NUMBER and right.type != DATE:
                _fail(start.at, Message("{name} is no number", name=self._name(right)))
        if not parts:
            if self.sign("~", "!~"):
                _fail(self.tokens[self.place - 1].at, Message("{name} is no text", name=self._name(left)))
            _fail(self.next.at, Message("a comparison is missing"), hint="`{name} < …`", name=self._name(left))
        return f"({' AND '.join(parts)})"

    def _negated_if(self, no: bool, sql: str) -> str:
        return f"(NOT {sql})" if no else sql

    def _name(self, part: Part) -> str | Message:
        return part.column.name if part.column else Message("what stands there")

    def operand(self, left: Part) -> Part:
        """Return the right side of a comparison of numbers or dates, checked to be of the same type."""
        start = self.next
        right = self.sum()
        if right.type != left.type:
            hint = "write a date as 2024-03-15" if DATE in (left.type, right.type) else None
            name = self._name(left)
            if left.type == DATE:
                _fail(start.at, Message("{name} is compared with what is no date", name=name), hint=hint)
            _fail(start.at, Message("{name} is compared with what is no number", name=name), hint=hint)
        return right

    def right(self, left: Part) -> str:
        if left.type not in (NUMBER, DATE):
            _fail(left.at, Message("{name} is no number", name=self._name(left)))
        right = self.operand(left)
        return self.compared(right, left)

    def compared(self, part: Part, other: Part) -> str:
        """Return the SQL of a side of a comparison: `5%` is 5 of a column in per cent, and 0.05 of a ratio."""
        if not part.percent or other.unit == PCT:
            return part.sql
        if other.unit:
            _fail(part.at, Message("{name} is not in per cent", name=self._name(other)))
        return f"(({part.sql}) / 100.0)"

    def member(self, left: Part) -> str:
        """Return the SQL of `in (…)`."""
        self.expect("(")
        choices = []
        while True:
            if left.type == TEXT:
                choices.append(self.equals(left, self.text()))
            else:
                choices.append(f"{left.sql} = {self.right(left)}")
            if not self.sign(","):
                break
        self.expect(")")
        return f"({' OR '.join(choices)})"

    def of_text(self, left: Part) -> str:
        operator = self.sign("==", "!=", "~", "!~")
        if not operator:
            name = self._name(left)
            hint = "`{name} == 银行`, `{name} ~ 茅台` or `{name} in (…)`"
            _fail(self.next.at, Message("{name} is a text", name=name), hint=hint, name=name)
        value = self.text()
        if operator in ("~", "!~"):
            sql = f"(instr(lower({left.sql}), lower({self.bound(value)})) > 0)"
        else:
            sql = self.equals(left, value)
        return self._negated_if(operator[0] == "!", sql)

    def text(self) -> str:
        token = self.take()
        if token.kind not in ("word", "text", "number", "date"):
            _fail(token.at, Message("a text is missing"), hint="put what has signs in it into quotation marks")
        text = token.text
        if token.kind in ("word", "number"):  # 5G概念, 3D打印
            while self.next.kind in ("word", "number") and self.next.at == token.at + len(text):
                text += self.take().text
        return text

    def equals(self, left: Part, value: str) -> str:
        """Return the SQL of a text column being a value; of concepts, that the value is one of them."""
        assert left.column is not None
        name = left.column.name
        if name == "concepts":
            return f"(instr(';' || lower({left.sql}) || ';', ';' || lower({self.bound(value)}) || ';') > 0)"
        if name == "symbol" and "." not in value:
            return f"(substr({left.sql}, 1, length({left.sql}) - 3) = {self.bound(value)})"
        value = _SPELT.get(name, {}).get(value.lower(), value)
        return f"(lower({left.sql}) = lower({self.bound(value)}))"

    def sum(self) -> Part:
        """Return a sum. It is written flat: SQLite's own parser has room for about a hundred open brackets."""
        left = first = self.product()
        while operator := self.sign("+", "-"):
            right = self.product()
            self._numbers(left, right)
            sql = f"{self.compared(left, right)} {operator} {self.compared(right, left)}"
            left = Part(sql, NUMBER, left.at, left.unit or right.unit, percent=left.percent and right.percent)
        return left if left is first else left._replace(sql=f"({left.sql})")

    def product(self) -> Part:
        left = first = self.signed()
        while operator := self.sign("*", "/"):
            right = self.signed()
            self._numbers(left, right)
            sides = [f"({side.sql} / 100.0)" if side.percent else side.sql for side in (left, right)]
            units = ["" if side.percent else side.unit for side in (left, right)]
            unit = "".join(units) if "" in units else "" if operator == "/" and units[0] == units[1] else "?"
            left = Part(f"{sides[0]} {operator} {sides[1]}", NUMBER, left.at, unit)
        return left if left is first else left._replace(sql=f"({left.sql})")

    def _numbers(self, *sides: Part) -> None:
        for side in sides:
            if side.type != NUMBER:
                _fail(side.at, Message("{name} is no number", name=self._name(side)))

    def signed(self) -> Part:
        if not self.sign("-"):
            return self.atom()
        self.deeper()
        inner = self.signed()
        self.depth -= 1
        self._numbers(inner)
        return inner._replace(sql=f"(- {inner.sql})", column=None)

    def atom(self) -> Part:
        token = self.take()
        if token.kind == "number":
            unit = PCT if token.percent else ""
            return Part(self.bound(token.value), NUMBER, token.at, unit, percent=token.percent)
        if token.kind == "date":
            return Part(self.bound(token.text), DATE, token.at)
        if token.kind == "word":
            return self.named(token)
        if token.text == "(" and token.kind == "sign":
            self.deeper()
            inner = self.sum()
            self.expect(")")
            self.depth -= 1
            return inner
        if token.kind == "text":
            _fail(token.at, Message("a column stands on the left side"), hint="`name ~ 茅台`")
        what = Message("{word!r} was not expected", word=token.text) if token.text else Message("it is cut off")
        _fail(token.at, what)

    def named(self, token: Token) -> Part:
        column = find(token.text)
        if column is None:
            close = near(token.text)
            hint = "did you mean {near}?" if close else "`ia screen --columns` lists them"
            _fail(token.at, Message("there is no column {word!r}", word=token.text[:40]), hint=hint, near=close)
        self.columns[column.name] = column
        if len(self.columns) + len(self.params) > MAX_PARTS:
            _fail(token.at, Message("more than {limit} values", limit=MAX_PARTS))
        return Part(column.sql, column.type, token.at, column.unit, column)


_SPELT: dict[str, dict[str, str]] = {
    "board": {chinese.lower(): name for name, chinese in BOARDS.items()}
    | {"gem": "chinext", "beijing": "bse", "北证": "bse"},
    "exchange": {"上海": "SH", "沪": "SH", "上交所": "SH", "深圳": "SZ", "深": "SZ", "深交所": "SZ", "北京": "BJ"},
    "kind": {"股票": "stock", "指数": "index", "基金": "etf"},
}
"""How people write what these columns hold."""
