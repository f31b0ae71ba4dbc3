"""The examples of CONTRIBUTING.md, followed as they stand."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from support.program import REPO

START = "from ia_cli.start import main; main()"
BLOCK = re.compile(r"^```\w+\n# (file|in): (\S+?)(?:, (after: [^\n]+|at the end))?\n(.*?)^```$", re.M | re.S)


def examples():
    """Return (file, where, text) of every example."""
    text = (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [(path, where, body) for _, path, where, body in BLOCK.findall(text)]


@pytest.fixture
def checkout(tmp_path):
    """A copy of the sources in which the examples have been followed, installed in place; packages lie beside them."""
    root = tmp_path / "checkout"
    for name in ("lib", "cli", "profiles"):
        shutil.copytree(REPO / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    texts = root / "lib/ia/kernel/i18n/zh_CN/LC_MESSAGES/ia.po"
    with texts.open("rb") as source, texts.with_suffix(".mo").open("wb") as compiled:
        write_mo(compiled, read_po(source, locale="zh_CN"))
    for path, where, body in examples():
        target = root / path if "/" in path else root / "packages" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if where.startswith("after: "):
            before, found, after = target.read_text(encoding="utf-8").partition(where.removeprefix("after: ") + "\n")
            assert found, where
            target.write_text(before + found + body + after, encoding="utf-8")
        else:
            with target.open("a", encoding="utf-8") as file:
                file.write(body)
    info = root / "packages" / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[ia.adapters]\nmine = my_prices:MyPrices\n[ia.channels]\nspool = my_channel:Spool\n"
    )
    return root


@pytest.fixture
def run(checkout, tmp_path):
    """Run Python with the copied sources: run("-c", …) -> standard output."""
    paths = os.pathsep.join(str(checkout / name) for name in ("lib", "cli", "packages"))

    def start(*words):
        ran = subprocess.run(
            [sys.executable, *words], env={**os.environ, "PYTHONPATH": paths}, cwd=tmp_path, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr + ran.stdout
        return ran.stdout

    return start


pytestmark = pytest.mark.process


def test_there_is_an_example_of_each():
    assert [path.rpartition("/")[2] for path, _, _ in examples()] == [
        "lot.py", "main.py", "my_prices.py", "test_my_prices.py", "my_channel.py", "instrument.py", "catalog.py", "rules.tsv", "SKILL.md",
        "sop.yaml", "readings.yaml", "answer.md",
    ]  # fmt: skip


def test_what_was_added_works(run, checkout, home, tmp_path, monkeypatch):
    def ia(*words):
        return run("-c", START, *words)

    assert ia("lot", "600519") == "600519.SH\t100\t0.01\n"
    assert "smallest price step" in ia("lot", "--help")
    assert ia("tool", "call", "instrument.lot", '{"symbol": "510300"}').strip().endswith('"lot": 100, "tick": 0.001}')
    assert ia("ohlcv", "600519", "--adapter", "mine").splitlines()[-1].startswith("2024-03-28,28.0,29.0,28.0,28.0,100")
    assert "passed" in run(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", str(checkout / "packages" / "test_my_prices.py")
    )
    monkeypatch.setenv("SPOOL", str(tmp_path / "spool"))
    ia("config", "set", "channels.file", "spool:${SPOOL}")
    ia("send", "hello", "--to", "file")
    assert "hello" in (tmp_path / "spool").read_text()
    rate = "from ia.domain.rules.table import rule_value as value; from ia.domain.instruments.boards import find_board as board; from ia.domain.instruments.symbols import resolve_security as resolve"
    assert run("-c", f"{rate}; print(value('stamp_sell', board(resolve('600519')), '2031-02-01'))") == "0.02\n"
    shutil.copytree(checkout / ".claude", home / ".claude")
    assert "pulse" in ia("skill", "list")
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_LANG", "zh")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:30:00+08:00")  # the simulated RSI of that day is 38.7
    answer = ia("turn", "/pulse 600519", "-m", "ia-offline")
    assert answer.startswith("**贵州茅台** ") and "\n- 不冷不热（" in answer
