"""What a shell completes beside commands and options: securities, names of what there is, files.

Nothing is fetched, and what goes wrong completes nothing: a key pressed is no place for a message.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from ia.kernel.errors import IaError

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace

MOST = 100
UNIVERSES = ("watch", "held", "all")
Word = tuple[str, str]
"""A word that may stand there, and what a shell that shows more says of it."""


def complete_value(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what may stand for a parameter: words that begin with what was typed, or a mark that it is a file."""
    from ia.kernel.workspace import Workspace

    metavar = param.metavar or ""
    try:
        if ctx.command_path == "ia config set" and param.name == "value":
            found = list(_setting_values(str(ctx.params.get("key"))))
        else:
            found = list(_find_words(Workspace(), ctx.command_path.split()[1:], param, metavar, incomplete))
    except (IaError, OSError, sqlite3.Error):
        found = []
    items = [CompletionItem(word, help=told or None) for word, told in found if word.startswith(incomplete)]
    if not items and "FILE" in metavar:
        return [CompletionItem(incomplete, type="file")]
    return items[:MOST]


def _find_words(ws: "Workspace", path: list[str], param: click.Parameter, metavar: str, typed: str) -> Iterable[Word]:
    command, name = path[0], param.name
    if name == "universe":
        return [(word, "") for word in UNIVERSES]
    if "SYMBOL" in metavar or metavar == "A,B" or path[-1] in ("track", "untrack"):
        fixed = [(word, "") for word in metavar.split("|") if word.islower()]
        return [*fixed, *_security_words(ws, typed)]
    if name == "session" or (command == "session" and name == "id"):
        return _session_words(ws)
    if path in (["init"], ["profile", "use"]) and name in ("profile", "name"):
        return _profile_words(ws)
    named = _NAMED.get((" ".join(path), name or "")) or _NAMED.get((command, name or ""))
    if named is None:
        return ()
    if "," in metavar:  # a list: only the last of its words is completed
        before, comma, _ = typed.rpartition(",")
        return [(before + comma + word, about) for word, about in named(ws)]
    return named(ws)


def _security_words(ws: "Workspace", typed: str) -> Iterable[Word]:
    """Yield securities of the store by code or name; before anything was typed those that are held or watched."""
    from ia.organs import marketdb

    before, _, word = typed.rpartition(",")
    before += "," * bool(before)
    if not word:
        yield from ((before + code, "") for code in _held_and_watched(ws))
        return
    yield from _nickname_words(before, word)
    if not marketdb.is_stored(ws):
        return
    db = marketdb.connect(ws)
    for column in ("symbol", "name"):
        sql = f"SELECT DISTINCT symbol, name FROM securities WHERE {column} >= ? AND {column} < ? ORDER BY 1 LIMIT ?"
        for symbol, name in db.execute(sql, (word.upper(), word.upper() + "\U0010ffff", MOST)):
            yield (before + symbol, name or "") if column == "symbol" else (before + name, symbol)


def _nickname_words(before: str, word: str) -> Iterable[Word]:
    """Yield the code for the beginning of a nickname or of pinyin: `gzmt`, `ningde`.

    A shell keeps only words that begin as typed, so that what is completed is the name; ia understands it.
    """
    from ia.domain.instruments.symbols import bundled_names

    folded = word.casefold()
    if len(folded) < 2 or not folded.isascii() or folded[0].isdigit():
        return
    for symbol, names in bundled_names():
        for name in names:
            if name.startswith(folded) and " " not in name:
                yield before + word + name[len(word) :], str(symbol)


def _held_and_watched(ws: "Workspace") -> list[str]:
    from ia.kernel.errors import NotFound
    from ia.wiring.universe import list_universe

    found: dict[str, None] = {}
    for which in ("held", "watch"):
        try:
            found |= dict.fromkeys(symbol.canonical for symbol in list_universe(ws, which))
        except NotFound:
            continue
    return list(found)


def _session_words(ws: "Workspace") -> Iterable[Word]:
    """Yield sessions with the first question of each."""
    sql = (
        "SELECT s.name, substr(m.content, 1, 60) FROM messages m JOIN sessions s ON s.id = m.session WHERE m.id IN"
        " (SELECT min(id) FROM messages WHERE role = 'user' GROUP BY session)"
    )
    from ia.organs import sessions

    first = dict(ws.db.execute(sql).fetchall())
    return [(found.id, " ".join(first.get(found.id, "").split())) for found in sessions.list_sessions(ws)]


def _profile_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.faculties import profiles

    return [(found.name, found.about) for found in profiles.list_profiles()]


def _proposal_words(ws: "Workspace") -> Iterable[Word]:
    from ia.kernel import proposals

    return [(str(found.id), found.path) for found in proposals.pending_proposals(ws)]


def _task_words(ws: "Workspace") -> Iterable[Word]:
    from ia.faculties.taskbook import approved_tasks

    return [(found.name, found.state) for found in approved_tasks.list_tasks(ws)]


def _skill_words(ws: "Workspace") -> Iterable[Word]:
    from ia.faculties import skills

    return [(found.name, found.description()) for found in skills.list_skills(ws)]


def _provider_words(ws: "Workspace") -> Iterable[Word]:
    from ia.faculties import providers

    return [(found.name, found.description) for found in providers.list_providers(ws)]


def _setting_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.kernel import config

    return [(key.name, "") for key in config.KEYS]


def _note_words(ws: "Workspace") -> Iterable[Word]:
    """Yield the notes by their path below notebook/, without `.md`."""
    return ((path.removesuffix(".md"), "") for path in _markdown_files(ws, "notebook"))


def _memory_words(ws: "Workspace") -> Iterable[Word]:
    return (("memory/" + path, "") for path in _markdown_files(ws, "memory"))


def _markdown_files(ws: "Workspace", folder: str) -> Iterable[str]:
    """Yield the Markdown files below a folder of the workspace, by their path in it."""
    root = os.path.join(ws.root, folder)
    for place, _, names in sorted(os.walk(root)):
        yield from (os.path.relpath(os.path.join(place, name), root) for name in sorted(names) if name.endswith(".md"))


def _setting_values(key: str) -> Iterable[Word]:
    """Yield what a setting may be, where that is known."""
    from ia.kernel import config
    from ia.organs.ohlcv.adapters import BUILT_IN

    found = {"market.adapter": tuple(BUILT_IN), "model": ("ia-offline",), "lang": ("en", "zh")}
    spec = config.SPEC.get(key)
    choices = found.get(key) or (getattr(spec, "choices", ()) or ())
    return [(str(choice), "") for choice in choices]


def _column_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.organs.market.screen_columns import COLUMNS

    return [(column.name, column.unit) for column in COLUMNS]


def _pane_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.organs.compute.indicators import REGISTRY

    return [(found.alias, found.category) for found in REGISTRY.values()]


def _area_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.organs.recall.search import AREAS

    return [(area, "") for area in AREAS]


def _event_kind_words(ws: "Workspace") -> Iterable[Word]:
    return [(kind, "") for (kind,) in ws.db.execute("SELECT DISTINCT kind FROM events ORDER BY 1")]


def _channel_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.kernel import config

    return [
        ("me", ""),
        *((name.removeprefix("channels."), "") for name in config.setting_names() if config.is_channel_key(name)),
    ]


def _entry_words(ws: "Workspace") -> Iterable[Word]:
    """Yield the numbers of the ledger's entries, the newest first, with what each is."""
    from ia.organs.ledger import journal

    listed = sorted(journal.effective_entries(ws.db), key=lambda entry: -entry.id)
    return [(str(entry.id), f"{entry.date} {entry.kind} {entry.symbol}") for entry in listed]


def _slash_words(ws: "Workspace") -> Iterable[Word]:
    """Yield the skills as a message begins with them."""
    return [("/" + name, about) for name, about in _skill_words(ws)]


def _indicator_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.organs.compute.indicators import REGISTRY

    return [(found.name, found.category) for found in REGISTRY.values()]


def _tool_words(ws: "Workspace") -> Iterable[Word]:
    from ia.agent.tools import catalog

    return [(found.name, "") for found in catalog.build_router(ws).tools.values()]


_NAMED: dict[tuple[str, str], Callable[["Workspace"], Iterable[Word]]] = {
    ("pending", "number"): _proposal_words,
    ("approve", "which"): _proposal_words,
    ("reject", "number"): _proposal_words,
    ("task", "which"): _task_words,
    ("task", "name"): _task_words,
    ("skill", "name"): _skill_words,
    ("provider", "name"): _provider_words,
    ("config", "key"): _setting_words,
    ("config", "prefix"): _setting_words,
    ("note", "path"): _note_words,
    ("memory", "path"): _memory_words,
    ("screen", "columns"): _column_words,
    ("screen", "sort"): _column_words,
    ("chart", "panes"): _pane_words,
    ("recall", "areas"): _area_words,
    ("log", "kind"): _event_kind_words,
    ("send", "to"): _channel_words,
    ("trade void", "number"): _entry_words,
    ("trade correct", "number"): _entry_words,
    ("turn", "message"): _slash_words,
    ("indicator", "name"): _indicator_words,
    ("tool", "name"): _tool_words,
}
"""By command and the name of its parameter."""
