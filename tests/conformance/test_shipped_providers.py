"""What every provider that ships with a profile keeps to: it can be read, tried, called wrongly, and it tells no tales."""

import shutil
from pathlib import Path

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.faculties import providers

SHIPPED = sorted((Path(__file__).parent.parent.parent / "profiles").glob("*/.claude/providers/*"))


@pytest.fixture(params=SHIPPED, ids=lambda folder: f"{folder.parts[-4]}-{folder.name}")
def shipped(request, home, ws, monkeypatch):
    """A workspace with one shipped provider, and simulated prices: no network."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    shutil.copytree(request.param, home / ".claude" / "providers" / request.param.name)
    return providers.find_provider(ws, request.param.name)


def test_there_is_one():
    assert [folder.name for folder in SHIPPED] == ["calendar", "financial", "news", "web", "web"]


def test_it_is_sound_and_says_what_it_is_for(shipped):
    assert (shipped.problem is None) is not bool(shipped.manifest.requires), "off until its settings are there"
    assert shipped.enabled
    assert shipped.version
    assert shipped.description
    assert all(tool.description and tool.check is not None for tool in shipped.tools)


@pytest.mark.process
def test_each_tool_answers_its_trial_call_and_refuses_what_does_not_fit(shipped, ws):
    router = Router(catalog.provider_tools(ws))
    for tool in shipped.tools:
        outcome = router.call_tool(Scope(ws, actor="model x"), tool.name, tool.check)
        assert outcome.ok, str(outcome.failure)
        wrong = router.call_tool(Scope(ws, actor="model x"), tool.name, {"no_such_argument": 1})
        assert wrong.failure is not None
        assert wrong.failure.status == 65


@pytest.mark.process
def test_what_it_answers_could_not_instruct_anybody(shipped, ws):
    """One that ships must not cost the user the freedom of the turn, but where it brings texts: these are marked."""
    for tool in shipped.tools:
        scope = Scope(ws, actor="model x")
        outcome = Router(catalog.provider_tools(ws)).call_tool(scope, tool.name, tool.check)
        assert outcome.ok
        assert scope.tainted == (not tool.figures)
        assert tool.figures or str(outcome.value).startswith("<<data ")


@pytest.mark.process
def test_an_invalid_call_is_refused_by_the_program_itself(shipped, ws):
    from ia.faculties.providers.command import run_process
    from ia.faculties.providers.registry import provider_folder
    from ia.faculties.providers.start_command import prepare_start

    start = prepare_start(shipped.manifest, provider_folder(ws, shipped.name))
    for given in (b"", b"[]", b'{"arguments": 5}', b"\xff"):
        ended = run_process(start, given, 30)
        assert ended.status == 65
        assert ended.out == b""
        assert ended.err.count(b"\n") == 1
