"""What starting ia costs, counted in modules: exact, and the same on every machine."""

import json
import os
import subprocess
import sys

import pytest

from ia_cli.main import COMMANDS, cli
from ia_cli.terminal.group import first_line

HEAVY = {"numpy", "pandas", "akshare", "llm", "rich", "sqlite_utils", "requests", "exchange_calendars", "ruamel",
         "RestrictedPython", "importlib.metadata", "asyncio", "unittest"}  # fmt: skip
MAX_MODULES = 130  # top-level names, click included; raise it only with a reason in the commit

PROBE = """
import json, sys
from ia_cli.main import main
try: main()
except SystemExit: pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules_after(*argv, input="", **env):
    run = subprocess.run([sys.executable, "-c", PROBE, *argv], env={**os.environ, **env}, input=input, capture_output=True, text=True, check=True)  # fmt: skip
    return set(json.loads(run.stderr.splitlines()[-1]))


def heavy(modules):
    return {name for name in modules if name in HEAVY or name.split(".")[0] in HEAVY}


@pytest.mark.process
@pytest.mark.parametrize("argv", [("--help",), ("--version",), *((name, "--help") for name in COMMANDS)], ids=" ".join)
@pytest.mark.share(4)
def test_help_is_cheap(argv):
    modules = modules_after(*argv)
    assert not heavy(modules)
    assert len({m for m in modules if "." not in m}) <= MAX_MODULES


WARM = [
    ("note", "scratch/a", "text"),
    ("note", "append", "scratch/a", "more"),
    ("note", "read", "scratch/a"),
    ("note", "list"),
    ("recall", "text"),
    ("memory", "list"),
    ("memory", "observe", "茅台", "放量"),
    ("memory", "log", "a line"),
    ("memory", "track", "600519"),
    ("ohlcv", "600519", "--adapter", "demo"),
    ("ohlcv", "600519", "--adapter", "demo", "--period", "weekly", "--adjust", "hfq"),
    ("pending",),
    ("log",),
    ("config", "get", "market.adapter"),
]


@pytest.mark.process
def test_file_commands_are_cheap_once_the_workspace_is_there(ia):
    for argv in WARM:
        assert ia(*argv).returncode in (0, 1), argv  # 1: nothing waits
    for argv in WARM:
        assert not heavy(modules_after(*argv)), argv


@pytest.mark.process
def test_an_answer_into_a_pipe_loads_no_renderer():
    modules = modules_after("turn", "How is CATL doing?", IA_MARKET_ADAPTER="demo", IA_NOW="2024-03-15T16:00+08:00")
    assert not {"rich", "markdown_it"} & modules


@pytest.mark.process
def test_an_answer_from_the_store_loads_neither_llm_nor_pandas(ia):
    settings = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:00+08:00"}
    for command in (["init"], ["sync"], ["trade", "deposit", "1000"]):
        assert ia(*command, env=settings).returncode == 0, command
    for question in ("How much cash do I have?", "How is the market today?"):
        modules = modules_after("turn", question, **settings)
        assert not {"pandas", "numpy", "llm", "jsonschema", "pydantic"} & modules, question


def test_the_array_lane_loads_no_pandas_and_a_light_expression_no_numpy():
    csv = "date,open,high,low,close,volume\n" + "".join(f"2024-01-{d:02d},1,{d},1,{d},5\n" for d in range(1, 31))
    assert not heavy(modules_after("compute", "rsi(close, 14)", input=csv))
    modules = modules_after("compute", "log(close)", input=csv)
    assert "numpy" in modules
    assert not heavy(modules) - {m for m in modules if m.split(".")[0] == "numpy"}


def test_root_help_loads_no_command():
    assert not {f"ia_cli.commands.{name}" for name in COMMANDS} & modules_after("--help")


def test_completion_loads_no_command():
    found = modules_after(_IA_COMPLETE="bash_complete", COMP_WORDS="ia n", COMP_CWORD="1")
    assert not {f"ia_cli.commands.{name}" for name in COMMANDS} & found


@pytest.mark.parametrize("name", COMMANDS)
def test_the_map_tells_the_truth(name):
    command = cli.get_command(None, name)
    assert command.name == name
    assert first_line(command) == COMMANDS[name][1]


def test_importing_ia_imports_nothing():
    code = "import sys; before = set(sys.modules); import ia; print(*(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["ia"]


@pytest.mark.process
def test_a_checklist_without_expressions_loads_neither_numpy_nor_pandas(home):
    folder = home / ".claude" / "skills" / "own"
    (folder / "knowledge").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: own\ndescription: x\n---\nx\n")
    lists = "checks:\n  cash:\n    items:\n      - {id: a, text: a, account: positions <= 3}\n"
    lists += "  up:\n    trade: buy\n    items:\n      - {id: b, text: b, expression: 'close > sma(close, 5)'}\n"
    (folder / "knowledge" / "checks.yaml").write_text(lists)
    settings = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:00+08:00"}
    modules_after("check", "up", "600519", **settings)  # the days of the exchange are kept from now on
    assert not {"pandas", "numpy", "llm"} & modules_after("check", "cash", **settings)
    assert not {"pandas", "llm"} & modules_after("check", "up", "600519", **settings)
