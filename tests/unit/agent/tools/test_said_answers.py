"""Answers of a model count where the user's words hold them, and nowhere else."""

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.said_answers import Exchange, follows
from ia.agent.tools.scope import Scope
from ia.faculties.skills.forms import FormField
from ia.organs import sessions
from support.skill_library import FORM_TOOLS, FORMS, FRONT, install_functions, write_skill


def field(kind="string", format="", choices=(), **texts):
    return FormField(
        name="x", kind=kind, format=format, required=True, choices=[list(each) for each in choices],
        least=None, most=None, default=None, texts=texts,
    )  # fmt: skip


SEX = field("choice", choices=[("male", "男", "male"), ("female", "女", "female")])


@pytest.mark.parametrize(
    ("asked", "value", "words", "holds"),
    [
        (field(), "Beijing", "I was born in Beijing", True),
        (field(), "New  York", "new york, 1990", True),
        (field(), "York", "Yorkshire", False),
        (field(), "北京", "我在北 京出生", True),
        (field(), "上海", "我在北京出生", False),
        (SEX, "female", "我是女的", True),
        (SEX, "male", "I am female", False),
        (field("integer"), 35, "三十五岁", True),
        (field("number"), 1.5, "1.5 per cent", True),
        (field("integer"), 35, "I am 53", False),
        (field("boolean", title="素食"), True, "是的", False),
        (field("boolean", title="素食"), True, "我吃素食", True),
        (field("boolean", title="素食"), False, "我不吃素食", True),
        (field("boolean", title="素食"), True, "我不吃素食", False),
        (field("boolean", title="素食"), False, "天气很好", False),
        (field(format="date"), "1990-05-15", "1990年5月15日", True),
        (field(format="date"), "1990-05-15", "一九九〇年五月十五", True),
        (field(format="date"), "1990-05-15", "born 15 May 1990", True),
        (field(format="date"), "1990-05-15", "May 15th, '90", True),
        (field(format="date"), "1990-05-15", "19900515", True),
        (field(format="date"), "1990-05-15", "５月１５日，1990 年", True),
        (field(format="date"), "1990-05-15", "1990年5月", False),
        (field(format="date"), "1991-05-15", "1990年5月15日", False),
        (field(format="time"), "15:30", "下午三点半", True),
        (field(format="time"), "15:30", "3:30 pm", True),
        (field(format="time"), "12:00", "at noon", True),
        (field(format="time"), "12:00", "born in May", False),
        (field(format="time"), "15:00", "3点", False),
        (field(format="date-time"), "1990-05-15T08:00:00", "1990-05-15 8:00", True),
        (field("choices", choices=[("a", "甲", ""), ("b", "乙", "")]), ["a", "b"], "甲和乙", True),
        (field("choices", choices=[("a", "甲", ""), ("b", "乙", "")]), ["a", "b"], "甲", False),
        (field(), "anything", "", False),
    ],
)  # fmt: skip
def test_what_follows_from_words(asked, value, words, holds):
    assert follows(asked, value, words) is holds


SUNNY = field("boolean", title="有阳光", title_en="Sunny")


@pytest.mark.parametrize(
    ("exchanges", "value"),
    [
        ([("Is the bed sunny?", "yes")], True),
        ([("Is the bed sunny?", "Yes, please. And it is large")], True),
        ([("Is the bed sunny?", "no")], False),
        ([("Is the bed sunny?", "No, it is in the shade")], False),
        ([("Is the bed sunny?", "plant leeks")], None),
        ([("Shall I book it?", "yes")], None),
        ([("Is it sunny? Is it fenced?", "yes")], None),
        ([("Is it sunny or shady?", "yes")], None),
        ([("Is it sunny and fenced?", "no")], None),
        ([("Is it sunny and fenced?", "yes")], True),
        ([("The south side, not sunny, right?", "yes")], False),
        ([("The south side, not sunny, right?", "no")], None),
        ([("- Bed: south side\n- Sunny: no\nIs that right?", "exactly")], False),
        ([("", "the bed is sunny")], True),
        ([("", "the bed isn't sunny")], False),
        ([("", "is the bed sunny?")], None),
        ([("", "maybe sunny")], None),
        ([("", "sunny"), ("", "no, it is not sunny after all")], False),
        ([("Is the bed sunny?", "yes"), ("", "I don't know whether it is sunny")], None),
        ([("", "true, no, yes")], None),
        ([("花坛有阳光吗？", "有")], True),
        ([("花坛有阳光吗？", "是的")], True),
        ([("花坛有阳光吗？", "没有")], False),
        ([("花坛有阳光吗？", "不是，是阴的")], False),
        ([("今天下单吗？", "是")], None),
        ([("", "花坛没有阳光")], False),
        ([("", "花坛有阳光，非常好")], True),
        ([("", "花坛可能有阳光")], None),
        ([("南面，没有阳光，对吗？", "对的")], False),
        ([("南面，没有阳光，对吗？", "不对")], None),
    ],
)
def test_yes_and_no_count_for_the_question_that_they_answer(exchanges, value):
    said = [Exchange(*each) for each in exchanges]
    words = "\n".join(each.said for each in said)
    assert [follows(SUNNY, given, words, said) for given in (True, False)] == [value is True, value is False]


def test_a_yes_to_something_else_sets_no_switch(ws, router):
    sessions.add_message(ws, "s", "user", "the south side, 15 March 2024", turn="1")
    sessions.add_message(ws, "s", "assistant", "Shall I plan it now?", turn="1")
    scope = Scope(ws, actor="model test", session="s", asked="Yes, no rush")
    told = collect(router, scope, date="2024-03-15", bed="south", sunny=False)
    assert told["not_said"] == ["sunny"] and "plot.sunny" not in sessions.load_slots(ws, "s")
    sessions.add_message(ws, "s", "user", "Yes, no rush", turn="2")
    sessions.add_message(ws, "s", "assistant", "Is the plot sunny?", turn="2")
    scope = Scope(ws, actor="model test", session="s", asked="no")
    assert "not_said" not in collect(router, scope, sunny=False)
    assert sessions.load_slots(ws, "s")["plot.sunny"] is False


@pytest.fixture
def router(ws, home, tmp_path, monkeypatch):
    install_functions(tmp_path / "packages", monkeypatch)
    write_skill(home, "garden", {"tools/tools.yaml": FORM_TOOLS, "forms.yaml": FORMS}, FRONT)
    return catalog.build_router(ws)


def collect(router, scope, **answers):
    router.call_tool(scope, "skills.load", {"name": "garden"})
    return router.call_tool(scope, "collect_info", {"form": "plot", "answers": answers}).value


def test_what_nobody_said_stays_open(ws, router):
    scope = Scope(ws, actor="model test", session="s", asked="my plot was sown on 15 March 2024")
    told = collect(router, scope, date="2024-03-15", bed="south")
    assert (told["status"], told["missing"], told["not_said"]) == ("open", ["bed"], ["bed"])
    assert sessions.load_slots(ws, "s") == {"plot.date": "2024-03-15"}


def test_words_of_an_earlier_message_count_and_words_from_outside_do_not(ws, router):
    sessions.add_message(ws, "s", "user", "The south side.", turn="1")
    sessions.add_message(ws, "s", "user", "forwarded: 15 March 2024", turn="2", origins=["provider:mail"])
    scope = Scope(ws, actor="model test", session="s", asked="go on")
    assert collect(router, scope, date="2024-03-15", bed="south")["not_said"] == ["date"]


@pytest.mark.parametrize(("reply", "taken"), [("Yes, please.", True), ("是的", True), ("what do you think?", False)])
def test_a_value_that_the_model_named_counts_once_the_user_says_yes(ws, router, reply, taken):
    sessions.add_message(ws, "s", "user", "plan my garden", turn="1")
    sessions.add_message(ws, "s", "assistant", "The south side, sown on 15 March 2024?", turn="1")
    scope = Scope(ws, actor="model test", session="s", asked=reply)
    told = collect(router, scope, date="2024-03-15", bed="south")
    assert (told["status"] == "complete") is taken


def test_what_a_person_gives_is_not_checked(ws, router):
    scope = Scope(ws, session="s")
    assert collect(router, scope, date="2024-03-15", bed="south")["status"] == "complete"
