"""Cards in clients of MCP that show pages, and in those that do not; the page is drawn by a real browser."""

import asyncio
import json
import os
from contextlib import asynccontextmanager, closing

import pytest

from support import browser
from support.program import program
from support.skill_library import GARDEN, install_functions, write_skill

UI, PAGE = "io.modelcontextprotocol/ui", "text/html;profile=mcp-app"
ADVICE = {
    "points": [{"text": "止损 <b>8%</b>", "do": "Set it\u202e <script>alert(1)</script>"}],
    "uncertain": "the next report",
    "next": ["Why 8 %?", "What if it gaps?"],
}


@asynccontextmanager
async def connected(*extensions, mode):
    from mcp import Client, StdioServerParameters

    command, *words = [*program(), "mcp", "--trusted"]
    server = StdioServerParameters(command=command, args=words, env=dict(os.environ))
    async with Client(server, mode=mode, extensions=list(extensions)) as client:
        yield client


def talk(dialogue, *extensions, mode="auto"):
    async def run():
        async with connected(*extensions, mode=mode) as client:
            return await dialogue(client)

    return asyncio.run(asyncio.wait_for(run(), 100))


def apps():
    from mcp.client.extension import advertise

    return advertise(UI, {"mimeTypes": [PAGE]})


@pytest.fixture
def garden(home, tmp_path, monkeypatch):
    install_functions(tmp_path / "packages", monkeypatch)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    write_skill(home, "garden", {"tools/tools.yaml": GARDEN})


async def show(client):
    await client.call_tool("skills_load", {"name": "garden"})
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    plan = {"date": "2024-03-15", "rows": [{"plant": "豌豆", "count": 12}]}
    return tools, await client.call_tool("show_garden", plan), await client.call_tool("show_advice", ADVICE)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_shows_pages_gets_one_for_each_type_of_card(garden, mode):
    async def dialogue(client):
        tools, plan, _ = await show(client)
        pages = {str(each.uri): each for each in (await client.list_resources()).resources}
        address = tools["show_garden"].meta["ui"]["resourceUri"]
        first, second = [(await client.read_resource(address)).contents[0] for _ in range(2)]
        return client.server_capabilities, tools, plan, pages, address, first, second

    capabilities, tools, plan, pages, address, first, second = talk(dialogue, apps(), mode=mode)
    assert mode == "legacy" or UI in capabilities.extensions
    assert address == "ui://ia/garden_plan" and tools["notebook_list"].meta is None
    assert {"ui://ia/report", "ui://ia/insight", "ui://ia/advice", address} <= set(pages)
    assert first == second and first.mime_type == pages[address].mime_type == PAGE
    assert "2024-03-15" not in first.text and "http" not in first.text.replace("http-equiv", "")
    policy = {"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []}
    assert first.meta["ui"]["csp"] == pages[address].meta["ui"]["csp"] == policy
    assert plan.structured_content["props"]["rows"] == [{"plant": "豌豆", "count": 12}]
    assert plan.structured_content["card"] == "garden_plan"


def test_a_client_that_shows_no_pages_gets_the_words(garden):
    tools, plan, _ = talk(show)
    assert tools["show_garden"].meta is None
    assert json.loads(plan.content[0].text)["text"].splitlines()[0] == "Garden chart"


@pytest.mark.parametrize("address", ["ui://ia/none", "ui://other/report", "ui://ia/../report", "file:///etc/passwd"])
@pytest.mark.share(2)
def test_nothing_stands_at_another_address(garden, address):
    from mcp.shared.exceptions import MCPError

    async def dialogue(client):
        with pytest.raises(MCPError, match="no such resource"):
            await client.read_resource(address)
        return await client.read_resource("ui://ia/report")

    assert talk(dialogue, apps()).contents[0].mime_type == PAGE


HOST = """<!doctype html><meta charset="utf-8"><iframe id="frame" sandbox="allow-scripts" width="900" height="700"></iframe>
<script>
const told = [], frame = document.getElementById('frame');
const send = message => frame.contentWindow.postMessage({jsonrpc: '2.0', ...message}, '*');
window.addEventListener('message', event => {
  const message = event.data;
  if (event.source !== frame.contentWindow) return;
  told.push(message.method || 'answer');
  if (message.method === 'ui/initialize')
    send({id: message.id, result: {protocolVersion: message.params.protocolVersion, hostInfo: {}, hostCapabilities: {}, hostContext: {}}});
  if (message.method === 'ui/notifications/initialized') send({method: 'ui/notifications/tool-result', params: RESULT});
});
frame.srcdoc = PAGE;
</script>"""


@pytest.mark.skipif(browser.chromium() is None, reason="no Chromium")
@pytest.mark.parametrize("laid_out", [True, False])
def test_a_browser_draws_the_card_that_a_host_sends(garden, tmp_path, laid_out):
    async def dialogue(client):
        _, _, advice = await show(client)
        return (await client.read_resource("ui://ia/advice")).contents[0].text, advice

    page, advice = talk(dialogue, apps())
    result = advice.model_dump(mode="json", by_alias=True, exclude_none=True)
    if not laid_out:
        result.pop("_meta")
    safe = [json.dumps(each).replace("<", "\\u003c") for each in (result, page)]
    # The frame may run scripts and nothing else; so that it can be looked into, it has the origin of the host here.
    host = HOST.replace("RESULT", safe[0]).replace("= PAGE", f"= {safe[1]}")
    (tmp_path / "host.html").write_text(host.replace("allow-scripts", "allow-scripts allow-same-origin"))
    (tmp_path / "closed.html").write_text(host)
    with closing(browser.Page(tmp_path / "profile")) as tab:
        tab.open((tmp_path / "host.html").as_uri())
        tab.run("new Promise(done => setInterval(() => told.includes('ui/notifications/size-changed') && done(), 20))")
        inside = "frame.contentDocument.querySelector('main')"
        shown = tab.run(f"{inside}.innerText")
        assert "止损 <b>8%</b>" in shown and "<script>alert(1)</script>" in shown and "\u202e" not in shown
        assert "Why 8 %?" in shown and tab.run(f"{inside}.querySelectorAll('script, b').length") == 0
        assert tab.run(f"{inside}.querySelectorAll('table td').length") == (2 if laid_out else 0)
        assert not tab.requests()
        tab.open((tmp_path / "closed.html").as_uri())
        tab.run("new Promise(done => setInterval(() => told.includes('ui/notifications/size-changed') && done(), 20))")
        assert not tab.complaints()
