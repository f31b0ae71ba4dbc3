"""The floors of the house: an import goes down, read from the syntax tree. Lazy imports count, nothing is run."""

import ast
import functools
from pathlib import Path

from support.source_code import nodes

ROOT = Path(__file__).parent.parent.parent
FLOORS = ("kernel", "domain", "organs", "wiring", "faculties", "agent", "reach")
"""From the ground up. A room may import any room of a floor below its own."""
ARROWS = {
    "audit": {"clock", "jsontypes"},
    "clock": {"config", "dateforms", "errors"},
    "config": {"errors", "files", "formats", "jsontypes", "patterns"},
    "dateforms": {"errors", "i18n", "patterns"},
    "extras": {"errors"},
    "faults": {"audit", "config", "errors", "store", "workspace"},
    "files": {"errors", "jsontypes"},
    "folders": {"workspace"},
    "formats": {"errors", "patterns"},
    "i18n": {"errors"},
    "links": {"patterns"},
    "text_width": {"patterns"},
    "kept_patterns": {"config", "files", "patterns"},
    "word_patterns": {"kept_patterns", "patterns"},
    "untrusted": {"digest", "formats", "links", "patterns"},
    "proposals": {"audit", "clock", "config", "errors", "links", "untrusted", "store", "workspace"},
    "store": {"config", "errors", "files", "i18n", "patterns"},
    "work_unit": {"errors", "files"},
    "workspace": {
        "audit",
        "clock",
        "config",
        "digest",
        "errors",
        "files",
        "formats",
        "observers",
        "patterns",
        "store",
        "work_unit",
    },
    "rules": {"instruments"},
    "compute": {"ohlcv"},
    "market": {"marketdb", "ohlcv"},
    "ohlcv": {"marketdb"},
    "approvals": {"ledger_prices"},
    "exchange_rates": {"ledger_prices"},
    "universe": {"watched_securities"},
    "watched_securities": {"security_mentions"},
    "newsroom": {"providers"},
    "pictures": {"lab"},
    "profiles": {"packages"},
    "rulebooks": {"knowledge", "skills"},
    "providers": {"knowledge", "packages"},
    "web_sources": {"knowledge", "providers"},
    "skills": {"packages", "profiles", "providers"},
    "alerts": {"schedule"},
    "checklists": {"skills", "taskbook"},
    "taskbook": {"alerts", "schedule"},
    "analyst": {"model_choice", "prompt_format", "tools"},
    "extraction": {"turns"},
    "skill_trial": {"tools", "turns"},
    "backtests": {"analyst", "prompt_format", "tools", "turns"},
    "turns": {"analyst", "model_choice", "prompt_format", "tools"},
    "bridges": {"tasks"},
    "doctor": {"tasks"},
}
"""Room -> the rooms of its own floor that it imports."""
SHELVES = ("voice", "tables", "parts", "ask", "desk", "failures", "evidence", "say", "jobs", "offline")
"""Of the analyst, from what is wanted to the work: shelves and the files between them."""
HOMES = {  # third party -> the only modules that import it
    "click": {"ia_cli"},
    "rich": {"ia_cli"},
    "markdown_it": {"ia_cli", "ia.faculties.pictures"},
    "llm": {"ia.agent", "ia.reach.bridges"},
    "mcp": {"ia.faculties.providers", "ia.reach.bridges"},
    "jsonschema": {"ia.agent.tools"},
    "numpy": {
        "ia.organs.compute",
        "ia.organs.market.mirror",
        "ia.organs.recall.vectors",
        "ia.domain.performance.columns",
        "ia.domain.performance.resampling",
        "ia.faculties.lab",
    },
    "pypdfium2": {"ia.faculties.knowledge"},
    "lxml": {"ia.faculties.knowledge"},
    "pandas": {"ia.organs.compute", "ia.organs.ohlcv.adapters"},
    "pandas_ta_classic": {"ia.organs.compute"},
    "RestrictedPython": {"ia.organs.compute"},
    "akshare": {"ia.organs.ohlcv.adapters"},
    "requests": {"ia.organs.ohlcv"},
    "tenacity": {"ia.organs.ohlcv"},
    "exchange_calendars": {"ia.organs.ohlcv.session_days"},
    "crontab": {"ia.faculties.schedule"},
    "cron_descriptor": {"ia.faculties.schedule"},
    "apprise": {"ia.organs.channels"},
    "telegram": {"ia.organs.channels", "ia.reach.bridges"},
    "sqlite_utils": {"ia.kernel.store"},
    "ruamel": {"ia.kernel.formats"},
}
ENVIRONMENT = {"ia.kernel.config"}
"""The only reader of os.environ."""


def modules(root):
    """Return dotted name -> file of every module below a folder of packages."""
    found = {}
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = file
    return found


@functools.cache
def imports(file):
    """Return (line, dotted name) of every absolute import that is not for type checkers only."""
    typing_only = {
        inner
        for node in nodes(file)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = []
    for node in nodes(file):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def edges(root):
    """Yield (importing module, line, imported module or name) for every import below a folder."""
    files = modules(root)
    for module, file in files.items():
        for line, name in imports(file):
            yield module, line, name if name in files else name.rpartition(".")[0] or name


def room(name):
    """Return the floor and the room of a module of ia, None where it stands in none."""
    parts = name.split(".")
    return (parts[1], parts[2]) if parts[0] == "ia" and len(parts) > 2 else None


def violations(root):
    """Yield every import that the floors forbid."""
    for module, line, name in edges(root):
        where = f"{module}:{line}"
        if module.startswith("ia.") and name.split(".")[0] == "ia_cli":
            yield f"{where}: the library imports the command line"
        source, target = room(module), room(name)
        if source and source[0] not in FLOORS:
            yield f"{where}: {source[0]} is no floor"
        elif source and target and source != target:
            (floor, own), (below, other) = source, target
            if FLOORS.index(below) > FLOORS.index(floor):
                yield f"{where}: {floor} imports {below}.{other}, which is above it"
            elif floor == below and other not in ARROWS.get(own, ()):
                yield f"{where}: {floor}: no arrow leads from {own} to {other}"
        another = name.startswith("ia_cli.commands.") and not name.startswith(f"{module}_")  # a verb has its own file
        if module.startswith("ia_cli.commands.") and another:
            yield f"{where}: a command imports {name}; share through ia_cli.terminal"
        if module.startswith("ia_cli.terminal.") and name.startswith("ia_cli.commands."):
            yield f"{where}: the terminal imports a command"
        homes = HOMES.get(name.split(".")[0])
        if homes is not None and not any(module == home or module.startswith(home + ".") for home in homes):
            yield f"{where}: only {sorted(homes)} may import {name.split('.')[0]}"


def unused_arrows(root):
    """Return the arrows that no import needs."""
    drawn = {(room(module), room(name)) for module, _, name in edges(root)}
    used = {(a[1], b[1]) for a, b in drawn if a and b and a[0] == b[0]}
    return sorted((own, other) for own, others in ARROWS.items() for other in others if (own, other) not in used)


def circles(root):
    """Return the groups of modules that import each other in a circle."""
    graph = {}
    for module, _, name in edges(root):
        if name.split(".")[0] in ("ia", "ia_cli") and name != module:
            graph.setdefault(module, set()).add(name)
    reach = {}

    def reachable(start):
        seen, waiting = set(), [start]
        while waiting:
            for each in graph.get(waiting.pop(), ()):
                if each not in seen:
                    seen.add(each)
                    waiting.append(each)
        return seen

    for module in graph:
        reach[module] = reachable(module)
    return sorted(
        {tuple(sorted(other for other in reach[m] if m in reach.get(other, ()))) for m in graph if m in reach[m]}
    )


def climbs_of_shelves(root):
    """Yield every import of the analyst's that goes up its shelves."""
    base = "ia.agent.analyst."
    for module, line, name in edges(root):
        if module.startswith(base) and name.startswith(base):
            own, other = (each.removeprefix(base).split(".")[0] for each in (module, name))
            if SHELVES.index(other) > SHELVES.index(own):
                yield f"{module}:{line}: {own} imports {other}, which is above it"


def readers_of_the_environment(root):
    for module, file in modules(root).items():
        for node in nodes(file):
            named = isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb")
            if named and isinstance(node.value, ast.Name) and node.value.id == "os" and module not in ENVIRONMENT:
                yield f"{module}:{node.lineno}"


def printers(root):
    for module, file in modules(root).items():
        for node in nodes(file):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input"):
                yield f"{module}:{node.lineno}"


def test_imports_go_down():
    assert not [*violations(ROOT / "lib"), *violations(ROOT / "cli")]


def test_every_arrow_is_used():
    assert not unused_arrows(ROOT / "lib")


def test_the_shelves_of_the_analyst_go_one_way():
    assert not list(climbs_of_shelves(ROOT / "lib"))
    there = {path.stem for path in (ROOT / "lib/ia/agent/analyst").iterdir()} - {"__init__", "__pycache__"}
    assert there == set(SHELVES)


def test_no_files_import_each_other_in_a_circle():
    assert not circles(ROOT / "lib")
    assert not circles(ROOT / "cli")


def test_the_floors_are_the_folders():
    entries = {path.name for path in (ROOT / "lib" / "ia").iterdir()} - {"__pycache__"}
    assert entries == {*FLOORS, "__init__.py", "py.typed"}
    architecture = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for floor in FLOORS:
        rooms = {path.stem for path in (ROOT / "lib" / "ia" / floor).iterdir()} - {"__init__", "__pycache__"}
        assert not {name for name in rooms if f"`{name}`" not in architecture}, floor


def test_one_reader_of_the_environment():
    assert not list(readers_of_the_environment(ROOT / "lib"))


def test_the_library_knows_no_terminal():
    assert not list(printers(ROOT / "lib"))


def test_the_check_sees_violations(tmp_path, monkeypatch):
    for name, text in {
        "ia/organs/compute/x.py": "def f():\n    import click\n    from ia.organs.recall import find\n    from ia_cli import main\n    import os\n    os.environ\n",
        "ia/organs/recall/find.py": "from ia.reach.tasks import book\nfrom ia.kernel import clock\n",
        "ia/reach/tasks/book.py": "",
        "ia/kernel/clock.py": "from ia.kernel import config\n",
        "ia/kernel/config.py": "from ia.kernel import clock\n",
        "ia/agent/analyst/ask/intent.py": "from ia.agent.analyst.jobs import plan\n",
        "ia/agent/analyst/jobs/plan.py": "",
        "ia_cli/commands/note.py": "from ia_cli.commands import recall\n",
        "ia_cli/commands/recall.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setitem(globals(), "ARROWS", {"clock": {"config"}, "config": {"clock"}, "compute": {"memory"}})
    assert len(list(violations(tmp_path))) == 5
    assert unused_arrows(tmp_path) == [("compute", "memory")]
    assert circles(tmp_path) == [("ia.kernel.clock", "ia.kernel.config")]
    assert len(list(climbs_of_shelves(tmp_path))) == 1
    assert len(list(readers_of_the_environment(tmp_path))) == 1
