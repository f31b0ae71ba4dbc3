"""Every payload of the shared corpora against the real sandbox: refused or contained, and no canary hurt."""

import json

import pytest

from support.sandbox_cage import Cage, with_calls

CORPORA = {
    "pyjail_payloads.jsonl": 75,
    "restrictedpython_cases.jsonl": 111,
    "restrictedpython_cves.json": 9,
    "pandas_numpy_escape_paths.json": 23,
    "facade_escapes.jsonl": 138,
    "facade_escapes_round2.jsonl": 60,
}


def payloads(path):
    """Yield (id, code) of a corpus."""
    text = path.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)
    for row in rows["cases"] if isinstance(rows, dict) else rows:
        code = row.get("code") or row.get("payload")
        if code:
            yield row["id"], with_calls(code) if path.name.startswith(("pyjail", "restricted")) else code


@pytest.fixture
def cage(tmp_path):
    cage = Cage(tmp_path)
    yield cage
    cage.close()


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.share(3)
def test_no_payload_hurts_anything(cage, shared, corpus):
    tried, hurt, odd = 0, {}, {}
    for name, code in payloads(shared / "security" / corpus):
        tried += 1
        safe = "".join(c if c.isalnum() else "-" for c in name)[:40]
        outcome = cage.attempt(cage.fill(code, safe))
        if outcome.hurt:
            hurt[name] = outcome
        if outcome.how not in ("value", "refused", "failed", "late") or outcome.seconds > cage.timeout + 6:
            odd[name] = outcome
    assert not hurt
    assert not odd
    assert tried >= CORPORA[corpus]


def test_the_canaries_would_notice(cage):
    """The same payloads without a sandbox do hurt: an oracle that never speaks proves nothing."""
    import os
    import socket
    import subprocess
    import sys

    script = f"""
import os, socket
open({str(cage.canary / "made")!r}, "w").close()
open({str(cage.victim)!r}, "w").write("x")
socket.create_connection(("127.0.0.1", {cage.tcp.getsockname()[1]}))
socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {cage.udp.getsockname()[1]}))
socket.socket(socket.AF_UNIX).connect({cage.path!r})
os.kill(os.getppid(), 10)
print(open({str(cage.secrets / "secret.txt")!r}).read(), "INTRO <module ")
"""
    text = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert socket.AF_UNIX and os.getpid()
    found = cage.hurt(text, "value")
    assert "a secret came out" in found and "made made" in found and "the victim was changed" in found
    assert found.count("reached a socket") == 3
    assert "signalled the parent" in found and "looked inside" in found and "shows <module " in found
    assert cage.hurt("", "value") == []
