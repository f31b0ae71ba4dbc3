"""Bugs, put into the running parts on purpose: what they cost, what people read of them, and where they are kept."""

import glob
import json
import os

import pytest

from ia.agent.analyst.desk import ToolDesk
from ia.agent.analyst.jobs import plan, risk_rules
from ia.agent.analyst.parts import in_list, in_text, nothing, part
from ia.agent.analyst.say import note
from ia.agent.analyst.voice import EN, AnswerVoice
from ia.agent.turns.turn import COULD_NOT, take_turn
from ia.faculties import profiles
from ia.kernel import audit, faults, proposals
from ia.kernel.errors import InternalError, TryLater
from ia.kernel.i18n import translate
from ia.organs import notebook, sessions

PYTHON = ("Error", "0x", "Traceback", ".py", "object at")


@pytest.fixture
def pack(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_COMPUTE_ISOLATION", "prefer")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    for made in profiles.use_profile(ws, profiles.find_profile("invest"))[1]:
        proposals.reject(ws, made.id, by="user")
    return ws


def breaks(*_, **__):
    raise TypeError(f"{object()} got multiple values for keyword argument 's'")


def is_plain(text):
    return [mark for mark in PYTHON if mark in text] == []


def answers(ws, session):
    return [message.content for message in sessions.load_history(ws, session) if message.role == "assistant"]


def faults_of(ws, kind):
    return [(event.subject, event.data) for event in audit.events(ws.db, kind=f"fault.{kind}")]


@pytest.mark.process
@pytest.mark.parametrize(
    ("lang", "question", "named"),
    [
        ("zh", "帮我看看宁德时代最近怎么样", ["没有风控规则的核对", "没有笔记与观察"]),
        ("en", "How is CATL doing?", ["the check of the risk rules", "the note and the observation"]),
    ],
)
def test_an_error_in_a_part_costs_that_part(pack, monkeypatch, lang, question, named):
    monkeypatch.setenv("IA_LANG", lang)
    monkeypatch.setattr(risk_rules, "in_force", breaks)
    monkeypatch.setattr(note, "note", breaks)
    folder = os.path.join(pack.root, "memory", "observations")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "2024-03-15-宁德时代.md"), "wb") as file:  # what it reads is damaged, too
        file.write(b"\xff\xfe\x00\x81 damaged")
    told = []
    turn = take_turn(pack, question, model="ia-offline", notify=lambda message: told.append(str(message)))
    assert [name for name in named if name not in turn.reply] == []
    assert ("置信度" if lang == "zh" else "confidence") in turn.reply  # the rest stands
    assert is_plain(turn.reply)
    assert is_plain("\n".join(answers(pack, turn.session)))
    missing = [line for line in told if "is missing from the answer" in line]
    assert len(missing) == 2
    assert is_plain("\n".join(missing))
    kept = dict(faults_of(pack, "part"))
    assert set(kept) >= {"the check of the risk rules", "the note and the observation"}
    about = kept["the check of the risk rules"]
    assert about["error"].startswith("TypeError: … got multiple values")
    assert any("breaks" in line for line in about["at"])
    assert "0x" not in json.dumps(about)


@pytest.mark.parametrize(("lang", "question"), [("zh", "茅台怎么样"), ("en", "How is Moutai doing?")])
def test_a_turn_that_fails_as_a_whole_keeps_a_plain_sentence(ws, monkeypatch, lang, question):
    monkeypatch.setenv("IA_LANG", lang)
    monkeypatch.setattr(plan, "_do_request", breaks)
    with pytest.raises(InternalError) as caught:
        take_turn(ws, question, model="ia-offline", session="s1")
    assert caught.value.status == 70
    assert is_plain(str(caught.value))
    assert answers(ws, "s1") == [f"[{translate(COULD_NOT, lang)}]"]
    [(_, about)] = faults_of(ws, "turn")
    assert about["error"].startswith("TypeError")


def test_a_bug_of_a_tool_costs_the_call(ws, monkeypatch):
    from ia.agent.tools import catalog
    from ia.agent.tools.scope import Scope

    monkeypatch.setattr(notebook, "read_note", breaks)
    told = []
    scope = Scope(ws, actor="model", notify=lambda message: told.append(str(message)))
    outcome = catalog.build_router(ws).call_tool(scope, "notebook.read", {"path": "scratch/a.md"})
    assert isinstance(outcome.failure, InternalError)
    assert is_plain(outcome.format_text())
    assert "notebook.read" in outcome.format_text()
    assert is_plain("\n".join(told))
    assert [subject for subject, _ in faults_of(ws, "tool")] == ["notebook.read"]
    [call] = audit.events(ws.db, kind="tool.call")
    assert is_plain(call.data["error"])


def test_a_bug_in_a_chat_is_told_to_nobody_who_writes(ws):
    from ia.reach.bridges import chat
    from ia_cli.terminal.listener_voice import make_listener_voice

    told = []
    answer = chat._answer_safely(ws, make_listener_voice(), lambda message: told.append(str(message)), breaks)
    assert answer == str(chat.WRONG)
    assert is_plain("\n".join(told))
    assert faults_of(ws, "chat")


def test_the_command_line_names_the_command(ws, monkeypatch, capsys):
    from ia_cli.main import run_command_line

    notebook.write_note(ws, "scratch/a.md", "a workspace that is there")
    monkeypatch.setattr(audit, "events", breaks)
    assert run_command_line(["log"]) == 70
    complaint = capsys.readouterr().err
    assert complaint.splitlines()[0] == "ia: internal error in `ia log`"
    assert "ia log --kind fault" in complaint.splitlines()[1]
    assert len(complaint.splitlines()) == 2
    assert is_plain(complaint)
    monkeypatch.setenv("IA_DEBUG", "1")
    assert run_command_line(["log"]) == 70
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.undo()
    assert [subject for subject, _ in faults_of(ws, "command")] == ["`ia log`"] * 2


def test_a_bug_makes_no_workspace(tmp_path, monkeypatch, capsys):
    from ia_cli.main import run_command_line

    home = tmp_path / "fresh"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("IA_HOME", raising=False)
    monkeypatch.setattr("ia_cli.commands.completion.completion.invoke", breaks)
    assert run_command_line(["completion", "bash"]) == 70
    complaint = capsys.readouterr().err
    assert complaint.startswith("ia: internal error in `ia completion`\n")
    assert "ia log" not in complaint  # there is nothing to look up
    assert not home.exists()


def test_parts_are_named_once():
    desk = ToolDesk.__new__(ToolDesk)
    desk.speak, desk.left_out, desk.last_lines = AnswerVoice(EN), [], []

    @part("the list", in_list)
    def lines(desk):
        raise KeyError("x")

    @part("the text", in_text)
    def words(desk):
        raise KeyError("x")

    @part("the work", nothing)
    def work(desk):
        yield []
        raise KeyError("x")

    @part("what works", in_text)
    def fine(desk, *, name):
        return name

    assert lines(desk) == lines(desk) == ["Missing: the list (an error in ia; see `ia log --kind fault`)."]
    assert words(desk).startswith("Missing: the text")
    working = work(desk)
    assert next(working) == []
    with pytest.raises(StopIteration) as ended:
        working.send([])
    assert ended.value.value is None
    assert [line[:17] for line in desk.last_lines] == ["Missing: the work"]
    assert fine(desk, name="as it is") == "as it is"
    assert [lost.name for lost in desk.left_out] == ["the list", "the text", "the work"]


def test_what_the_system_says_is_no_bug():
    error = faults.explain_exception(PermissionError(13, "Permission denied", "a.md"), "ia note")
    assert (error.status, str(error)) == (77, "a.md: Permission denied")
    assert isinstance(faults.explain_exception(TryLater("later"), "x"), TryLater)
    assert str(faults.explain_exception(KeyError("close"), "`ia quote`")) == "internal error in `ia quote`"


def test_the_bug_of_a_model_plugin_is_told_plainly():
    from ia.agent.turns import models

    told = models.explain_failure(AttributeError("'NoneType' object has no attribute 'choices'"), "some-model")
    assert (told.status, str(told)) == (69, "some-model: the answer is unreadable")
    told = models.explain_failure(ValueError("no choices in <Response object at 0x7f00aa11bb22>"), "some-model")
    assert str(told) == "some-model: the answer is unreadable: no choices in …"


def embedded(ws, question, monkeypatch):
    """Return the answer of the embedded analyst to a question, and check that it is in plain words."""
    monkeypatch.setenv("IA_LANG", "zh" if not question.isascii() else "en")
    turn = take_turn(ws, question, model="ia-offline", session="s1")
    assert is_plain(turn.reply)
    assert ws.root not in turn.reply
    return turn.reply


@pytest.mark.process
@pytest.mark.parametrize(
    ("lang", "module", "name", "question", "named", "kept"),
    [
        ("en", "evidence.verdict.Verdict", "describe_lean", "How is CATL doing?", "the first line", "Against"),
        ("zh", "evidence.past_views", "describe_view", "我之前怎么看宁德时代", "之前的看法", "关于宁德时代"),
        (
            "zh",
            "jobs.coaching",
            "lens",
            "你最近总是低估市场情绪的影响，分析时要多考虑资金面。",
            "批准之后的变化",
            "等你决定",
        ),
    ],
)
def test_an_error_in_a_small_answer_costs_its_part(pack, monkeypatch, lang, module, name, question, named, kept):
    import importlib

    monkeypatch.setenv("IA_LANG", lang)
    if "之前" in question:
        take_turn(pack, "看看宁德时代", model="ia-offline", session="s1")
    shelf, file, *owner = module.split(".")
    place = importlib.import_module(f"ia.agent.analyst.{shelf}.{file}")
    monkeypatch.setattr(getattr(place, owner[0]) if owner else place, name, breaks)
    reply = embedded(pack, question, monkeypatch)
    assert named in reply
    assert kept in reply


@pytest.mark.process
def test_a_provider_that_dies_in_the_middle_of_a_turn_costs_its_step(pack, monkeypatch):
    folder = os.path.join(pack.root, ".claude", "providers", "agenda")
    os.makedirs(folder)
    with open(os.path.join(folder, "PROVIDER.md"), "w") as file:
        file.write(
            "---\nname: agenda\ncommand: ['{python}', run.py]\nenv: [IA_NOW]\ntools: [{name: calendar.trading}]\n---\n"
        )
    skill = os.path.join(pack.root, ".claude", "skills", "days", "knowledge")
    os.makedirs(skill)
    with open(os.path.join(skill, os.pardir, "SKILL.md"), "w") as file:
        file.write("---\ndescription: days\nallowed-tools: [calendar.trading, market.ohlcv]\n---\nFollow the steps.\n")
    with open(os.path.join(skill, "sop.yaml"), "w") as file:
        file.write(
            "sop:\n  phases:\n  - id: P1\n    name: look\n    steps:\n"
            "    - {id: D1, tool: calendar.trading, output: trading days}\n"
            "    - {id: D2, tool: market.ohlcv, output: prices}\n"
        )
    for program in (
        "raise KeyError('close')",
        "import os, sys; sys.stdout.buffer.write(b'{\"\\xff <object at 0x7f00aa11bb22>'); sys.stdout.flush(); os._exit(0)",
        "import os, signal; print('[', flush=True); os.kill(os.getpid(), signal.SIGKILL)",
    ):
        with open(os.path.join(folder, "run.py"), "w") as file:
            file.write(program)
        for question in ("/days 600519", "/days 贵州茅台"):
            lines = embedded(pack, question, monkeypatch).splitlines()
            [failed] = [line for line in lines if line.startswith("- D1 ")]
            assert "出错" in failed or "没有给出" in failed or "failed with status" in failed or "no JSON" in failed
            assert "<<" not in failed
            assert any(line.startswith("- D2 ") and "600519.SH" in line for line in lines)


@pytest.mark.process
@pytest.mark.parametrize(
    ("file", "text", "named"),
    [
        ("rules.yaml", "rules: {tier1_must_know: [{id: [", "knowledge/rules.yaml:1"),
        ("sop.yaml", "just words", "knowledge/sop.yaml"),
        ("patterns.yaml", "patterns: {red_flags: 7}", "knowledge/patterns.yaml"),
        ("../SKILL.md", "---\nname: [\ndescription: x\n---\nbody", "SKILL.md:"),
    ],
)
@pytest.mark.share(2)
def test_a_damaged_file_of_a_skill_is_named_in_the_answer(pack, monkeypatch, file, text, named):
    path = os.path.join(pack.root, ".claude", "skills", "research", "knowledge", file)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    for question, head in (
        ("看看宁德时代", "技能 research 有一部分没有用上："),
        ("How is CATL doing?", "A part of the skill"),
    ):
        reply = embedded(pack, question, monkeypatch)
        [line] = [line for line in reply.splitlines() if line.removeprefix("- ").startswith(head)]
        assert named in line
        assert "300750.SZ" in reply


@pytest.mark.process
def test_an_unknown_field_in_the_text_of_a_skill_stands_as_it_is(pack, monkeypatch):
    knowledge = os.path.join(pack.root, ".claude", "skills", "research", "knowledge")
    with open(os.path.join(knowledge, "rules.yaml"), "w", encoding="utf-8") as out:
        json.dump(
            {
                "rules": {
                    "tier2_core": [{"id": "T2", "condition": "close > 0", "conclusion": "{no} {0.x} {", "source": "{y"}]
                }
            },
            out,
        )
    for question in ("看看宁德时代", "How is CATL doing?"):
        embedded(pack, question, monkeypatch)
        [note] = glob.glob(os.path.join(pack.root, "notebook", "research", "*", "*.md"))
        with open(note, encoding="utf-8") as file:
            assert "{no} {0.x} {" in file.read()
