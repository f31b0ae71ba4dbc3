"""One form with the same answers through a terminal, a file, Telegram's buttons and an MCP client: the same slots."""

import asyncio
import json
import os
import time

import pytest

from ia.faculties import profiles
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace
from ia.organs import sessions
from ia.reach.bridges import chat_forms
from ia.reach.bridges.chat_approval import ListenerVoice
from support.program import program
from support.skill_library import FORM_TOOLS, FORMS, write_skill
from support.terminal import Terminal

LANGS = pytest.mark.parametrize("lang", ["en", "zh"])
DATE = {"en": "2024-03-15", "zh": "2024年3月15日"}
BED = {"en": "south side", "zh": "南面"}
YES = {"en": "yes", "zh": "是"}
SLOTS = {
    "plot.date": "2024-03-15",
    "plot.bed": "south",
    "plot.size": 20.5,
    "plot.tools": ["spade", "hose"],
    "plot.sunny": True,
}
CHOSEN = {"plot.date": "2024-03-15", "plot.bed": "south"}


@pytest.fixture(autouse=True)
def garden(home, monkeypatch):
    write_skill(home, "garden", {"tools/tools.yaml": FORM_TOOLS, "forms.yaml": FORMS})
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")


@pytest.fixture(autouse=True)
def language(request, monkeypatch):
    if "lang" in request.fixturenames:
        monkeypatch.setenv("IA_LANG", request.getfixturevalue("lang"))


def speak(lang):
    voice = Voice(lang)
    return ListenerVoice(voice.say, lambda *_: "")


def answers(lang):
    """Return what a person types for each field, in the order of the form; then what is skipped."""
    return [DATE[lang], BED[lang], "20.5", "1, 3", YES[lang]]


def type_at_a_terminal(words, lang, session="s", *, leave=False):
    """Answer the questions of `ia session fill`, the first one wrongly first; leave: give up before the last one."""
    with Terminal([*program(), "--lang", lang, "session", "fill", session, "plot"]) as terminal:
        terminal.wait_for({"en": "Sowing date", "zh": "播种日期"}[lang])
        terminal.send("soon\r")
        terminal.wait_for({"en": "YYYY-MM-DD", "zh": "2024-03-15"}[lang])
        for number, word in enumerate(words):
            if leave and number == len(words) - 1:
                time.sleep(0.5)
                terminal.send("\x03")
                break
            terminal.send(f"{word}\r")
            time.sleep(0.3)
        return terminal.wait_for_end()


def press_in_a_chat(words, lang, session="s", *, end="send"):
    """Answer a form in a chat, the first question wrongly first; each step by another process's eyes."""
    voice = speak(lang)
    part = chat_forms.begin_form(Workspace(), session, "plot", "what to sow", voice)
    refused = chat_forms.take_answer(Workspace(), session, "soon", "", voice)
    assert "'soon'" in refused and refused.endswith(part), "the question comes again"
    seen = [button for _, button in chat_forms.decode_part(part).buttons]
    for word in words:
        message = chat_forms.decode_part(part)
        titled = dict(message.buttons)
        assert all(len(button.encode()) <= 64 for button in titled.values())
        data = titled.get(word, "") or (next(d for t, d in message.buttons if d.endswith(":skip")) if not word else "")
        part = chat_forms.take_answer(Workspace(), session, "" if data else word, data, voice)
    assert sessions.load_slots(Workspace(), session) == {}, "a draft until it is sent"
    if end:
        data = next(d for _, d in chat_forms.decode_part(part).buttons if d.endswith(f":{end}"))
        part = chat_forms.take_answer(Workspace(), session, "", data, voice)
        assert isinstance(part, chat_forms.Resumed) is (end == "send")
    for button in seen:  # of a question that was answered, or of a form that is closed
        assert isinstance(chat_forms.take_answer(Workspace(), session, "", button, voice), str)
    return sessions.load_slots(Workspace(), session)


def elicit(content, lang, *, action="accept", mode="auto", before=None):
    """Let an MCP client answer the form; return what a second, empty call tells of the fields that are filled."""
    from mcp import Client, StdioServerParameters, types

    schemas = []

    async def ask(_ctx, params):
        schemas.append(params.requested_schema)
        return types.ElicitResult(action=action, content=content if action == "accept" else None)

    async def run():
        command, *words = [*program(), "mcp"]
        server = StdioServerParameters(command=command, args=words, env={**os.environ, "IA_LANG": lang})
        async with Client(server, mode=mode, elicitation_callback=ask) as client:
            await client.call_tool("skills_load", {"name": "garden"})
            return await client.call_tool("ask_plot", {})

    told = asyncio.run(asyncio.wait_for(run(), 100))
    text = "".join(block.text for block in told.content)
    return (json.loads(text) if not told.is_error else text), schemas


def filled(told):
    return {f"plot.{each['name']}": each["value"] for each in told["fields"] if "value" in each}


@LANGS
def test_the_same_answers_fill_the_same_slots(ia, lang, tmp_path):
    words = answers(lang)
    assert type_at_a_terminal(words, lang, "typed") == 0
    names = ("date", "bed", "size", "tools", "sunny")
    (tmp_path / "answers.json").write_text(json.dumps(dict(zip(names, words, strict=True))))
    for session, given in (
        ("file", ["--answers", str(tmp_path / "answers.json")]),
        ("words", [f"{name}={word}" for name, word in zip(names, words, strict=True)]),
    ):
        assert ia("--lang", lang, "session", "fill", session, "plot", *given).returncode == 0
    assert press_in_a_chat(words, lang, "chat") == SLOTS
    content = {"date": "2024-03-15", "bed": "south", "size": 20.5, "tools": ["spade", "hose"], "sunny": True}
    for mode in ("auto", "legacy"):
        told, [schema] = elicit(content, lang, mode=mode)
        assert told["status"] == "complete" and filled(told) == SLOTS
        assert schema["properties"]["bed"]["oneOf"][1]["title"] == BED[lang]
    for session in ("typed", "file", "words"):
        assert sessions.load_slots(Workspace(), session) == SLOTS, session


@LANGS
@pytest.mark.share(2)
def test_what_is_left_out_is_left_out_everywhere(ia, lang):
    """Without the fields that nobody has to fill: a default that is offered at a terminal counts there as an answer."""
    assert type_at_a_terminal([DATE[lang], BED[lang], "", "", ""], lang, "typed") == 0
    assert sessions.load_slots(Workspace(), "typed") == {**CHOSEN, "plot.size": 10.0}
    ia("session", "fill", "file", "plot", f"date={DATE[lang]}", f"bed={BED[lang]}")
    assert sessions.load_slots(Workspace(), "file") == CHOSEN
    assert press_in_a_chat([DATE[lang], BED[lang], "", "", ""], lang, "chat") == CHOSEN
    assert filled(elicit({"date": "2024-03-15", "bed": "south"}, lang)[0]) == CHOSEN


@LANGS
@pytest.mark.share(2)
def test_a_form_that_is_given_up_fills_nothing_anywhere(ia, lang):
    words = answers(lang)
    assert type_at_a_terminal(words, lang, "typed", leave=True) in (1, 130)
    assert ia("session", "fill", "file", "plot", f"date={DATE[lang]}").returncode == 77
    assert press_in_a_chat(words, lang, "chat", end="cancel") == {}
    for action in ("decline", "cancel"):
        told, _ = elicit({}, lang, action=action)
        assert told["status"] == "open" and filled(told) == {}
    assert press_in_a_chat(words[:2], lang, "half", end="") == {}
    for session in ("typed", "file", "chat", "half"):
        assert sessions.load_slots(Workspace(), session) == {}


@pytest.mark.share(3)
@LANGS
@pytest.mark.parametrize(
    ("field", "value"),
    [("date", "soon"), ("bed", "west"), ("size", 501), ("size", "many"), ("tools", ["axe"]), ("sunny", "perhaps")],
)
def test_an_answer_that_does_not_fit_is_refused_everywhere(ia, lang, field, value):
    good = {"date": "2024-03-15", "bed": "south", "size": 20, "tools": ["spade"], "sunny": True}
    given = json.dumps({**good, field: value})
    done = ia("--lang", lang, "session", "fill", "file", "plot", "--answers", "-", input=given)
    assert done.returncode == 65 and len(done.stderr.splitlines()) <= 2
    assert sessions.load_slots(Workspace(), "file") == {}
    said = done.stderr.splitlines()[0].removeprefix("ia: ")
    voice = speak(lang)
    words = {"date": DATE[lang], "bed": BED[lang], "size": "20", "tools": "1", "sunny": YES[lang]}
    chat_forms.begin_form(Workspace(), "chat", "plot", "?", voice)
    for name, word in words.items():
        if name == field:
            wrong = ", ".join(value) if isinstance(value, list) else str(value)
            assert said in chat_forms.take_answer(Workspace(), "chat", wrong, "", voice)
            break
        chat_forms.take_answer(Workspace(), "chat", word, "", voice)
    told, _ = elicit({**good, field: value}, lang)  # a model is told in English
    assert json.loads(told)["code"] == "bad-data"
    assert lang == "zh" or json.loads(told)["error"] == said


@LANGS
def test_a_restart_half_way_goes_on_where_it_stood(ia, lang):
    """In a chat with the next question; elsewhere what is filled is not asked again."""
    voice = speak(lang)
    words = answers(lang)
    chat_forms.begin_form(Workspace(), "chat", "plot", "?", voice)
    for word in words[:2]:
        part = chat_forms.take_answer(Workspace(), "chat", word, "", voice)
    assert part.count("3/5") == 1
    run = ia("session", "slots", "chat")  # another process: nothing is lost, and nothing is filled
    assert run.returncode == 1
    for word in words[2:]:
        part = chat_forms.take_answer(Workspace(), "chat", word, "", voice)
    data = next(d for _, d in chat_forms.decode_part(part).buttons if d.endswith(":send"))
    chat_forms.take_answer(Workspace(), "chat", "", data, voice)
    ia("session", "fill", "file", "plot", f"date={DATE[lang]}", f"bed={BED[lang]}")
    done = ia("session", "fill", "file", "plot", "size=20.5", "tools=1, 3", f"sunny={YES[lang]}")
    assert done.returncode == 0
    assert sessions.load_slots(Workspace(), "chat") == sessions.load_slots(Workspace(), "file") == SLOTS


@LANGS
def test_a_lasting_form_means_the_same_person_everywhere(ia, ws, lang, home):
    profiles.use_profile(ws, profiles.find_profile("life"))
    given = {"date": "1990-05-15", "time": "12:00", "place": "北京", "sex": "f"}
    run = ia("--lang", lang, "session", "fill", "a", "birth", *(f"{name}={value}" for name, value in given.items()))
    assert run.returncode == 0, run.stderr
    wanted = {f"birth.{name}": value for name, value in given.items()}
    assert sessions.load_slots(ws, "a") == sessions.load_slots(ws, "b") == wanted
    first = chat_forms.begin_form(ws, "b", "birth", "?", speak(lang))
    assert "1/3" in first, "what is known is not asked again"
