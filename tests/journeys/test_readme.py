"""Every example of the READMEs runs, and prints what they say it prints."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.program import REPO, installed, program
from support.servers.openai import Reply, Server
from support.transcripts import replay, steps_of


def scripted(request):
    """Play the READMEs' language model: look, calculate twice, and answer with what the tools said."""
    if not request.results:
        return Reply(calls=[("market_ohlcv", {"symbol": "300750"})])
    if "bars" in request.results[0]:
        codes = ("rsi(close, 14)", "(close / sma(close, 200) - 1) * 100")
        return Reply(calls=[("compute_run", {"code": code}) for code in codes])
    rsi, above = (json.loads(result)["value"] for result in request.results)
    looked = next(json.loads(m["content"]) for m in request.messages if m["role"] == "tool" and "bars" in m["content"])
    close = looked["bars"][-1].split(",")[4]
    assert looked["simulated"]
    if "中文" in request.system or "你通过工具" in request.system:
        return Reply(
            f"RSI(14) 为 {rsi:.1f}，收盘 {close}，在 200 日线之上 {above:.1f}%。行情是模拟的。置信度：中，两个读数。\n"
        )
    return Reply(
        f"RSI(14) is {rsi:.1f}, and the close of {close} stands {above:.1f}% above the 200-day average."
        " The prices are simulated. Confidence: medium, two readings.\n"
    )


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_session_prints_what_the_readme_says(name, tmp_path, monkeypatch):
    with Server(always=scripted) as server:
        server.use(monkeypatch, tmp_path, model_id="gpt-5-mini")
        _hold(name, tmp_path)


def _hold(name, tmp_path):
    assert len(steps_of(REPO / name)) > 8
    shutil.copytree(REPO / "man" / "examples", tmp_path / "man" / "examples")  # as in a clone
    env = {**os.environ, "LANG": "zh_CN.UTF-8" if "zh" in name else "C.UTF-8"}
    env.pop("IA_HOME")
    replay(REPO / name, tmp_path, env, ia=program(), timeout=600)


def test_the_demo_runs(tmp_path):
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    (bin_dir / "ia").write_text(f'#!/bin/sh\nexec {shlex.join(installed())} "$@"\n')
    (bin_dir / "ia").chmod(0o755)
    env = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}"}
    run = subprocess.run(
        ["sh", str(REPO / "tests" / "support" / "demo.sh")],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert run.returncode == 0, run.stderr
    assert "$ ia recall" in run.stdout
    assert "notebook/research/宁德时代/" in run.stdout


def test_make_names_what_it_can_do():
    targets = re.findall(r"^([a-z-]+):", (REPO / "Makefile").read_text(), re.M)
    assert {"demo", "test", "test-all", "bench", "soak"} <= set(targets)


def test_nothing_names_this_machine():
    """No path of a developer's machine and no registry's host in what is published."""
    hosts = re.compile("py" + r"pi\.org|python" + r"hosted|registry\.npm" + r"js|deb\.deb" + r"ian\.org")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPO, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        path = Path(REPO, name)
        if path.is_file() and (text := path.read_bytes()):
            assert not hosts.search(text.decode("utf-8", "replace")), name
            assert str(Path(sys.prefix)) not in text.decode("utf-8", "replace"), name
