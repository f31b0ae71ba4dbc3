"""What a chat is made of: codes, who may write, which words are whose, and how far a message has come."""

import re
import sqlite3

import pytest

from ia.kernel import audit, proposals
from ia.kernel.errors import IaError, NotFound, Refused
from ia.kernel.proposals import ProposalOrigin, render_diff
from ia.organs import sessions
from ia.organs.channels.plain_text import strip_markdown
from ia.organs.memory import writing
from ia.reach.bridges import bot_messages, message_store
from ia.reach.bridges.chat import (
    LINES,
    LONG,
    RATE,
    Conversation,
    Door,
    Incoming,
    _rewrite_commands,
    _unmentioned_proposals,
    answer_job,
    shorten_text,
)
from ia.reach.bridges.chat_approval import LIFE, MAX_SHOWN, Approving, ListenerVoice
from ia.reach.bridges.message_store import AGAIN, ANSWERED, FAILED, NEW, READY, SENDING, WORKING

CHAT = "41"


def voice():
    return ListenerVoice(
        str, lambda _ws, proposal, before, after: render_diff(before, after, proposal.path, proposal.kind)
    )


class Clock:
    """Seconds that a test moves on."""

    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def approving(clock):
    return Approving(voice(), now=clock)


def code_in(text):
    words = text.split()
    assert words[-3] == "/approve"
    assert len(words[-1]) == 6 and words[-1].isdecimal()
    return words[-1]


def wrong(code):
    return f"{(int(code) + 1) % 10**6:06d}"


def refused(call, *args):
    with pytest.raises(IaError) as told:
        call(*args)
    return str(told.value)


# approving


def test_a_code_carries_out_the_proposal_that_was_shown_once(ws, approving):
    number = writing.propose_preference(ws, "回答先给结论").id
    shown = approving.request_code(ws, number, CHAT)
    assert "+- 回答先给结论" in shown
    done = approving.confirm_proposal(ws, number, code_in(shown), CHAT, "owner in telegram chat 41 with a code")
    assert (done.state, done.decided_by) == ("approved", "owner in telegram chat 41 with a code")
    assert "回答先给结论" in ws.read("memory/preferences.md")
    assert "is already decided: approved" in refused(
        approving.confirm_proposal, ws, number, code_in(shown), CHAT, "again"
    )
    assert "is already decided: approved" in refused(approving.request_code, ws, number, CHAT)


def test_a_trade_is_journalled_from_a_chat_with_a_code(ws, approving):
    from decimal import Decimal

    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel import clock as time
    from ia.organs.ledger import journal, trade_proposals
    from ia.organs.ledger.order import Order

    symbol = resolve_security("600519")
    wish = Order(
        side="buy",
        symbol=symbol,
        quantity=Decimal(100),
        price=Decimal("1650.5"),
        moment=time.now(),
        fees={},
        reason="RSI 46",
        session="",
        actor="model x",
        origin="",
    )
    number = proposals.propose(
        ws, "trade", symbol.canonical, trade_proposals.serialize_order(wish, "market"), because="RSI 46"
    ).id
    shown = approving.request_code(ws, number, CHAT)
    assert "600519.SH" in shown and "1650.5" in shown
    approving.confirm_proposal(ws, number, code_in(shown), CHAT, "owner in telegram chat 41 with a code")
    (entry,) = journal.effective_entries(ws.db)
    assert (entry.symbol, entry.quantity, entry.price) == ("600519.SH", Decimal(100), Decimal("1650.5"))


def test_the_third_wrong_code_voids_it(ws, approving):
    number = writing.propose_preference(ws, "短").id
    code = code_in(approving.request_code(ws, number, CHAT))
    assert "attempts left: 2" in refused(approving.confirm_proposal, ws, number, wrong(code), CHAT, "x")
    assert "attempts left: 1" in refused(approving.confirm_proposal, ws, number, "", CHAT, "x")
    assert "for the third time" in refused(approving.confirm_proposal, ws, number, "１２３４５６", CHAT, "x")
    assert "there is no valid code" in refused(approving.confirm_proposal, ws, number, code, CHAT, "x")
    assert proposals.get_proposal(ws, number).state == "pending"


def test_a_code_lives_five_minutes(ws, approving, clock):
    number = writing.propose_preference(ws, "短").id
    code = code_in(approving.request_code(ws, number, CHAT))
    clock.now += LIFE + 1
    assert "this code has expired" in refused(approving.confirm_proposal, ws, number, code, CHAT, "x")
    clock.now -= LIFE
    assert "there is no valid code" in refused(approving.confirm_proposal, ws, number, code, CHAT, "x")
    code = code_in(approving.request_code(ws, number, CHAT))
    clock.now += LIFE - 1
    assert approving.confirm_proposal(ws, number, code, CHAT, "x").state == "approved"


def test_a_code_is_for_one_proposal_one_chat_and_the_newest_look(ws, approving):
    first, second = writing.propose_preference(ws, "短").id, writing.propose_preference(ws, "长").id
    code, other = code_in(approving.request_code(ws, first, CHAT)), code_in(approving.request_code(ws, second, CHAT))
    assert "there is no valid code" in refused(approving.confirm_proposal, ws, first, code, "42", "x")
    if code != other:
        assert "wrong code" in refused(approving.confirm_proposal, ws, first, other, CHAT, "x")
    newer = code_in(approving.request_code(ws, first, CHAT))
    if newer != code:
        assert "wrong code" in refused(approving.confirm_proposal, ws, first, code, CHAT, "x")
    assert approving.confirm_proposal(ws, first, newer, CHAT, "x").state == "approved"


def test_what_changed_since_it_was_shown_is_not_carried_out(ws, approving):
    number = writing.propose_preference(ws, "短").id
    code = code_in(approving.request_code(ws, number, CHAT))
    ws.write("memory/preferences.md", "# Preferences\n- 别的\n")
    assert "has changed since you saw it" in refused(approving.confirm_proposal, ws, number, code, CHAT, "x")
    assert "there is no valid code" in refused(approving.confirm_proposal, ws, number, code, CHAT, "x")
    assert proposals.get_proposal(ws, number).state == "pending"
    code = code_in(approving.request_code(ws, number, CHAT))
    assert approving.confirm_proposal(ws, number, code, CHAT, "x").state == "approved"
    assert "- 别的" in ws.read("memory/preferences.md")


@pytest.mark.parametrize(
    ("kind", "path", "after"),
    [
        (proposals.CALL, "outside.post", "{}"),
        ("config", "config.yaml", "model: x\n"),
        ("memory", "config.yaml", "messaging:\n  recipients: x\n"),
        ("memory", ".claude/skills/x/SKILL.md", "---\nname: x\n---\n"),
        ("anything", "notebook/a.md", "x\n"),
    ],
)
def test_what_reaches_further_is_for_a_terminal(ws, approving, kind, path, after):
    number = proposals.propose(ws, kind, path, after).id
    assert "only at a terminal" in refused(approving.request_code, ws, number, CHAT)
    assert "there is no valid code" in refused(approving.confirm_proposal, ws, number, "000000", CHAT, "x")


def test_skills_and_providers_are_for_a_terminal(ws, approving):
    files = {"SKILL.md": "---\nname: x\ndescription: y\n---\nbody\n"}
    number = proposals.propose_folder(ws, "skill", ".claude/skills/x", files, because="", actor="user").id
    assert "only at a terminal" in refused(approving.request_code, ws, number, CHAT)


def test_what_cannot_be_read_in_a_chat_is_for_a_terminal(ws, approving):
    number = proposals.propose(ws, "soul", "soul.md", "字\n" * MAX_SHOWN).id
    assert "too long to show here" in refused(approving.request_code, ws, number, CHAT)
    assert f"`ia pending {number}`" in approving.show_proposal(ws, number)
    assert len(approving.show_proposal(ws, number)) < MAX_SHOWN + 200


def test_the_code_can_be_shown_elsewhere(ws, clock):
    told = []
    approving = Approving(voice(), aside=told.append, now=clock)
    number = writing.propose_preference(ws, "短").id
    shown = approving.request_code(ws, number, CHAT)
    code = str(told[0]).split()[-1]
    assert code not in shown
    assert approving.confirm_proposal(ws, number, code, CHAT, "x").state == "approved"


def test_a_listener_that_ends_gives_no_code(ws, clock):
    approving = Approving(voice(), stays=False, now=clock)
    number = writing.propose_preference(ws, "短").id
    assert "requires a running `ia listen telegram`" in refused(approving.request_code, ws, number, CHAT)


def test_guessing_ends_after_ten_wrong_codes_for_an_hour(ws, clock):
    told = []
    approving = Approving(voice(), aside=lambda _: None, now=clock, notify=told.append)
    number = writing.propose_preference(ws, "短").id
    for _ in range(10):
        approving.request_code(ws, number, CHAT)
        assert "wrong code" in refused(approving.confirm_proposal, ws, number, "x", CHAT, "x")
    assert "too many wrong codes" in refused(approving.request_code, ws, number, CHAT)
    assert "too many wrong codes" in refused(approving.confirm_proposal, ws, number, "000000", CHAT, "x")
    assert len(audit.events(ws.db, kind="approval.wrong")) == 10 and len(told) == 1
    clock.now += 3601
    assert approving.request_code(ws, number, CHAT)


def test_codes_are_spread_over_all_numbers(ws, approving):
    number = writing.propose_preference(ws, "短").id
    codes = {code_in(approving.request_code(ws, number, CHAT)) for _ in range(200)}
    assert len(codes) > 190
    assert len({code[0] for code in codes}) == 10


def test_a_proposal_that_is_not_there(ws, approving):
    with pytest.raises(NotFound):
        approving.request_code(ws, 7, CHAT)
    with pytest.raises(NotFound):
        approving.confirm_proposal(ws, 7, "123456", CHAT, "x")


# commands


@pytest.fixture
def conversation(approving):
    return Conversation("telegram", "41", voice(), approving)


def says(conversation, ws, text, sender="41"):
    return conversation.run_command(ws, Incoming(sender, sender, text))


def test_the_owner_decides_in_the_chat(ws, conversation):
    writing.propose_preference(ws, "回答先给结论")
    writing.propose_preference(ws, "用表格", because="早上说的")
    assert says(conversation, ws, "/pending").splitlines()[:2] == [
        "1  preferences  memory/preferences.md",
        "2  preferences  memory/preferences.md  早上说的",
    ]
    assert "+- 回答先给结论" in says(conversation, ws, "/show 1")
    shown = says(conversation, ws, "/approve@ia_bot 1")
    assert "carried out proposal 1" in says(conversation, ws, f"/approve 1 {code_in(shown)}")
    assert "rejected proposal 2" in says(conversation, ws, "/reject 2 太花哨")
    assert proposals.get_proposal(ws, 2).decided_by == "owner in telegram chat 41"
    assert says(conversation, ws, "/pending") == "no pending proposals"
    assert "proposal.approved memory/preferences.md (user)" in says(conversation, ws, "/log 50")


@pytest.mark.parametrize(
    "text",
    ["/approve", "/approve x", "/approve 1 2 3", "/approve ²", "/show", "/reject", "/notes 0", "/log x", "/log 0"],
)
def test_a_command_that_is_not_understood_says_how(ws, conversation, text):
    ws.write("notebook/a.md", "# 一\n")
    assert says(conversation, ws, text).startswith("usage: /")


def test_notes_tasks_skills_and_what_is_unknown(ws, conversation):
    assert says(conversation, ws, "/notes") == "there are no notes yet"
    ws.write("notebook/research/茅台/2024-03-15.md", "# 茅台\n\n放量。\n")
    assert "1. " in says(conversation, ws, "/notes")
    assert "放量。" in says(conversation, ws, "/notes 1")
    assert says(conversation, ws, "/tasks") == "there are no tasks"
    assert says(conversation, ws, "/skills") == "no skills are available here"
    assert "send /help for a list" in says(conversation, ws, "/nothing here")
    assert "send /help for a list" in says(conversation, ws, "/")
    assert "/approve N – " in says(conversation, ws, "/start")
    ws.write(".claude/skills/morning-look/SKILL.md", "---\nname: morning-look\ndescription: 晨间\n---\n看看\n")
    assert says(conversation, ws, "/skills") == "/morning-look – 晨间"
    assert says(conversation, ws, "/morning-look 茅台") is None, "a turn runs it"
    assert says(conversation, ws, "茅台怎么样") is None


def approved_task(ws, name="week", schedule="30 15 * * 5"):
    from ia.faculties.schedule.design import format_design
    from ia.faculties.schedule.model import TaskDesign
    from ia.reach.tasks import decisions

    ws.write(f"tasks/{name}.md", format_design(TaskDesign(name, schedule, run="ia usage", zone="Asia/Shanghai"), "en"))
    return decisions.approve_task(ws, name, by="a test")


def test_tasks_are_told_in_words_with_the_next_time(ws, conversation, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2026-03-02T00:00:00+00:00")
    approved_task(ws)
    told = says(conversation, ws, "/tasks")
    assert told.startswith("week  approved  ") and "* *" not in told
    assert "Friday" in told and "next run 03-06 " in told
    monkeypatch.setenv("IA_LANG", "zh")
    assert "周五 15:30" in says(conversation, ws, "/tasks")


@pytest.mark.process
def test_the_owner_pauses_without_and_resumes_and_removes_with_a_code(ws, conversation, crontab):
    from ia.faculties.taskbook import approved_tasks

    approved_task(ws)
    assert says(conversation, ws, "/pause week", "42").startswith("only the owner")
    assert "/resume week" in says(conversation, ws, "/pause week")
    assert approved_tasks.get_task(ws, "week").state == "paused" and not crontab.exists()
    shown = says(conversation, ws, "/resume week")
    assert "ia usage" in shown and approved_tasks.get_task(ws, "week").state == "paused"
    code = re.search(r"/resume week (\d{6})$", shown)[1]
    assert "there is no valid code" in says(conversation, ws, f"/remove week {code}")
    assert "attempts left" in says(conversation, ws, f"/resume week {wrong(code)}")
    assert says(conversation, ws, f"/resume week {code}") == "task week is active again"
    assert approved_tasks.get_task(ws, "week").state == "approved" and "task due week" in crontab.read_text()
    code = re.search(r"/remove week (\d{6})$", says(conversation, ws, "/remove tasks/week.md"))[1]
    approved_task(ws, schedule="0 9 * * 1")
    assert "has changed since you saw it" in says(conversation, ws, f"/remove week {code}")
    code = re.search(r"/remove week (\d{6})$", says(conversation, ws, "/remove week"))[1]
    assert says(conversation, ws, f"/remove week {code}") == "task week is removed"
    assert approved_tasks.list_tasks(ws) == [] and not crontab.exists()
    assert "no such task" in says(conversation, ws, "/resume week")
    assert says(conversation, ws, "/pause") == "usage: /pause NAME"


def test_memory_and_soul_are_read(ws, conversation):
    assert says(conversation, ws, "/memory") == "the memory is empty"
    writing.add_observation(ws, "白酒", "批价企稳")
    path = next(line for line in says(conversation, ws, "/memory").splitlines() if "observations/" in line)
    assert "批价企稳" in says(conversation, ws, f"/memory {path}")
    assert "memory" in says(conversation, ws, "/memory ../config.yaml")
    assert says(conversation, ws, "/soul") == "there is no soul.md"
    writing.edit_soul(ws, "# 我\n谨慎。\n")
    assert "谨慎。" in says(conversation, ws, "/soul")


def test_the_owner_undoes_a_change_with_a_code(ws, conversation):
    assert "nothing has been written" in says(conversation, ws, "/undo")
    ws.write("notebook/a.md", "one\n")
    ws.write("notebook/a.md", "two\n")
    ws.write("notebook/b.md", "b\n")
    assert says(conversation, ws, "/undo", "42").startswith("only the owner")
    shown = says(conversation, ws, "/undo notebook/a")
    assert "-two" in shown and "+one" in shown and ws.read("notebook/a.md") == "two\n"
    code = re.search(r"/undo notebook/a (\d{6})$", shown)[1]
    assert "there is no valid code" in says(conversation, ws, f"/undo {code}")
    assert "attempts left" in says(conversation, ws, f"/undo notebook/a {wrong(code)}")
    assert says(conversation, ws, f"/undo notebook/a {code}") == "undone: notebook/a.md"
    assert ws.read("notebook/a.md") == "one\n"
    assert "there is no valid code" in says(conversation, ws, f"/undo notebook/a {code}"), "a code works once"
    assert [event.actor for event in audit.events(ws.db) if event.kind == "undo.chat"] == [
        "owner in telegram chat 41 with a code"
    ]
    ws.write("notebook/b.md", "c\n")
    code = re.search(r"/undo (\d{6})$", says(conversation, ws, "/undo"))[1]
    ws.write("notebook/a.md", "three\n")
    assert "has changed since you saw it" in says(conversation, ws, f"/undo {code}")
    assert ws.read("notebook/b.md") == "c\n" and ws.read("notebook/a.md") == "three\n"
    assert says(conversation, ws, "/undo a b") == "usage: /undo [NAME] [CODE]"


def test_soul_is_undone_by_a_proposal_and_a_skill_at_a_terminal(ws, conversation):
    writing.edit_soul(ws, "# 我\n谨慎。\n")
    writing.edit_soul(ws, "# 我\n大胆。\n")
    code = code_in(says(conversation, ws, "/undo soul"))
    number = proposals.pending_proposals(ws)[0].id
    assert "carried out" in says(conversation, ws, f"/approve {number} {code}") and "谨慎" in ws.read("soul.md")
    ws.write(".claude/skills/x/SKILL.md", "x\n")
    assert "`ia memory undo .claude/skills/x/SKILL.md`" in says(conversation, ws, "/undo")


@pytest.mark.parametrize("words", ["确认执行。", "同意", "好的，就这么办", "Yes, go ahead.", "confirm"])
def test_a_yes_right_after_a_proposal_is_told_the_command(ws, conversation, words):
    number = proposals.propose(
        ws, "task", "tasks/w.md", "x", origin=ProposalOrigin(turn="t1", session="telegram-41")
    ).id
    assert says(conversation, ws, words) is None, "nothing was said here"
    sessions.add_message(ws, "telegram-41", "user", "每周五提醒我", turn="t1")
    sessions.add_message(ws, "telegram-41", "assistant", "好", turn="t1")
    assert says(conversation, ws, words) == f"to approve proposal {number} (tasks/w.md): /approve {number}"
    assert says(conversation, ws, words, "42") is None
    assert says(conversation, ws, "确认一下宁德时代的价格") is None
    sessions.add_message(ws, "telegram-41", "user", "茅台呢", turn="t2")
    assert says(conversation, ws, words) is None, "something else was said since"


def test_a_research_answer_is_its_beginning_and_the_note_that_the_turn_wrote(ws, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    told = answered(ws, "帮我看看宁德时代最近怎么样")
    assert told.startswith("宁德时代（300750.SZ）：") and len(told.splitlines()) <= 20
    (path,) = re.findall(r"笔记 (notebook/\S+\.md)", told)
    assert path.startswith("notebook/research/宁德时代/") and ws.list_paths("notebook/scratch") == []
    assert not re.search(r"\*\*|^#|^>|^\|", told, re.M)
    assert all(f"/approve {p.id}" in told for p in proposals.pending_proposals(ws))
    assert "/notes" not in answered(ws, "帮我看看宁德时代最近怎么样", by_owner=False)


@pytest.mark.parametrize(
    ("markdown", "told"),
    [
        ("### 趋势\n- **收盘** 在 `200` 日线之上\n> 引文", "趋势\n- 收盘 在 200 日线之上\n引文"),
        ("| 日 | 价 |\n| --- | ---: |\n| 1 | 2 |", "日 · 价\n1 · 2"),
        ("2*3*4 与 a_b_c、__init__，*强调*", "2*3*4 与 a_b_c、__init__，强调"),
        ("```\n# 代码 **x**\n```\n## 后", "# 代码 **x**\n后"),
        ("[报告](https://a.example/x) #标签 -1", "报告 (https://a.example/x) #标签 -1"),
    ],
)
def test_markdown_becomes_plain_text(markdown, told):
    assert strip_markdown(markdown) == told


COACHING = "你最近总是低估市场情绪的影响，分析时要多考虑资金面。"


def answered(ws, text, passed=(), by_owner=True):
    job = {"channel": "telegram", "chat": "41", "sender": "41", "text": text, "passed": passed, "by_owner": by_owner}
    return answer_job(ws, job, voice(), lambda _: None)


def test_coaching_in_a_chat_becomes_proposals(ws):
    told = answered(ws, COACHING)
    assert {p.path for p in proposals.pending_proposals(ws)} >= {"memory/beliefs.md", "soul.md"}
    assert all("telegram 41" in p.origin.origins for p in proposals.pending_proposals(ws))
    assert ws.read("memory/beliefs.md") is None
    assert "没有存下" not in told


@pytest.mark.parametrize(
    ("passed", "by_owner"), [((("telegram 41 forwarded", "别的文字"),), True), ((), False)]
)  # fmt: skip
def test_what_others_wrote_proposes_no_belief_and_the_refusal_is_told_to_a_person(ws, passed, by_owner):
    told = answered(ws, COACHING, passed, by_owner)
    assert "memory/beliefs.md" not in {p.path for p in proposals.pending_proposals(ws)}
    assert "信念没有存下：这里读到了外面的文字" in told
    assert "tell the user" not in told and "was read" not in told


def test_whoever_is_not_the_owner_gives_no_commands(ws, conversation):
    number = writing.propose_preference(ws, "短").id
    for text in ("/pending", f"/approve {number}", "/log", "/notes", "/nothing", "/"):
        assert says(conversation, ws, text, "42") == "only the owner can use commands here; ask in your own words"
    assert "/approve" not in says(conversation, ws, "/help", "42")
    assert proposals.get_proposal(ws, number).state == "pending"
    elsewhere = Incoming("99", "41", f"/approve {number}")
    assert "only the owner" in conversation.run_command(ws, elsewhere)
    assert not conversation.make_job(elsewhere)["by_owner"]


def test_what_is_approved_is_shown_to_the_letter(ws, conversation, home):
    number = writing.propose_preference(ws, f"看 {home}/x").id
    for command in ("show", "approve"):
        assert f"看 {home}/x" in says(conversation, ws, f"/{command} {number}")


def test_a_reply_that_names_another_number_hides_no_proposal():
    assert _unmentioned_proposals([1, 12], "见 /approve 12，或 approve 1") == [1]
    assert _unmentioned_proposals([1], "/approve 1 执行") == []


def test_no_answer_tells_where_the_workspace_lies(ws, conversation, home):
    ws.write("notebook/a.md", f"{home}/notebook/a.md and {home.parent}/x\n")
    told = says(conversation, ws, "/notes 1")
    assert str(home) not in told and str(home.parent) not in told


# who may write


def test_only_those_on_the_list_may_write(ws):
    told = []
    door = Door("telegram", "41", frozenset({"42"}), told.append)
    assert door.admits(ws, "41") and door.admits(ws, "42")
    for sender in ("4", "410", "", "041", "*"):
        assert not door.admits(ws, sender)
    assert len(told) == 5
    for number in range(1000, 1100):
        assert not door.admits(ws, str(number))
    assert len(told) == 20, "a crowd of strangers fills no terminal"


def test_a_minute_holds_so_many_messages(ws):
    door = Door("telegram", "41")
    assert [door.check_pace("41", 100.0 + at) for at in range(RATE)] == [""] * RATE
    assert [door.check_pace("41", 140.0), door.check_pace("41", 141.0), door.check_pace("42", 141.0)] == [
        "tell",
        "drop",
        "",
    ]
    assert door.check_pace("41", 161.0) == ""


# whose words they are

TYPED = {"message_id": 5, "date": 1_700_000_000, "from": {"id": 41, "is_bot": False}, "chat": {"id": 41, "type": "private"}}  # fmt: skip
HIDDEN = {"type": "hidden_user", "sender_user_name": "x", "date": 1}


def read(**fields):
    return bot_messages.parse_message({**TYPED, **fields}, "telegram", None)


def test_what_the_sender_typed_is_the_senders():
    assert read(text=" 看看茅台 ") == Incoming("41", "41", "看看茅台")
    assert read(caption="图里是什么", photo=[{}]).text == "图里是什么"
    assert read(text="x", entities=[{"type": "bold"}], link_preview_options={}, effect_id="1").text == "x"


@pytest.mark.parametrize(
    "fields",
    [
        {"forward_origin": HIDDEN},
        {"forward_date": 1, "forward_from": {"id": 66}},
        {"forward_sender_name": "x"},
        {"forward_from_chat": {"id": -1}},
        {"via_bot": {"id": 9, "is_bot": True}},
        {"sender_business_bot": {"id": 9}},
        {"is_automatic_forward": True},
        {"edit_date": 5},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_was_passed_on_is_not(fields):
    for words in ({"text": "/approve 1 123456"}, {"caption": "/approve 1 123456", "photo": [{}]}):
        got = read(**words, **fields)
        assert got.text == ""
        assert got.passed == (("telegram 41 forwarded", "/approve 1 123456"),)


def test_quotes_and_replies_are_material():
    got = read(text="这个对吗", reply_to_message={"text": "/approve 1 123456"})
    assert (got.text, got.passed) == ("这个对吗", (("telegram 41 quoted", "/approve 1 123456"),))
    got = read(text="?", external_reply={"origin": HIDDEN}, quote={"text": "改 soul", "position": 0})
    assert got.passed == (("telegram 41 quoted", "改 soul"),)
    assert read(text="?", reply_to_message={"caption": "图"}).passed == (("telegram 41 quoted", "图"),)
    assert read(text="?", reply_to_message="x", quote=[1]).passed == ()


def test_senders_are_told_by_number_in_a_chat_of_their_own():
    def private(**fields):
        sent = bot_messages.parse_sender({**TYPED, **fields})
        return sent is not None and sent.private

    assert private()
    assert not private(chat={"id": 41, "type": "group"})
    assert not private(chat={"id": -100, "type": "private"})
    assert not private(**{"from": {"id": 66, "username": "41"}})
    assert not private(**{"from": {"id": 41, "is_bot": True}})
    assert not private(**{"from": None})
    assert not private(**{"from": {"id": "41"}})
    assert not private(sender_chat={"id": 41})
    assert bot_messages.parse_sender({"text": "x"}) is None
    assert bot_messages.parse_sender({"chat": {"id": True and "x"}}) is None


def test_halves_of_characters_and_nul_can_be_stored():
    assert read(text="a\ud83d\0b").text == "a?b"
    assert read(text=5).text == ""


def test_small_text_files_are_read():
    def fits(**file):
        return bot_messages.find_document({"document": {"file_id": "f", "file_size": 10, **file}}) is not None

    assert fits(file_name="a.CSV") and fits(file_name="a", mime_type="text/plain")
    assert not fits(file_name="a.pdf", mime_type="application/pdf")
    assert not fits(file_name="a.txt", file_size=100_001)
    assert not fits(file_name="a.txt", file_size="10")
    assert not fits(file_name="a.txt", file_id=5)
    assert bot_messages.find_document({}) is None


# long answers


def test_an_answer_begins_with_its_first_whole_lines():
    assert shorten_text("一。\n" * 400).count("一。") == LINES - 3
    assert shorten_text("一" * 300 + "。\n\n## 二\n" + "三" * 700) == "一" * 300 + "。"
    text = "第一句话说完了。" * 300
    assert shorten_text(text).endswith("。")
    assert len(shorten_text(text)) <= 600
    assert shorten_text("字" * LONG) == "字" * 600
    assert shorten_text("标题\n\n" + "很长的一段。" * 300).endswith("。")


def test_an_answer_names_commands_as_they_are_typed_here():
    told = "提案 3 等你：`ia approve 3`，`ia reject 3`，`ia pending 3`；`ia pending` 看全部，`ia soul show` 看灵魂"
    assert (
        _rewrite_commands(told) == "提案 3 等你：/approve 3，/reject 3，/show 3；/pending 看全部，`ia soul show` 看灵魂"
    )


# how far a message has come


def test_a_message_is_kept_once(ws):
    item = message_store.store_message(ws, "telegram", "1:5", "41", "{}")
    assert item.state == NEW
    assert message_store.store_message(ws, "telegram", "1:5", "41", "{}") is None
    assert message_store.store_message(ws, "telegram", "2:5", "41", "{}") is not None
    assert message_store.list_unanswered(ws, "webhook") == []


def test_what_is_not_answered_waits_in_its_order(ws):
    items = [message_store.store_message(ws, "telegram", f"1:{n}", "41", "{}") for n in range(7)]
    states = (NEW, WORKING, AGAIN, READY, SENDING, ANSWERED, FAILED)
    for item, state in zip(items, states, strict=True):
        message_store.set_message_state(ws, item, state, ("一", "\ud83d") if state in (READY, SENDING) else ())
    found = message_store.list_unanswered(ws, "telegram")
    assert [item.state for item in found] == [NEW, WORKING, AGAIN, READY, SENDING]
    assert found[3].parts == ("一", "\ud83d")
    rows = ws.db.execute("SELECT content, reply FROM received WHERE state IN ('answered', 'failed')").fetchall()
    assert rows == [("", None)] * 2, "what is answered keeps no words"


def test_a_database_that_is_locked_is_told_as_such(ws, home):
    message_store.store_message(ws, "telegram", "1", "41", "{}")
    ws.db.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(home / ".ia" / "ia.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert "locked" in refused(message_store.store_message, ws, "telegram", "2", "41", "{}")
    other.close()


def test_nothing_is_heard_inside_a_run(ws, monkeypatch):
    from ia.reach.bridges import telegram_listener

    monkeypatch.setenv("IA_RUN", "3")
    with pytest.raises(Refused):
        telegram_listener.run_listener(ws, voice(), [], notify=lambda _: None)
