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
        path = ctx.command_path.split()[1:]
        if path == ["config", "set"] and param.name == "value":
            found = _begin_as(incomplete, _setting_values(Workspace(), str(ctx.params.get("key"))))
        elif _is_security(path, param.name or "", metavar):
            fixed = ((word, "") for word in metavar.split("|") if word.islower())
            found = [*_begin_as(incomplete, fixed), *_security_words(Workspace(), incomplete)]
        else:
            found = _find_words(Workspace(), path, param, metavar, incomplete)
    except (IaError, OSError, sqlite3.Error):
        found = []
    items = [CompletionItem(word, help=told or None) for word, told in dict(found).items()]
    if not items and "FILE" in metavar:
        return [CompletionItem(incomplete, type="file")]
    return items[:MOST]


def _is_security(path: list[str], name: str, metavar: str) -> bool:
    """Return whether a parameter takes securities."""
    if name == "universe":
        return False
    return (
        "SYMBOL" in metavar
        or metavar == "A,B"
        or path[-1] in ("track", "untrack")
        or (path[0], name) == ("alert", "symbol")
    )


def _begin_as(typed: str, words: Iterable[Word]) -> list[Word]:
    """Return the words that begin with what was typed."""
    return [each for each in words if each[0].startswith(typed)]


def _find_words(ws: "Workspace", path: list[str], param: click.Parameter, metavar: str, typed: str) -> list[Word]:
    """Return the words of a parameter that begin with what was typed."""
    name = param.name or ""
    keys = ((" ".join(path), name), (path[0], name), ("", name))
    named = next((_NAMED[key] for key in keys if key in _NAMED), None)
    if named is None:
        return []
    if named is session_words:
        return _session_words_as(named(ws), typed)
    if "," in metavar:  # a list: only the last of its words is completed
        return _begin_as(typed, _prefix_list(typed, named(ws)))
    return _begin_as(typed, named(ws))


def _prefix_list(typed: str, words: Iterable[Word]) -> list[Word]:
    """Return the words with what was typed before the last comma."""
    before, comma, _ = typed.rpartition(",")
    return [(before + comma + word, about) for word, about in words]


def _security_words(ws: "Workspace", typed: str) -> Iterable[Word]:
    """Yield securities of the store by code or name; before anything was typed those that are held or watched."""
    from ia.organs import marketdb

    before, _, word = typed.rpartition(",")
    before += "," * bool(before)
    if not word:
        yield from ((before + code, "") for code in _held_and_watched(ws))
        return
    yield from _spelled_words(before, word)
    if not marketdb.is_stored(ws):
        return
    db = marketdb.connect(ws)
    for column in ("symbol", "name"):
        sql = f"SELECT DISTINCT symbol, name FROM securities WHERE {column} >= ? AND {column} < ? ORDER BY 1 LIMIT ?"
        for symbol, name in db.execute(sql, (word.upper(), word.upper() + "\U0010ffff", MOST)):
            yield (before + symbol, name or "") if column == "symbol" else (before + name, symbol)


def _spelled_words(before: str, word: str) -> Iterable[Word]:
    """Yield what the beginning of a nickname or of pinyin stands for: `gzmt`, `ningde`.

    One security: its code. Several: how each is typed; or their names, where all are typed alike. fish keeps only words
    that begin as typed, so that it is given how the security is typed.
    """
    from ia.domain.instruments.symbols import Symbol, bundled_names, find_spelled, stored_symbols
    from ia.kernel import config

    folded = word.casefold()
    if len(folded) < 2 or not folded.isascii() or folded[0].isdigit():
        return
    found: dict[Symbol, str] = {}
    for symbol, names in bundled_names():
        for name in names:
            if name.startswith(folded) and " " not in name:
                found.setdefault(symbol, name)
    known = {symbol.canonical for symbol in found}
    for symbol, spelling in find_spelled(folded, stored_symbols(), whole=False).items():
        if symbol.canonical not in known:
            found[symbol] = spelling
    fish = (config.env("_IA_COMPLETE") or "").startswith("fish")
    alike = len(found) > 1 and set(found.values()) == {folded}
    for symbol, spelling in found.items():
        if len(found) == 1 and not fish:
            yield before + symbol.canonical, symbol.name
        elif alike and not fish:
            yield before + symbol.name, symbol.canonical
        else:
            yield before + word + spelling[len(word) :], str(symbol)


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


def session_words(ws: "Workspace") -> Iterable[Word]:
    """Yield sessions with the title of each."""
    from ia.organs import sessions

    return [(found.id, found.title) for found in sessions.list_sessions(ws)]


def _session_words_as(words: Iterable[Word], typed: str) -> list[Word]:
    """Return the sessions; where no id begins with what was typed, those whose title does.

    fish keeps only words that begin as typed, and quotes them itself: it is given the title.
    """
    from ia.kernel import config

    listed = list(words)
    if named := _begin_as(typed, listed):
        return named
    titled = [each for each in listed if each[1].casefold().startswith(typed.casefold())]
    if (config.env("_IA_COMPLETE") or "").startswith("fish"):
        return [(typed + title[len(typed) :], name) for name, title in titled]
    return titled


def _profile_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.faculties import profiles

    return [(found.name, found.about) for found in profiles.list_profiles()]


def proposal_words(ws: "Workspace") -> Iterable[Word]:
    """Yield the numbers of what waits for approval, with what it is."""
    from ia.kernel import proposals

    return [(str(found.id), found.path) for found in proposals.pending_proposals(ws)]


def _task_words(ws: "Workspace") -> Iterable[Word]:
    from ia.faculties.taskbook import approved_tasks

    return [(found.name, found.state) for found in approved_tasks.list_tasks(ws)]


def skill_words(ws: "Workspace") -> Iterable[Word]:
    """Yield the names of skills, with what they do."""
    from ia.faculties import skills

    return [(found.name, found.description()) for found in skills.list_skills(ws)]


def _check_words(ws: "Workspace") -> Iterable[Word]:
    """Yield the checklists that can be used, with what each is for."""
    from ia.faculties.checklists import list_checklists

    return [(found.name, found.title.in_language()) for found in list_checklists(ws)[0] if found.problem is None]


def _provider_words(ws: "Workspace") -> Iterable[Word]:
    from ia.faculties import providers

    return [(found.name, found.description) for found in providers.list_providers(ws)]


def _setting_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.kernel import config

    return [(key.name, "") for key in config.KEYS]


def _document_words(ws: "Workspace") -> Iterable[Word]:
    """Yield the documents by the name of their file, by their id where several are called so."""
    from ia.faculties.knowledge import library

    listed = [(os.path.basename(each.path).removesuffix(".md"), each) for each in library.list_documents(ws)]
    names = [name.casefold() for name, _ in listed]
    return [(name if names.count(name.casefold()) == 1 else each.id, each.title) for name, each in listed]


def _theme_words(ws: "Workspace") -> Iterable[Word]:
    from ia.faculties.knowledge import library

    return [(theme, "") for theme in library.list_themes(ws)]


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


def _setting_values(ws: "Workspace", key: str) -> Iterable[Word]:
    """Yield what a setting may be, where that is known."""
    from ia.kernel import config
    from ia.organs.ohlcv.adapters import BUILT_IN

    if key == "model":
        return _model_words(ws)
    if key == "market.adapter":
        return [(name, "") for name in BUILT_IN]
    if key in ("messaging.default", "messaging.recipients"):
        return _channel_words(ws)
    spec = config.SPEC.get(key)
    if spec is not None and spec.type is bool:
        return [("true", ""), ("false", "")]
    return [(choice, "") for choice in (spec.choices if spec else ())]


def _model_words(ws: "Workspace") -> Iterable[Word]:
    """Yield models by what is known without a plugin of theirs: the one that is set, those with a price or a use."""
    from ia.kernel import config

    found = {"ia-offline": "", str(config.get_setting("model") or "ia-offline"): ""}
    for name in config.setting_names():
        if name.startswith("prices.") and name.endswith(".input"):
            found[name.removeprefix("prices.").removesuffix(".input")] = ""
    found |= {model: "" for (model,) in ws.db.execute("SELECT DISTINCT model FROM usage ORDER BY 1")}
    return found.items()


def _alert_words(ws: "Workspace") -> Iterable[Word]:
    from ia.faculties.taskbook import alert_list

    return [(each.name, f"{alert.symbol} {alert.condition}") for each, alert in alert_list.list_alerts(ws)]


def _group_words(ws: "Workspace") -> Iterable[Word]:
    from ia.organs.memory import watch_list

    return [(group, "") for group in watch_list.list_groups(watch_list.list_items(ws))]


def _universe_words(ws: "Workspace") -> Iterable[Word]:
    return [*((word, "") for word in UNIVERSES), *((f"watch:{group}", "") for group, _ in _group_words(ws))]


def _message_words(ws: "Workspace") -> Iterable[Word]:
    from ia.organs.channels import inbox

    return [(str(each.id), " ".join(each.text.split())[:60]) for each in inbox.list_inbox(ws, MOST)]


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
    return [("/" + name, about) for name, about in skill_words(ws)]


def _indicator_words(_ws: "Workspace") -> Iterable[Word]:
    from ia.organs.compute.indicators import REGISTRY

    return [(found.name, found.category) for found in REGISTRY.values()]


def _call_words(_ws: "Workspace") -> Iterable[Word]:
    """Yield indicators as an expression calls them: `rsi(close,14)`."""
    from ia.organs.compute.indicators import REGISTRY, example_call

    return [(call.replace(" ", ""), found.name) for found in REGISTRY.values() if (call := example_call(found.alias))]


def _tool_words(ws: "Workspace") -> Iterable[Word]:
    from ia.agent.tools import catalog

    return [(found.name, "") for found in catalog.build_router(ws).tools.values()]


def _strategy_words(ws: "Workspace") -> Iterable[Word]:
    from ia.faculties.lab.scan_strategies import list_strategies

    return [(found.name, found.about) for found in list_strategies(ws)]


def _run_words(ws: "Workspace") -> Iterable[Word]:
    """Yield the backtests, the newest first, with what was tested on what."""
    from ia.faculties.lab.run_folders import LAST, list_runs

    listed = [(row.id, f"{row.universe} {row.rules}".strip()) for row in list_runs(ws)]
    return [*listed, *((LAST, name) for name, _ in listed[:1])]


def _agent_run_words(ws: "Workspace") -> Iterable[Word]:
    """Yield the backtests of agents, the newest first, with what they could trade."""
    from ia.faculties.lab.run_folders import list_runs

    return [(row.id, row.universe) for row in list_runs(ws) if row.kind == "agent"]


def _adapter_words(ws: "Workspace") -> Iterable[Word]:
    return _setting_values(ws, "market.adapter")


_NAMED: dict[tuple[str, str], Callable[["Workspace"], Iterable[Word]]] = {
    ("", "universe"): _universe_words,
    ("", "adapter"): _adapter_words,
    ("", "model"): _model_words,
    ("", "channels"): _channel_words,
    ("", "session"): session_words,
    ("session", "id"): session_words,
    ("init", "profile"): _profile_words,
    ("profile use", "name"): _profile_words,
    ("alert", "name"): _alert_words,
    ("pending", "number"): proposal_words,
    ("backtest", "run_id"): _run_words,
    ("backtest", "one"): _run_words,
    ("backtest", "other"): _run_words,
    ("backtest resume", "run"): _agent_run_words,
    ("backtest", "source"): _agent_run_words,
    ("backtest", "replay"): _agent_run_words,
    ("memory distill", "runs"): _agent_run_words,
    ("approve", "which"): proposal_words,
    ("reject", "number"): proposal_words,
    ("task", "which"): _task_words,
    ("task", "name"): _task_words,
    ("skill", "name"): skill_words,
    ("check", "name"): _check_words,
    ("provider", "name"): _provider_words,
    ("config", "key"): _setting_words,
    ("config", "prefix"): _setting_words,
    ("note", "path"): _note_words,
    ("knowledge", "document"): _document_words,
    ("knowledge", "documents"): _document_words,
    ("knowledge", "theme"): _theme_words,
    ("memory", "path"): _memory_words,
    ("scan", "strategy"): _strategy_words,
    ("screen", "strategy"): _strategy_words,
    ("screen", "columns"): _column_words,
    ("screen", "sort"): _column_words,
    ("chart", "panes"): _pane_words,
    ("chart", "indicators"): _call_words,
    ("compute", "expr"): _call_words,
    ("watch", "group"): _group_words,
    ("inbox", "number"): _message_words,
    ("inbox", "which"): _message_words,
    ("context", "message"): _slash_words,
    ("context", "name"): _task_words,
    ("recall", "areas"): _area_words,
    ("log", "kind"): _event_kind_words,
    ("send", "to"): _channel_words,
    ("trade void", "number"): _entry_words,
    ("trade correct", "number"): _entry_words,
    ("turn", "message"): _slash_words,
    ("indicator", "name"): _indicator_words,
    ("tool", "name"): _tool_words,
}
"""By command (or all: "") and the name of its parameter."""
