"""`ia mcp`, spoken to by the official client over real pipes: the same tools, the same gates, nothing else on stdout."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from support.program import program

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


@pytest.fixture(autouse=True)
def demo(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_COMPUTE_ISOLATION", "prefer")


@contextlib.asynccontextmanager
async def connected(*args, mode="auto", **kwargs):
    from mcp import Client, StdioServerParameters

    command, *words = [*program(), "mcp", *args]
    async with Client(
        StdioServerParameters(command=command, args=words, env=dict(os.environ)), mode=mode, **kwargs
    ) as client:
        yield client


def talk(dialogue, *args, mode="auto", **kwargs):
    """Run a dialogue with a fresh `ia mcp` and return what it returns."""

    async def run():
        async with connected(*args, mode=mode, **kwargs) as client:
            return await dialogue(client)

    return asyncio.run(asyncio.wait_for(run(), 100))


def text(result):
    return "".join(block.text for block in result.content)


def lines(*requests):
    return "".join(json.dumps(request) + "\n" for request in requests)


def asked(number, name, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def test_tools_are_listed_with_schemas_and_what_they_do():
    tools = {tool.name: tool for tool in talk(lambda client: client.list_tools()).tools}
    ohlcv, prefer = tools["market_ohlcv"], tools["memory_prefer"]
    assert ohlcv.title == "market.ohlcv"
    assert ohlcv.input_schema["required"] == ["symbol"]
    assert ohlcv.annotations.read_only_hint
    assert ohlcv.annotations.open_world_hint
    assert not prefer.annotations.read_only_hint
    assert tools["messaging_send"].annotations.open_world_hint and tools["indicator_calc"].annotations.open_world_hint
    assert tools["subagents_run"].annotations.open_world_hint and not tools["subagents_run"].annotations.read_only_hint
    assert not tools["notebook_list"].annotations.open_world_hint
    assert {"compute_run", "indicator_calc", "notebook_write", "memory_believe"} <= set(tools)
    assert not {name for name in tools if "approve" in name}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.share(2)
def test_fetched_prices_reach_the_calculator(mode):
    async def dialogue(client):
        bars = await client.call_tool("market_ohlcv", {"symbol": "600519", "end": "2024-03-15", "tail": 2})
        last = await client.call_tool("compute_run", {"code": "latest(close)"})
        frame = await client.call_tool("compute_run", {"code": "df.close.iloc[-1]"})
        return bars, last, frame

    bars, last, frame = talk(dialogue, mode=mode)
    assert bars.structured_content["simulated"] is True
    close = float(bars.structured_content["bars"][-1].split(",")[4])
    assert last.structured_content["value"] == close
    assert json.loads(text(frame))["value"] == close


def test_a_security_that_is_named_has_its_default_window(home):
    """Whatever window of it was looked at before."""

    async def dialogue(client):
        whole = await client.call_tool("compute_run", {"code": "len(close)", "symbol": "600519"})
        await client.call_tool("market_ohlcv", {"symbol": "600519", "period": "weekly", "start": "2024-01-01"})
        again = await client.call_tool("compute_run", {"code": "len(close)", "symbol": "600519"})
        macd = await client.call_tool("indicator_calc", {"name": "MACD", "symbol": "600519"})
        return whole, again, macd

    whole, again, macd = talk(dialogue)
    assert again.structured_content["value"] == whole.structured_content["value"] > 200
    assert not macd.is_error and "null" not in text(macd)


def test_notes_are_written_and_what_needs_the_user_is_proposed(home, ia):
    async def dialogue(client):
        note = await client.call_tool("notebook_write", {"path": "scratch/mcp.md", "content": "written over MCP"})
        belief = await client.call_tool("memory_prefer", {"text": "回答先给结论"})
        return note, belief

    note, wish = talk(dialogue)
    assert not note.is_error, text(note)
    kept = (home / "notebook" / "scratch" / "mcp.md").read_text(encoding="utf-8")
    assert kept.strip() == "---\nuntrusted: mcp client\n---\nwritten over MCP"
    assert wish.structured_content["proposal"] == 2
    assert not (home / "memory" / "preferences.md").exists()
    trust, pending = json.loads(ia("pending", "--json").stdout)
    assert (trust["kind"], trust["path"]) == ("trust", "notebook/scratch/mcp.md")
    assert (pending["kind"], pending["actor"]) == ("preferences", "mcp")
    assert "untrusted: mcp client" in pending["origin"] and pending["origins"] == ["mcp client"]
    events = json.loads(ia("log", "--kind", "tool.call", "--json").stdout)
    assert {(event["subject"], event["actor"]) for event in events} == {
        ("notebook.write", "mcp"),
        ("memory.prefer", "mcp"),
    }


def test_what_goes_wrong_is_a_result_that_a_model_can_act_on():
    async def dialogue(client):
        return [
            await client.call_tool("market_ohlcv", {"symbol": 5}),
            await client.call_tool("market_ohlcv", {"symbol": "no such security anywhere"}),
            await client.call_tool("market_ohlvc", {}),
            await client.call_tool("notebook_read", {"path": "../../etc/passwd"}),
            await client.call_tool("compute_run", {"code": "().__class__", "symbol": "600519"}),
            await client.call_tool("compute_run", {"code": "latest(", "symbol": "600519"}),
        ]

    results = talk(dialogue)
    assert all(result.is_error for result in results)
    assert all(result.structured_content is None for result in results)
    bad, _unknown, misspelt, outside, escape, _syntax = map(text, results)
    assert "symbol: 5 is not of type 'string'" in bad
    assert "arguments of market.ohlcv: symbol: string" in bad
    told = json.loads(misspelt)
    assert told["code"] == "no-such-tool" and told["hint"].startswith("did you mean market.ohlcv")
    assert "points outside notebook/" in outside
    assert "__class__" in escape
    assert "Traceback" not in "".join(map(text, results))


def test_only_what_the_pattern_names_is_served():
    async def dialogue(client):
        return await client.list_tools(), await client.call_tool("notebook_write", {"path": "a", "content": "b"})

    listed, refused = talk(dialogue, "--tools", "market.*", "--tools", "compute_run,memory.recall")
    titles = {tool.title for tool in listed.tools}
    assert {"market.ohlcv", "market.screen"} <= titles
    assert {title for title in titles if not title.startswith("market.")} == {"compute.run", "memory.recall"}
    assert refused.is_error
    assert "not among the allowed tools of mcp" in text(refused)


def test_calls_at_once_are_answered_each():
    async def dialogue(client):
        calls = [client.call_tool("notebook_write", {"path": f"n{i}.md", "content": f"text {i}"}) for i in range(8)]
        calls += [client.call_tool("market_ohlcv", {"symbol": "600519"}) for _ in range(4)]
        return await asyncio.gather(*calls)

    results = talk(dialogue)
    assert not [text(result) for result in results if result.is_error]


def test_a_provider_is_served_too(home):
    folder = home / ".claude" / "providers" / "echo"
    folder.mkdir(parents=True)
    code = "import json, sys; json.dump(json.load(sys.stdin)['arguments'], sys.stdout)"
    (folder / "PROVIDER.md").write_text(
        f"---\ncommand: ['{{python}}', -c, {json.dumps(code)}]\n"
        "tools: [{name: back, parameters: {x: number}}, {name: act, risk: confirm}]\n---\n"
    )

    async def dialogue(client):
        act = await client.call_tool("echo_act", {})
        return await client.call_tool("echo_back", {"x": 7}), act, await client.call_tool("echo_act", {})

    back, act, after = talk(dialogue)
    assert back.structured_content is None
    assert text(back).startswith("<<data ")
    assert '{"x": 7}' in text(back)
    assert not act.is_error
    assert "ia approve 1" in text(act)
    assert "acts outside" in text(after)  # of what it answered


def test_a_trusted_client_writes_as_its_user_does(home):
    async def dialogue(client):
        return await client.call_tool(
            "notebook_write", {"path": "scratch/mcp.md", "content": "see https://example.com"}
        )

    assert not talk(dialogue, "--trusted").is_error
    assert (home / "notebook" / "scratch" / "mcp.md").read_text(encoding="utf-8").strip() == "see https://example.com"


def test_a_note_of_the_user_is_not_replaced_by_a_client(home, ia):
    ia("note", "research/private.md", "mine")

    async def dialogue(client):
        return [
            await client.call_tool("notebook_write", {"path": "research/private.md", "content": "theirs"}),
            await client.call_tool("notebook_append", {"path": "research/private.md", "content": "theirs"}),
            await client.call_tool("memory_note", {"key": "playbook", "content": "theirs"}),
        ]

    written, added, noted = talk(dialogue)
    assert written.is_error and added.is_error
    assert "research/private-untrusted.md" in text(written)
    assert noted.structured_content["proposal"] == 1
    assert (home / "notebook" / "research" / "private.md").read_text(encoding="utf-8").strip() == "mine"
    assert "theirs" not in ia("context", "hi").stdout


def test_a_skill_of_a_client_ends_with_the_next_one(home, ia):
    for name, tools in (("narrow", "market.ohlcv"), ("other", "notebook.list")):
        folder = home / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\ndescription: {name}\nallowed-tools: [{tools}]\n---\nbody")

    async def dialogue(client):
        told = []
        for step in (
            "notebook_list",
            "narrow",
            "notebook_list",
            "other",
            "notebook_list",
            "account_status",
            None,
            "account_status",
        ):
            if step in ("narrow", "other", None):
                told.append(await client.call_tool("skills_load", {"name": step}))
            else:
                told.append(await client.call_tool(step, {}))
        return told

    free, narrow, refused, other, again, still, ended, whole = talk(dialogue)
    assert not free.is_error and not narrow.is_error and "ends" in narrow.structured_content
    assert "allowed tools of narrow" in text(refused)
    assert not other.is_error and not again.is_error
    assert "allowed tools of other" in text(still)
    assert ended.structured_content == {"skill": None, "ended": "other", "tools": None}
    assert not whole.is_error


def test_patterns_hold_whatever_skill_was_ended(home):
    folder = home / ".claude" / "skills" / "wide"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\ndescription: wide\nallowed-tools: ['*']\n---\nbody")

    async def dialogue(client):
        await client.call_tool("skills_load", {"name": "wide"})
        await client.call_tool("skills_load", {"name": None})
        return await client.call_tool("notebook_write", {"path": "a.md", "content": "b"})

    assert "not among the allowed tools" in text(talk(dialogue, "--tools", "market.*,skills.load"))


SLOW = [
    ("compute_run", {"code": "sum(i for i in range(10**12))", "symbol": "600519"}),
    ("slow_nap", {}),
    ("server_nap", {}),
]


@pytest.mark.parametrize(("name", "arguments"), SLOW)
@pytest.mark.share(3)
def test_a_cancelled_call_ends_its_work_and_the_next_is_answered_at_once(name, arguments, home, ia, tmp_path):
    slow = home / ".claude" / "providers" / "slow"
    slow.mkdir(parents=True)
    (slow / "PROVIDER.md").write_text(
        f"---\ncommand: [sh, -c, 'echo $$ > {tmp_path}/pid; sleep 90']\ntools: [{{name: nap, timeout: 90}}]\n---\n"
    )
    server = home / ".claude" / "providers" / "server"
    server.mkdir(parents=True)
    (server / "server.py").write_text(
        "import time\nfrom mcp.server import MCPServer\nserver = MCPServer('s')\n"
        "@server.tool(annotations={'readOnlyHint': True})\n"
        f"def nap() -> str:\n    open({str(tmp_path / 'pid')!r}, 'w').write('0')\n    time.sleep(90)\n    return 'done'\n"
        "server.run()\n"
    )
    (server / "PROVIDER.md").write_text("---\nmcp:\n  command: ['{python}', server.py]\ntools: [{name: nap, risk: read, timeout: 90}]\n---\n")  # fmt: skip
    if name == "server_nap":
        assert ia("provider", "test", "server").returncode == 0
    ia("ohlcv", "600519")
    process = subprocess.Popen([*program(), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    try:
        process.stdin.write(lines(INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}))
        process.stdin.write(lines(asked(2, name, **arguments)))
        process.stdin.flush()
        process.stdout.readline()
        if name == "compute_run":
            time.sleep(4)
        else:
            for _ in range(300):
                if (tmp_path / "pid").exists():
                    break
                time.sleep(0.1)
            assert (tmp_path / "pid").exists()
        process.stdin.write(
            lines(
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}},
                asked(3, "notebook_list"),
            )
        )
        process.stdin.flush()
        began = time.monotonic()
        while json.loads(process.stdout.readline()).get("id") != 3:
            pass
        assert time.monotonic() - began < 28  # the work itself would take thirty seconds at least
        if name == "slow_nap":
            pid = int((tmp_path / "pid").read_text())
            deadline = time.monotonic() + 40
            with pytest.raises(ProcessLookupError):
                while time.monotonic() < deadline:
                    os.kill(pid, 0)
                    time.sleep(0.05)
        process.stdin.close()
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.wait()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        process.stderr.close()


def test_ia_can_be_a_provider_of_ia(home, tmp_path):
    """Both ends are ours: the server of one workspace is a provider of another."""
    folder = home / ".claude" / "providers" / "other"
    folder.mkdir(parents=True)
    (tmp_path / "other-home").mkdir()
    argv = [*program(), "--home", str(tmp_path / "other-home"), "mcp", "--tools", "market.ohlcv,notebook.write"]
    (folder / "PROVIDER.md").write_text(f"---\nmcp:\n  command: {json.dumps(argv)}\n  env: [IA_MARKET_ADAPTER]\n---\n")
    code = (
        "from ia.faculties import providers\n"
        "from ia.agent.tools import catalog\n"
        "from ia.agent.tools.router import Router\n"
        "from ia.agent.tools.scope import Scope\n"
        "from ia.kernel.workspace import Workspace\n"
        "ws = Workspace()\n"
        "providers.refresh_provider(ws, 'other')\n"
        "router, scope = Router(catalog.provider_tools(ws)), Scope(ws, actor='model x')\n"
        "print({tool.name: tool.risk for tool in router.tools.values()})\n"
        "print(router.call_tool(scope, 'other.market_ohlcv', {'symbol': '600519', 'tail': 1}).format_text())\n"
        "print(router.call_tool(scope, 'other.notebook_write', {'path': 'a.md', 'content': 'b'}).format_text())\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
    listed, bars, note = run.stdout.partition("\n")[0], *run.stdout.partition("\n")[2].rsplit('{"error": "', 1)
    assert listed == "{'other.market_ohlcv': 'read', 'other.notebook_write': 'confirm'}"
    assert '"simulated": true' in bars
    assert bars.startswith("<<data ")
    assert note.startswith("other.notebook_write acts outside ia, which is refused")


def test_requests_from_a_file_are_all_answered_and_stdout_carries_nothing_else(ia):
    given = lines(INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"},
                  asked(2, "market_ohlcv", symbol="600519"), asked(3, "compute_run", code="print(1)"))  # fmt: skip
    run = ia("mcp", input=given + "this is no JSON\n" + lines(asked(4, "notebook_list")))
    assert run.returncode == 0
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert {answer["id"] for answer in answers if "id" in answer} == {1, 2, 3, 4}
    assert "Traceback" not in run.stderr


def test_it_ends_with_its_client():
    process = subprocess.Popen([*program(), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(lines(INITIALIZE))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "ia"
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_at_once_also_in_a_call(number, status, home, tmp_path):
    folder = home / ".claude" / "providers" / "slow"
    folder.mkdir(parents=True)
    (folder / "PROVIDER.md").write_text(
        f"---\ncommand: [sh, -c, 'touch {tmp_path}/begun; sleep 60']\ntools: [{{name: nap, timeout: 60}}]\n---\n"
    )
    process = subprocess.Popen([*program(), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    process.stdin.write(lines(INITIALIZE, asked(2, "slow_nap")))
    process.stdin.flush()
    process.stdout.readline()
    for _ in range(300):
        if (tmp_path / "begun").exists():
            break
        time.sleep(0.1)
    started = time.monotonic()
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - started < 50
    assert process.returncode == status
    assert "Traceback" not in err


def test_a_time_limit_interrupts_a_tool(home):
    """The router's own limit holds in the server as it does in a turn: the main thread is the tools'."""
    code = (
        "import time\n"
        "from ia.reach.bridges import mcp\n"
        "from ia.agent.tools import catalog\n"
        "from ia.agent.tools.registry import READ, Tool\n"
        "from ia.kernel.workspace import Workspace\n"
        "tools = catalog.builtin_tools()\n"
        "slow = Tool(name='test.slow', risk=READ, run=lambda scope: time.sleep(60), description='', "
        "schema={'type': 'object'}, seconds=0.5)\n"
        "catalog.builtin_tools = lambda: [*tools, slow]\n"
        "mcp.serve_tools(Workspace())\n"
    )
    run = subprocess.run([sys.executable, "-c", code], input=lines(INITIALIZE, asked(2, "test_slow")), capture_output=True, text=True, timeout=90)  # fmt: skip
    answer = json.loads(run.stdout.splitlines()[-1])
    assert answer["result"]["isError"]
    assert "test.slow: timed out after 0.5 s" in answer["result"]["content"][0]["text"]


def test_a_terminal_is_no_client(ia):
    import pty

    master, slave = pty.openpty()
    run = ia("mcp", stdin=slave)
    os.close(master)
    os.close(slave)
    assert run.returncode == 2
    assert "client" in run.stderr


@pytest.mark.parametrize("depth, number", [(300, 2), (50_000, None)])
def test_a_request_that_nests_without_end_is_answered_and_the_next_one_too(depth, number):
    nested = "[" * depth + "]" * depth
    call = json.dumps(
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "notebook_list", "arguments": {"x": 0}}}
    )
    given = lines(INITIALIZE) + call.replace("0}", nested + "}") + "\n" + lines(asked(3, "notebook_list"))
    run = subprocess.run([*program(), "mcp"], input=given, capture_output=True, text=True, timeout=60)
    told = {answer["id"]: answer for answer in map(json.loads, run.stdout.splitlines())}
    assert run.returncode == 0 and "Traceback" not in run.stderr
    assert told[number]["error"] == {"code": -32700, "message": "the request is not JSON, or is nested too deeply"}
    assert not told[3]["result"]["isError"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("action", ["accept", "decline", None])
@pytest.mark.share(3)
def test_a_client_that_can_ask_its_user_is_given_the_form(home, mode, action):
    from mcp import types

    from support.skill_library import FORM_TOOLS, FORMS, write_skill

    write_skill(home, "garden", {"tools/tools.yaml": FORM_TOOLS, "forms.yaml": FORMS})
    seen = []

    async def ask(_ctx, params):
        seen.append(params)
        return types.ElicitResult(
            action=action, content={"date": "2024-03-15", "bed": "south"} if action == "accept" else None
        )

    async def dialogue(client):
        await client.call_tool("skills_load", {"name": "garden"})
        offered = {tool.name for tool in (await client.list_tools()).tools}
        return offered, await client.call_tool("ask_plot", {}), await client.call_tool("plan_garden", {})

    offered, form, plan = talk(dialogue, mode=mode, **({"elicitation_callback": ask} if action else {}))
    assert {"ask_plot", "plan_garden"} <= offered
    told = json.loads(text(form))
    assert told["status"] == ("complete" if action == "accept" else "open")
    assert json.loads(text(plan))["code"] == ("config" if action == "accept" else "slots-missing")
    if action:
        assert seen[0].requested_schema["properties"]["bed"]["oneOf"][1] == {"const": "south", "title": "south side"}
