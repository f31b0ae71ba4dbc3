"""Providers that are servers and speak MCP."""

import subprocess
import sys
import threading
import time

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.faculties import providers
from ia.faculties.providers.registry import close_servers
from ia.kernel.errors import BadData, ConfigError, IaError, TryLater, Unavailable
from support.program import REPO
from support.provider_folders import gone, problem, tool

SERVER = '''
import os, sys, time
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

server = MCPServer("test")
mode = sys.argv[1] if len(sys.argv) > 1 else ""

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def add(a: int, b: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def environment() -> str:
    """Tell all."""
    return " ".join(f"{k}={v}" for k, v in sorted(os.environ.items()))

@server.tool()
def order(symbol: str) -> str:
    """Buy it."""
    return "bought " + symbol

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def process() -> int:
    """Tell the process id."""
    return os.getpid()

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def fail() -> str:
    """Fail."""
    raise ToolError("the token " + os.environ.get("TEST_TOKEN", "") + " is bad")

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def die() -> str:
    """Die."""
    sys.stderr.write("I am dying\\n"); sys.stderr.flush(); os._exit(3)

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def hang() -> str:
    """Hang."""
    time.sleep(60)
    return ""

server.run()
'''
"""A server made with the package `mcp`, which takes a second of the processor to load."""

SMALL_SERVER = f'''
import os, sys, time
sys.path.insert(0, {str(REPO / "tests" / "support" / "servers")!r})
from mcp_stdio import serve

def add(a: int, b: int):
    """Add two numbers."""
    return {{"sum": a + b}}

def environment():
    """Tell all."""
    return " ".join(f"{{k}}={{v}}" for k, v in sorted(os.environ.items()))

def order(symbol: str):
    """Buy it."""
    return "bought " + symbol

def process():
    """Tell the process id."""
    return os.getpid()

def fail():
    """Fail."""
    raise ValueError("the token " + os.environ.get("TEST_TOKEN", "") + " is bad")

def die():
    """Die."""
    sys.stderr.write("I am dying\\n"); sys.stderr.flush(); os._exit(3)

def hang():
    """Hang."""
    time.sleep(60)

tools = (add, environment, order, process, fail, die, hang)
serve({{tool.__name__: tool for tool in tools}}, read_only={{tool.__name__ for tool in tools if tool is not order}})
'''
"""A server with the same tools that speaks the protocol itself."""


class TestServer:
    @pytest.fixture
    def server(self, put, ws):
        """A workspace with a server of all kinds of tools, asked for them already."""

        def make(more="", env="", code=SMALL_SERVER):
            put(
                "test",
                f"name: test\nmcp:\n  command: ['{{python}}', server.py]\n  env: [{env}]\n{more}",
                server_py=code,
            )
            providers.refresh_provider(ws, "test")
            return lambda name, **arguments: tool(ws, name).run(arguments)

        return make

    @pytest.mark.process
    def test_its_tools_are_known_only_after_it_was_asked_and_then_without_it(self, put, ws, server):
        put("test", "mcp: {command: [no-such-server]}")
        assert problem(ws, "test") == "the tools of test are still unknown"
        call = server(code=SERVER)
        assert call("test.add", a=1, b=2) == {"sum": 3}
        close_servers()
        code = "from ia.kernel.workspace import Workspace; from ia.faculties import providers; import sys; print(len(providers.list_tools(Workspace())), 'mcp' in sys.modules)"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert run.stdout == "7 False\n"

    @pytest.mark.process
    def test_a_server_keeps_running_between_calls_and_ends_with_us(self, server, ws):
        call = server()
        number = call("test.process")["result"]
        assert call("test.process")["result"] == number
        close_servers()
        assert gone(number)

    @pytest.mark.process
    def test_it_ends_with_the_process_that_started_it(self, server, ws):
        server()
        code = "from ia.kernel.workspace import Workspace; from ia.faculties import providers; print({t.name: t for t in providers.list_tools(Workspace())}['test.process'].run({})['result'])"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=90)
        assert run.stderr == ""
        assert gone(int(run.stdout))

    @pytest.mark.process
    def test_only_what_it_calls_read_only_is_open_to_a_model(self, server, ws):
        server(code=SERVER)
        assert {tool.name: tool.risk for tool in providers.list_tools(ws)} == {
            "test.add": "read", "test.environment": "read", "test.process": "read", "test.fail": "read",
            "test.die": "read", "test.hang": "read", "test.order": "confirm",
        }  # fmt: skip

    @pytest.mark.process
    def test_the_manifest_says_which_and_how(self, server, ws):
        call = server(
            "tools:\n  - {name: order, risk: read, description: Says it bought.}\n  - {name: 'a*', risk: confirm}"
        )
        assert {tool.name: (tool.risk, tool.description) for tool in providers.list_tools(ws)} == {
            "test.order": ("read", "Says it bought."), "test.add": ("confirm", "Add two numbers."),
        }  # fmt: skip
        assert call("test.order", symbol="600519") == {"result": "bought 600519"}

    @pytest.mark.process
    def test_it_gets_the_environment_that_is_declared(self, server, monkeypatch):
        monkeypatch.setenv("TEST_TOKEN", "abcd1234")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-you")
        told = server(env="TEST_TOKEN")("test.environment")["result"]
        names = {word.partition("=")[0] for word in told.split(" ") if "=" in word}
        assert names - {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"} == {"PATH", "LANG", "TEST_TOKEN"}
        assert "abcd1234" not in told

    @pytest.mark.process
    @pytest.mark.parametrize("code", [SERVER, SMALL_SERVER], ids=["package", "small"])
    def test_what_it_calls_an_error_is_one_without_its_secrets(self, server, monkeypatch, code):
        monkeypatch.setenv("TEST_TOKEN", "abcd1234")
        with pytest.raises(Unavailable, match=r"test.fail of provider test failed: .*the token \*\*\* is bad"):
            server(env="TEST_TOKEN", code=code)("test.fail")

    @pytest.mark.process
    def test_one_that_dies_says_its_last_words_and_is_started_again(self, server):
        call = server()
        with pytest.raises(Unavailable, match=r"test\.die: the server of provider test exited: I am dying"):
            call("test.die")
        assert call("test.add", a=2, b=2) == {"sum": 4}

    @pytest.mark.process
    def test_one_that_hangs_is_ended_in_time(self, server, ws):
        call = server("tools: [{name: hang, timeout: 1}, {name: process}]")
        number = call("test.process")["result"]
        started = time.monotonic()
        with pytest.raises(TryLater, match=r"test\.hang of provider test timed out after 1 s"):
            call("test.hang")
        assert time.monotonic() - started < 20
        assert gone(number)

    @pytest.mark.process
    def test_arguments_that_do_not_fit_do_not_reach_it(self, server, ws):
        server()
        outcome = Router(catalog.provider_tools(ws)).call_tool(Scope(ws, actor="model x"), "test.add", {"a": "x"})
        assert isinstance(outcome.failure, BadData)
        assert "b" in str(outcome.failure)

    @pytest.mark.parametrize(
        ("code", "told"),
        [
            ("print('Welcome to my server!')", "exited: Welcome to my server!"),
            ("import sys; sys.exit('no licence')", "exited: no licence"),
            ("import sys; sys.stdout.write('x' * 20_000_000)", "exited"),
            ("pass", "exited"),
            ('import sys\nfor line in sys.stdin: print(\'{"jsonrpc": "2.0", "id": 1, "result": 5}\', flush=True)', ""),
        ],
        ids=["banner", "exit", "flood", "silent", "nonsense"],
    )
    def test_one_that_speaks_no_mcp(self, put, ws, code, told, monkeypatch):
        monkeypatch.setattr("ia.faculties.providers.server.START", 5.0)
        put("bad", "mcp:\n  command: ['{python}', bad.py]", bad_py=code)
        started = time.monotonic()
        with pytest.raises(IaError) as failure:
            providers.refresh_provider(ws, "bad")
        assert time.monotonic() - started < 30
        assert failure.value.status in (65, 69, 75)
        assert told in str(failure.value)
        assert "bad" in str(failure.value)

    def test_a_mute_one_is_given_up_and_killed(self, put, ws, monkeypatch, tmp_path):
        monkeypatch.setattr("ia.faculties.providers.server.START", 1.0)
        code = f"import os, signal, time; signal.signal(15, signal.SIG_IGN); open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); print('starting up', flush=True); time.sleep(60)"
        put("mute", "mcp:\n  command: ['{python}', mute.py]", mute_py=code)
        with pytest.raises(TryLater, match="tools/list of provider mute timed out after 1 s: starting up"):
            providers.refresh_provider(ws, "mute")
        assert gone(int((tmp_path / "pid").read_text()))

    def test_one_that_cannot_be_started(self, put, ws):
        put("none", "mcp: {command: [no-such-server]}")
        with pytest.raises(ConfigError, match="no-such-server not found"):
            providers.refresh_provider(ws, "none")

    @pytest.mark.process
    def test_a_server_cannot_take_the_name_of_an_organ(self, put, ws):
        code = SERVER.replace("def add(", "def unused(").replace(
            "@server.tool()\ndef order", '@server.tool(name="memory.believe")\ndef order'
        )
        put("test", "mcp:\n  command: ['{python}', server.py]", server_py=code)
        names = {tool.name for tool in providers.refresh_provider(ws, "test").tools}
        assert "test.memory_believe" in names
        assert all(name.startswith("test.") for name in names)

    @pytest.mark.process
    def test_calls_at_once_from_several_threads(self, server):
        call = server()
        sums = []
        threads = [
            threading.Thread(target=lambda n=n: sums.append(call("test.add", a=n, b=n)["sum"])) for n in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert sorted(sums) == [2 * n for n in range(12)]

    @pytest.mark.process
    def test_a_changed_manifest_wants_to_be_asked_again(self, server, ws, put):
        server()
        put("test", "mcp: {command: ['{python}', other.py]}")
        assert problem(ws, "test") == "the tools of test are still unknown"
