"""Manifests of providers, what became of them, and whether their processes have ended."""

import json
import os
import time
from pathlib import Path

from ia.faculties import providers
from ia.kernel.workspace import Workspace

ECHO = "import json, os, sys; call = json.load(sys.stdin); json.dump({'call': call, 'env': dict(os.environ), 'cwd': os.getcwd(), 'argv': sys.argv}, sys.stdout)"


def command(code, more="", name="echo", tool="say", **_):
    return f"name: {name}\ncommand: ['{{python}}', -c, {json.dumps(code)}]\n{more}\ntools:\n  - {{name: {tool}}}"


def only(ws, name="echo"):
    provider = providers.find_provider(ws, name)
    assert provider.problem is None, provider.problem
    (tool,) = provider.tools
    return tool


def problem(ws, name="echo"):
    return str(providers.find_provider(ws, name).problem)


def tool(ws: Workspace, name: str):
    return next(tool for tool in providers.list_tools(ws) if tool.name == name)


def gone(pid):
    for _ in range(100):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().rsplit(") ")[1][0] == "Z":
                return True  # killed; whoever adopted it has not looked yet
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
