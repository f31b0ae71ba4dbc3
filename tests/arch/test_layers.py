"""Which room may import which, read from the syntax tree: lazy imports are seen, nothing is run."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
KERNEL = {
    "errors",
    "formats",
    "dateforms",
    "clock",
    "files",
    "unit",
    "workspace",
    "store",
    "audit",
    "config",
    "proposals",
    "outside",
    "links",
    "faults",
    "digest",
    "observers",
}
CANONICAL = {"ohlcv.canonical"}
# Room of lib/ia -> what it may import besides the kernel and itself.
MAY = {
    **{room: set() for room in KERNEL},
    "instruments": set(),
    "marketdb": set(),
    "ohlcv": {"instruments", "marketdb"},
    "compute": CANONICAL,
    "notebook": set(),
    "memory": set(),
    "recall": set(),
    "packages": set(),
    "profiles": {"packages"},
    "speech": set(),
    "sessions": {"speech"},
    "usage": set(),
    "rules": {"instruments"},
    "market": {"instruments", "marketdb", "ohlcv", "rules"},
    "ledger": {"instruments", "rules"},
    # Faculties: what is built of organs.
    "skills": {"compute", "ohlcv", "packages"},
    "providers": {"packages"},
    "schedule": {"ohlcv"},
    "channels": set(),
    "pictures": {"instruments", "marketdb", "ohlcv", "compute", "market", "ledger", "wiring"},
    # The agent floor:
    "tools": {
        "instruments",
        "speech",
        "ohlcv",
        "compute",
        "notebook",
        "memory",
        "recall",
        "wiring",
        "packages",
        "skills",
        "providers",
        "schedule",
        "channels",
        "market",
        "ledger",
    },
    "agent": {
        "speech",
        "tools",
        "skills",
        "sessions",
        "usage",
        "memory",
        "notebook",
        "wiring",
        "schedule",
        "instruments",
        "marketdb",
        "market",
        "ledger",
    },
    # Reach:
    "tasks": {"schedule", "channels", "notebook", "wiring", "agent.prompt_format"},
    "bridges": {
        "tools",
        "agent",
        "tasks",
        "schedule",
        "channels",
        "sessions",
        "skills",
        "wiring",
        "notebook",
        "memory",
    },
    # Where organs meet, by name:
    "wiring": {"marketdb", "ohlcv", "memory", "recall", "market", "ledger", "instruments"},
    "doctor": {
        "marketdb",
        "ohlcv",
        "compute",
        "agent",
        "usage",
        "recall",
        "skills",
        "providers",
        "tasks",
        "channels",
        "market",
        "ledger",
    },
}
KERNEL_MAY = {
    "errors": set(),
    "formats": {"errors"},
    "config": {"errors", "files", "formats"},
    "dateforms": {"errors"},
    "clock": {"errors", "config", "dateforms"},
    "files": {"errors"},
    "store": {"errors", "config", "files"},
    "unit": {"errors", "files"},
    "audit": {"clock"},
    "faults": {"errors", "config", "store", "audit", "workspace"},
    "workspace": {"digest", "errors", "config", "clock", "files", "formats", "store", "audit", "unit", "observers"},
    "links": set(),
    "digest": set(),
    "observers": set(),
    "outside": {"digest", "formats", "links"},
    "proposals": {"errors", "clock", "config", "store", "audit", "workspace", "outside", "links"},
}
HOMES = {  # third party -> the only modules that import it
    "click": {"ia_cli"},
    "rich": {"ia_cli"},
    "llm": {"ia.agent", "ia.bridges"},
    "mcp": {"ia.providers", "ia.bridges"},
    "jsonschema": {"ia.tools"},
    "numpy": {"ia.compute", "ia.market.mirror"},
    "resvg_py": {"ia.pictures"},
    "pandas": {"ia.compute", "ia.ohlcv.adapters"},
    "pandas_ta_classic": {"ia.compute"},
    "RestrictedPython": {"ia.compute"},
    "akshare": {"ia.ohlcv.adapters"},
    "requests": {"ia.ohlcv"},
    "tenacity": {"ia.ohlcv"},
    "exchange_calendars": {"ia.ohlcv.calendar", "ia.providers.trading_calendar", "ia.schedule.exchange"},
    "crontab": {"ia.schedule"},
    "cron_descriptor": {"ia.schedule"},
    "apprise": {"ia.channels"},
    "telegram": {"ia.channels", "ia.bridges"},
    "sqlite_utils": {"ia.store"},
    "ruamel": {"ia.formats"},
}
ENVIRONMENT = {"ia.config"}  # the only readers of os.environ
CONFINED = {
    "ia.compute.worker",
    "ia.compute.spawn",
    "ia.compute.lock",
}  # below the kernel's reach: a process of its own


def edges(root):
    """Yield (file:line, importing module, imported dotted name) for every import, lazy ones too."""
    for file in sorted(root.rglob("*.py")):
        module = file.relative_to(root).with_suffix("").parts
        tree = ast.parse(file.read_text(encoding="utf-8"))
        typing_only = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
            for inner in ast.walk(node)
        }
        for node in set(ast.walk(tree)) - typing_only:
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = [*(module[: -node.level] if node.level else ()), *([node.module] if node.module else ())]
                names = [".".join([*base, alias.name]) for alias in node.names]
            else:
                continue
            for name in names:
                yield f"{file.relative_to(ROOT)}:{node.lineno}", ".".join(module).removesuffix(".__init__"), name


def violations(root):
    for where, module, name in edges(root):
        source, target = module.split("."), name.split(".")
        if source[0] == "ia" and target[0] == "ia_cli":
            yield f"{where}: the library imports the command line"
        if source[0] == target[0] == "ia" and len(source) > 1 and len(target) > 1:
            yield from _room(where, source[1], target)
        if source[0] == target[0] == "ia_cli" and len(target) > 1 and len(source) > 1:
            shared = (
                target[1].startswith(("_", "zh")) or target[1:3] == ["main", "cli"] or source[1] in ("_man", "start")
            )
            if not shared:
                yield f"{where}: a command file imports {name}; share through a _module"
        homes = HOMES.get(target[0])
        if homes is not None and not any(module == home or module.startswith(home + ".") for home in homes):
            yield f"{where}: only {sorted(homes)} may import {target[0]}"


def _room(where, room, target):
    if room not in MAY:
        yield f"{where}: ia.{room} is in no room of tests/arch/test_layers.py"
        return
    if target[1] == room or target[1].startswith("__"):
        return
    if target[1] in KERNEL:
        if room in KERNEL_MAY and target[1] not in KERNEL_MAY[room]:
            yield f"{where}: kernel module {room} may not import {target[1]}"
        return
    allowed = MAY[room]
    if target[1] not in allowed and ".".join(target[1:3]) not in allowed:
        yield f"{where}: ia.{room} may not import ia.{'.'.join(target[1:])}"


def unused_permissions(root):
    """Yield each permission of the table that no import uses: a wall that is not there."""
    drawn = set()
    for _, module, name in edges(root):
        source, target = module.split("."), name.split(".")
        if source[0] == target[0] == "ia" and len(source) > 1:
            drawn |= {(source[1], ".".join(target[1:end])) for end in (2, 3)}
    for room, permitted in {**MAY, **KERNEL_MAY}.items():
        yield from (f"{room} → {name}" for name in sorted(permitted) if (room, name) not in drawn)


def circle(root):
    """Return files that import each other in a circle, lazy imports too; [] where there is none."""
    modules = {".".join(file.relative_to(root).with_suffix("").parts) for file in root.rglob("*.py")}
    modules = {module.removesuffix(".__init__") for module in modules}
    graph = {}
    for _, module, name in edges(root):
        while name and name not in modules:
            name = name.rpartition(".")[0]
        if name and name != module:
            graph.setdefault(module, set()).add(name)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as exc:
        return exc.args[1]
    return []


def readers_of_the_environment(root):
    for file in sorted(root.rglob("*.py")):
        module = ".".join(file.relative_to(root).with_suffix("").parts)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb")
            if named and isinstance(node.value, ast.Name) and node.value.id == "os" and module not in ENVIRONMENT:
                yield f"{file.relative_to(ROOT)}:{node.lineno}"


def printers(root):
    for file in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input"):
                yield f"{file.relative_to(ROOT)}:{node.lineno}"


def test_imports_go_down():
    assert not [*violations(ROOT / "lib"), *violations(ROOT / "cli")]


def test_every_permission_is_used():
    assert not [*unused_permissions(ROOT / "lib")]


@pytest.mark.parametrize("folder", ["lib", "cli"])
def test_no_files_import_each_other_in_a_circle(folder):
    assert circle(ROOT / folder) == []


def made_tables(file):
    """Return the tables that a `tables.sql` makes."""
    return re.findall(r"^CREATE TABLE (\w+)", file.read_text(encoding="utf-8"), re.M)


def test_the_kernel_names_no_table_of_a_room():
    rooms = [file for file in (ROOT / "lib" / "ia").rglob("tables.sql") if file.parent.name not in KERNEL]
    tables = [table for file in rooms for table in made_tables(file)]
    assert "trades" in tables
    named = re.compile(rf"\b(?:FROM|INTO|UPDATE|JOIN|TABLE|TRIGGER|ON) +(?:{'|'.join(tables)})\b")
    kernel = [file for file in (ROOT / "lib" / "ia").rglob("*.*") if file.suffix in (".py", ".sql")]
    kernel = [file for file in kernel if file.relative_to(ROOT / "lib" / "ia").parts[0].removesuffix(".py") in KERNEL]
    assert len(kernel) >= len(KERNEL)
    assert not [file for file in kernel if named.search(file.read_text(encoding="utf-8"))]


def test_one_reader_of_the_environment():
    assert not list(readers_of_the_environment(ROOT / "lib"))


def test_the_library_knows_no_terminal():
    assert not list(printers(ROOT / "lib"))


def test_the_check_sees_a_violation(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "ia" / "compute").mkdir(parents=True)
    (tmp_path / "ia" / "compute" / "x.py").write_text(
        "def f():\n    import click\n    from ia.recall import find\n    from ia_cli import main\n    import os\n    os.environ\n"
    )
    (tmp_path / "ia_cli").mkdir()
    (tmp_path / "ia_cli" / "note.py").write_text("from ia_cli.recall import find\n")
    assert len(list(violations(tmp_path))) == 4
    assert len(list(readers_of_the_environment(tmp_path))) == 1
    assert "compute → ohlcv.canonical" in unused_permissions(tmp_path)
    assert circle(tmp_path) == []
    (tmp_path / "ia" / "compute" / "y.py").write_text("def f():\n    from ia.compute.z import g\n")
    (tmp_path / "ia" / "compute" / "z.py").write_text("from ia.compute import y\n")
    assert set(circle(tmp_path)) == {"ia.compute.y", "ia.compute.z"}
