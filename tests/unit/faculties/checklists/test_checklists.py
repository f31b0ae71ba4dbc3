"""Lists of checks.yaml: what cannot be read is one line, and nothing of it is judged."""

import pytest

from ia.agent.analyst.ask.checklist_words import ASKS, NamedChecklist, choose_checklists
from ia.faculties.checklists import CheckRequest, list_checklists, run_checklist
from ia.kernel.errors import IaError, drop_message

SKILL = "---\nname: own\ndescription: lists of its own\n---\nbody\n"


@pytest.fixture
def write_list(home):
    """Write checks.yaml of a skill of the workspace."""

    def write(text):
        folder = home / ".claude" / "skills" / "own"
        (folder / "knowledge").mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
        (folder / "knowledge" / "checks.yaml").write_text(text, encoding="utf-8")

    return write


def one_item(item, trade="buy"):
    head = f"checks:\n  one:\n    {f'trade: {trade}' if trade else 'title: one'}\n    items:\n"
    return f"{head}      - {{id: a, text: must hold, source: here, {item}}}\n"


HOSTILE = [
    ("checks: [1, 2]", 65),
    ("{", 65),
    ("checks:\n  one: 5\n", 65),
    ("checks:\n  one: {items: []}\n", 65),
    (one_item("expression: 'clsoe > 1'"), 65),
    (one_item("expression: 'foo(close) > 1'"), 65),
    (one_item("expression: '(((('"), 65),
    (one_item("expression: \"__import__('os').system('id') > 1\""), 65),
    (one_item("expression: [1]"), 65),
    (one_item("ask: maybe"), 65),
    (one_item("risk: everything"), 65),
    (one_item("account: price < 3"), 65),
    (one_item("account: held < 1e999"), 65),
    (one_item("rule: X1"), 65),
    (one_item("rule: X1, ask: true"), 65),
    (one_item("severity: high, ask: true"), 65),
    (one_item("expression: 'close > 1'", trade=""), 65),
    (one_item("ask: true", trade="swap"), 65),
    (one_item("ask: true") + "      - {id: a, text: again, ask: true}\n", 65),
    (one_item("ask: true") + "      - 7\n", 65),
    (one_item("expression: '" + "(" * 900 + "close" + ")" * 900 + " > 1'"), 65),
]


@pytest.mark.parametrize(("text", "status"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_malformed_list_is_one_line(ws, write_list, text, status):
    write_list(text)
    lists, broken = list_checklists(ws)
    assert len(lists) + len(broken) == 1
    with pytest.raises(IaError) as raised:
        run_checklist(ws, CheckRequest("one", "300750"), drop_message)
    assert raised.value.status == status and "\n" not in str(raised.value) and "checks.yaml" in str(raised.value)


LISTS = [
    NamedChecklist("buy", "research/buy", "Before a purchase", "buy"),
    NamedChecklist("sell", "research/sell", "卖出前", "sell"),
    NamedChecklist("weekly", "review/weekly", "每周账户检查", ""),
]


@pytest.mark.parametrize(
    ("words", "security", "names"),
    [
        ("run my buy checklist on it", True, ["buy"]),
        ("能买吗，过一遍清单", True, ["buy"]),
        ("卖之前过一遍清单", True, ["sell"]),
        ("过一遍每周清单", False, ["weekly"]),
        ("go through the weekly checklist", False, ["weekly"]),
        ("过一遍清单", True, ["buy"]),
        ("run my checklist", False, ["buy", "sell", "weekly"]),
    ],
)
def test_which_list_is_meant(words, security, names):
    assert ASKS.search(words)
    assert [each.name for each in choose_checklists(words, LISTS, security=security)] == names


@pytest.mark.parametrize(
    "words", ["看看我的关注清单", "任务清单", "show my watch list", "待办清单里有什么", "check 300750"]
)
def test_other_lists_are_not_meant(words):
    assert not ASKS.search(words)
