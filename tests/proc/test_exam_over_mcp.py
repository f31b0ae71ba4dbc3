"""The questions of the exam through `ia mcp`: where one call finds the answer, a client gets it from there, too."""

import asyncio
import json
import os

import pytest

from ia.kernel import config
from ia.kernel.workspace import Workspace
from ia.reach.exam.expected import VALUED, take_value
from ia.reach.exam.preparation import build_workspace, enter_exam
from ia.reach.exam.sitting import open_exam
from support.program import program


@pytest.fixture
def exam(tmp_path, monkeypatch):
    """What is expected of each question, with the environment of the exam's workspace in force."""
    monkeypatch.setenv("IA_COMPUTE_ISOLATION", "prefer")
    with open_exam(Workspace(), "ia-offline") as sitting:
        expected = sitting.expected
    with enter_exam(str(tmp_path / "exam"), ()) as plan:
        build_workspace(plan)
        yield expected


async def make_calls(calls):
    """Return what a client of `ia mcp` gets for each call: the object where there is one, else its text as JSON."""
    from mcp import Client, StdioServerParameters

    command, *words = [*program(), "mcp"]
    server = StdioServerParameters(command=command, args=words, env=config.child_environment({}) | dict(os.environ))
    async with Client(server) as client:
        results = [await client.call_tool(name.replace(".", "_"), arguments) for name, arguments in calls]
    texts = ["".join(block.text for block in result.content) for result in results]
    assert not [text for text, result in zip(texts, results, strict=True) if result.is_error]
    return [result.structured_content or json.loads(text) for text, result in zip(texts, results, strict=True)]


@pytest.mark.soak
@pytest.mark.process
def test_a_client_finds_what_one_call_tells(exam):
    single = [each for each in exam if len(each.calls) == 1]
    assert len(single) >= 35
    documents = asyncio.run(asyncio.wait_for(make_calls([each.calls[0] for each in single]), 100))
    for each, document in zip(single, documents, strict=True):
        for check in each.checks:
            source = check.get(check["kind"])
            if check["kind"] in VALUED and "tool" in source:
                found = take_value(document, source["take"], source.get("times", 1))
                assert found == check["value"], each.question.id
