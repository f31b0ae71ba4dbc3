"""What a shell completes beside commands and options: securities, names of what there is, files.

Nothing is fetched, and what goes wrong completes nothing: a key pressed is no place for a message.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from ia.errors import IaError

if TYPE_CHECKING:
    from ia.workspace import Workspace

MOST = 100
UNIVERSES = ("watch", "held", "all")
Word = tuple[str, str]
"""A word that may stand there, and what a shell that shows more says of it."""


def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what may stand for a parameter: words that begin with what was typed, or a mark that it is a file."""
    from ia.workspace import Workspace

    metavar = param.metavar or ""
    try:
        found = list(_words(Workspace(), ctx.command_path.split()[1:], param, metavar, incomplete))
    except (IaError, OSError, sqlite3.Error):
        found = []
    items = [CompletionItem(word, help=told or None) for word, told in found if word.startswith(incomplete)]
    if not items and "FILE" in metavar:
        return [CompletionItem(incomplete, type="file")]
    return items[:MOST]


def _words(ws: "Workspace", path: list[str], param: click.Parameter, metavar: str, typed: str) -> Iterable[Word]:
    command, name = path[0], param.name
    if name == "universe":
        return [(word, "") for word in UNIVERSES]
    if "SYMBOL" in metavar or metavar == "A,B" or path[-1] in ("track", "untrack"):
        fixed = [(word, "") for word in metavar.split("|") if word.islower()]
        return [*fixed, *_securities(ws, typed)]
    if name == "session" or (command == "session" and name == "id"):
        return _sessions(ws)
    if path in (["init"], ["profile", "use"]) and name in ("profile", "name"):
        return _profiles(ws)
    named = _NAMED.get((command, name or ""))
    return named(ws) if named else ()


def _securities(ws: "Workspace", typed: str) -> Iterable[Word]:
    """Yield securities of the store by code or name; before anything was typed those that are held or watched."""
    from ia.ohlcv import cache

    before, _, word = typed.rpartition(",")
    before += "," * bool(before)
    if not word:
        yield from ((before + code, "") for code in _own(ws))
        return
    if not os.path.exists(os.path.join(ws.root, ".ia", "cache", "market.db")):
        return
    db = cache.connect(ws)
    for column in ("symbol", "name"):
        sql = f"SELECT DISTINCT symbol, name FROM securities WHERE {column} >= ? AND {column} < ? ORDER BY 1 LIMIT ?"
        for symbol, name in db.execute(sql, (word.upper(), word.upper() + "\U0010ffff", MOST)):
            yield (before + symbol, name or "") if column == "symbol" else (before + name, symbol)


def _own(ws: "Workspace") -> list[str]:
    from ia.errors import NotFound
    from ia.pipes import universe

    found: dict[str, None] = {}
    for which in ("held", "watch"):
        try:
            found |= dict.fromkeys(symbol.canonical for symbol in universe(ws, which))
        except NotFound:
            continue
    return list(found)


def _sessions(ws: "Workspace") -> Iterable[Word]:
    from ia import sessions

    return [(found.id, "") for found in sessions.listed(ws)]


def _profiles(_ws: "Workspace") -> Iterable[Word]:
    from ia import profiles

    return [(found.name, found.about) for found in profiles.profiles()]


def _proposals(ws: "Workspace") -> Iterable[Word]:
    from ia import proposals

    return [(str(found.id), found.path) for found in proposals.pending(ws)]


def _tasks(ws: "Workspace") -> Iterable[Word]:
    from ia.tasks import book

    return [(found.name, found.state) for found in book.listed(ws)]


def _skills(ws: "Workspace") -> Iterable[Word]:
    from ia import skills

    return [(found.name, found.description()) for found in skills.listed(ws)]


def _providers(ws: "Workspace") -> Iterable[Word]:
    from ia import providers

    return [(found.name, found.description) for found in providers.listed(ws)]


def _settings(_ws: "Workspace") -> Iterable[Word]:
    from ia import config

    return [(key.name, "") for key in config.KEYS]


def _indicators(_ws: "Workspace") -> Iterable[Word]:
    from ia.compute.indicators import REGISTRY

    return [(found.name, found.category) for found in REGISTRY.values()]


def _tools(ws: "Workspace") -> Iterable[Word]:
    from ia.tools import catalog

    return [(found.name, "") for found in catalog.router(ws).tools.values()]


_NAMED: dict[tuple[str, str], Callable[["Workspace"], Iterable[Word]]] = {
    ("pending", "number"): _proposals, ("approve", "number"): _proposals, ("reject", "number"): _proposals,
    ("task", "which"): _tasks, ("task", "name"): _tasks, ("skill", "name"): _skills, ("provider", "name"): _providers,
    ("config", "key"): _settings, ("indicator", "name"): _indicators, ("tool", "name"): _tools,
}  # fmt: skip
"""By command and the name of its parameter."""
