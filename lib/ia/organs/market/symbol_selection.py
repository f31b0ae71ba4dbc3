"""Which securities are meant: the whole market, those of an industry or a concept, those of a file."""

import contextlib
import os

from ia.domain.instruments.groups import source_groups
from ia.domain.instruments.symbols import resolve_security
from ia.kernel import clock, config
from ia.kernel.errors import BadData, IaError, NotFound
from ia.kernel.workspace import Workspace
from ia.organs import marketdb
from ia.organs.market.screen_columns import CONCEPTS, INDUSTRY


def select_symbols(ws: Workspace, text: str) -> list[str]:
    """Return the canonical symbols that `all`, an industry, a concept or a file of codes means, as told by now().

    Securities are those of the first adapter of `market.adapter` that has told of any.
    raises  NotFound where it is none of them; BadData naming the line of a file that is no security.
    """
    if os.path.isfile(text):
        return read_symbol_file(text)
    query = "SELECT c.symbol FROM securities c JOIN sources n ON n.id = c.source WHERE n.name = :name"
    if text != "all":
        query += f" AND ({INDUSTRY} = :text OR instr(';' || {CONCEPTS} || ';', ';' || :text || ';'))"
    seen = clock.last_visible_date("CN")
    with contextlib.closing(marketdb.connect(ws)) as db:
        for name in config.get_setting_words("market.adapter"):
            for group in (text, *source_groups(text)):
                rows = db.execute(query, {"name": name, "text": group, "date": seen}).fetchall()
                if rows:
                    return [symbol for (symbol,) in rows]
    if text == "all":
        raise NotFound("no market data stored yet", code="market-not-stored", hint="fetch the day with `ia sync daily`")
    raise NotFound(
        "{text}: no industry, concept or file has this name",
        hint="use all, watch, held, a file of codes, or an industry from `ia market sectors`",
        text=text,
    )


def read_symbol_file(path: str) -> list[str]:
    """Return the securities of a file: the first word of each line; `#` begins a remark, a header is passed over."""
    found = []
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, 1):
            words = line.partition("#")[0].replace(",", " ").replace("\t", " ").split()
            if not words or (number == 1 and words[0].casefold() in ("symbol", "code", "代码", "股票代码", "证券代码")):
                continue
            try:
                found.append(resolve_security(words[0], traded=True).canonical)
            except IaError as exc:
                raise BadData("{source}:{line}: {reason}", source=path, line=number, reason=exc) from None
    return sorted(set(found))
