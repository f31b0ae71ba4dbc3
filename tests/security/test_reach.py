"""What can be reached from the names of an expression by reading attributes and calling what is found.

A walk through the guards, inside a locked worker, two steps deep, three in `make soak`: it must meet no module, frame,
code object or loader, no attribute that begins with an underscore, and no file, socket or process object.
"""

import json
import subprocess
import sys

import pytest

WALK = """
import collections, json, os, signal, sys, types
from ia.organs.compute import confine, worker
worker._load_libraries(["*"])
import io
import pandas as pd
from ia.organs.compute import facade, namespaces
import ia.organs.compute.coreutils as coreutils
import numpy as np
reply = os.dup(1)
layers = confine.confine_process()
index = pd.bdate_range("2024-01-01", periods=30, name="date")
frame = pd.DataFrame({c: np.linspace(1, 2, 30) for c in ("open", "high", "low", "close", "volume")}, index=index)
names = namespaces.build_namespace(frame, coreutils.coreutil_namespace())

class Late(Exception):
    pass

def late(*_):
    raise Late

signal.signal(signal.SIGALRM, late)
forbidden = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, io.IOBase)
words = sorted(set().union(*(listed for _, listed in facade.allowlist.ATTRIBUTES)))
seen, bad, kinds, reads, calls = set(), [], collections.Counter(), 0, 0
waiting = collections.deque((name, value, 0) for name, value in names.items() if name[0] != "_")
for value in names["__builtins__"].values():
    waiting.append(("builtin", value, 2))
while waiting:
    path, value, depth = waiting.popleft()
    kind = type(value)
    kinds[f"{kind.__module__}.{kind.__qualname__}"] += 1
    if isinstance(value, forbidden) or (kind.__module__ or "").partition(".")[0] in ("os", "_io", "socket", "subprocess"):
        bad.append(f"{path}: {kind}")
        continue
    key = (kind, path.rpartition(".")[2])
    if depth > DEPTH or key in seen:
        continue
    seen.add(key)
    known = value._names if kind is facade.Space else facade.attributes_of(kind)
    for name in known:
        if name[:1] == "_":
            bad.append(f"{path}.{name}")
        try:
            found = facade.get_attribute(value, name)
        except Exception:
            continue
        reads += 1
        waiting.append((f"{path}.{name}", found, depth + 1))
        if callable(found) and not isinstance(found, type):
            for given in ((), (2,), (value,), (names["close"],)):
                calls += 1
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.06)
                    try:
                        result = found(*given)
                    finally:
                        signal.setitimer(signal.ITIMER_REAL, 0)
                except (Exception, Late):
                    continue
                waiting.append((f"{path}.{name}()", result, depth + 1))
                break
os.write(reply, json.dumps([layers["locked"], reads, calls, len(kinds), bad, sorted(kinds)]).encode())
os._exit(0)
"""


@pytest.mark.parametrize(
    ("depth", "most"), [(0, 1000), *(pytest.param(*each, marks=pytest.mark.soak) for each in ((1, 1000), (2, 5000)))]
)
def test_nothing_leads_outside(depth, most):
    # setitimer is no call of the locked worker: the walk's own alarm is all that is let through in addition
    allowed = WALK.replace(
        "layers = confine.confine_process()",
        "confine._COMPUTING['x86_64'][2]['setitimer'] = 38\nlayers = confine.confine_process()",
    ).replace("DEPTH", str(depth))
    run = subprocess.run([sys.executable, "-c", allowed], capture_output=True, text=True, timeout=200)
    assert run.stdout, run.stderr
    locked, reads, calls, kinds, bad, listed = json.loads(run.stdout)
    assert locked is True
    assert bad == []
    assert reads > most and calls > most / 3 and kinds > 40, (reads, calls, kinds)
    packages = {kind.partition(".")[0] for kind in listed if not kind.startswith("_cython")}
    assert packages <= {
        "abc",
        "builtins",
        "collections",
        "datetime",
        "dateutil",
        "ia",
        "numpy",
        "pandas",
        "re",
        "zoneinfo",
    }
