"""What a model is told of figures and failures: names of feeds stay names, and cells of files stay out of it.

A feed that lies, or a CSV file that somebody else wrote, would else speak to the model in its names and cells, row by
row, as if the words were ia's own.
"""

import json
import re
from typing import Any

from ia.kernel.errors import IaError, fill_template
from ia.kernel.patterns import pattern
from ia.kernel.untrusted import fold_text, plain_name

_NAME = frozenset({"name"})
_NAMES = frozenset(
    {"name", "names", "industry", "industries", "concept", "concepts", "leader", "leaders", "with", "board", "reason"}
)
FIELDS = {"market": _NAMES, "account": _NAME, "trade": _NAME, "risk": _NAME}
"""Organ → fields of its results that hold what a feed calls a security or a group, or its reason for a row."""
LONGEST = 16
"""Characters of a name that the bundled table does not know."""
_OCCASION = pattern(
    r"[日周月年单只前个连续三两二一五十及其内收盘价格累计涨跌幅偏离值达到过的证券股票无限制上下换手率振交易异常波动期间严重退市"
    r"整理首情形，、（）()S*T\d.%~ -]{1,60}"
)
"""What exchanges write as the reason for which a security is on their list of unusual trading."""
_FIXED = (
    "source",
    "line",
    "field",
    "symbol",
    "tool",
    "option",
    "path",
    "adapter",
    "host",
    "url",
    "file",
    "date",
    "day",
)
"""Fields of a failure that are ia's own words, or the caller's."""
_QUOTED = pattern(r"'(?:[^'\\]|\\.)*'?|\"(?:[^\"\\]|\\.)*\"?|“[^”]*”?|‘[^’]*’?")
MAX_FIELD = 160


def sanitize_names(value: object, fields: frozenset[str], *, named: bool = False) -> Any:
    """Return a result with the names in it as names: letters, digits and a few signs of one short line."""
    if isinstance(value, dict):
        return {key: sanitize_names(item, fields, named=key in fields) for key, item in value.items()}
    if isinstance(value, list):
        return [sanitize_names(item, fields, named=named) for item in value]
    return _sanitize_name(value) if named and isinstance(value, str) else value


def _sanitize_name(text: str) -> str:
    from ia.domain.instruments.symbols import bundled_symbols

    if len(text) <= 4 or _OCCASION.fullmatch(text) or any(text == symbol.name for symbol in bundled_symbols()):
        return text
    return plain_name(text, LONGEST)


def strip_cells(failure: IaError, arguments: object) -> IaError:
    """Return a failure without what it quotes of a file or an answer; what the caller wrote itself stays."""
    given = json.dumps(arguments, ensure_ascii=False, default=str)
    for key, value in failure.params.items():
        if isinstance(value, str) and key not in _FIXED and not _is_in_arguments(value, given):
            failure.params[key] = "…" if "line" in failure.params else _sanitize_field(value, given)
    failure.args = (fill_template(failure.template, failure.params),)
    return failure


def _is_in_arguments(value: str, given: str) -> bool:
    return json.dumps(value.strip("'\"“”"), ensure_ascii=False)[1:-1] in given


def _sanitize_field(text: str, given: str) -> str:
    bare = _QUOTED.sub(lambda quote: quote[0] if _is_in_arguments(quote[0], given) else "…", fold_text(text))
    return " ".join(re.sub(r"[^\w\s*&.,，、:：;；()（）/%+=<>…'\"“”?!-]+", "", bare).split())[:MAX_FIELD]
