"""The analyst carries out skills that it does not know: steps, readings, rules and templates are files of the skill."""

import ast
import os
import re
from pathlib import Path

import pytest

from ia.agent.analyst.evidence import measures
from ia.agent.analyst.tables import Table
from ia.agent.turns.turn import take_turn

ROOT = Path(__file__).parents[4]
READING = {
    "SKILL.md": """---
name: shelf
description: 书单体检：没读的有几本，放了多久
description_en: "Reading-list review: how many are unread, and for how long"
allowed-tools: [memory.read, notebook.read, notebook.write, skills.check]
triggers: [书单体检, reading list]
---
看书单。
""",
    "knowledge/sop.yaml": """sop:
  phases:
    - id: P1
      name: 看
      steps:
        - id: B1
          action: 读书单
          action_en: Read the list
          tool: notebook.read
          args: {path: books.md}
          output: 书单
          output_en: the list
        - id: B2
          action: 写一页体检
          action_en: Write the page
          tool: notebook.write
          args: {path: "reviews/{date}.md", template: page}
          output: 体检
          output_en: the review
        - id: B3
          action: 选下一本
          action_en: Choose the next book
""",
    "knowledge/readings.yaml": """readings:
  entries:
    - id: unread
      step: B1
      measure: count
      match: '^- \\[ \\]'
      unit: count
      high: 3
      low: 1
      high_sign: -1
      above: 没读的有 {figure} 本，太多
      above_en: '{figure} books are unread: too many'
      between: 没读的有 {figure} 本
      between_en: '{figure} books are unread'
    - id: oldest
      step: B1
      measure: days_first
      match: '^- \\[ \\].*'
      unit: days
      high: 30
      high_sign: -1
      above: 最早的一本放了 {figure}
      above_en: the oldest has waited {figure}
""",
    "knowledge/rules.yaml": """rules:
  tier1_must_know:
    - id: S1
      condition: unread >= 3 and oldest > 60
      action: 先不要再买书
      action_en: Buy no more books for now
      priority: warning
  tier2_core:
    - id: S2
      condition: unread > 100
      conclusion: 不可能
      conclusion_en: cannot be
    - id: S3
      condition: 封面好看
      condition_en: the cover is nice
      conclusion: 读它
      conclusion_en: read it
""",
    "templates/answer.md": """<!-- zh -->
**书单体检** {unread} 本没读，最久 {oldest}
{if alarms}
先看：
- {alarms}
{end}
反面：
- {against}
没有判断：{unjudged}
{if not for}
没有好消息
{end}
剩下：
- {left}
<!-- en -->
**Reading list** {unread} unread, oldest {oldest}
{if alarms}
First:
- {alarms}
{end}
- {against}
Left: {left} {nobody}
""",
    "templates/page.md": "<!-- zh -->\n# 书单体检 {date}\n\n- {readings}\n<!-- en -->\n# Reading list {date}\n\n- {readings}\n",
}
BOOKS = "# 书单\n\n- [ ] 2024-01-02 聪明的投资者\n- [x] 2023-01-01 读过的\n- [ ] 2024-03-01 漫步华尔街\n- [ ] 2024-03-02 周期\n"
DIVIDEND = {
    "SKILL.md": """---
name: payout
description: 股息体检
description_en: Dividend check
allowed-tools: [market.ohlcv, compute.run, skills.check]
triggers: [股息体检, dividend check]
---
看。
""",
    "knowledge/sop.yaml": """sop:
  phases:
    - id: P1
      name: 看
      steps:
        - {id: D1, tool: market.ohlcv, output: 行情, output_en: prices}
        - {id: D2, tool: compute.run, args: {code: close}, output: 收盘, output_en: close, unit: price}
""",
    "knowledge/readings.yaml": """readings:
  entries:
    - {id: steady, code: 'close / close', high: 1, unit: ratio, above: 稳, above_en: 'steady: {figure}'}
    - {id: odd, code: 'close * 0', high: three, unit: ratio, above: 怪}
""",
    "knowledge/patterns.yaml": """patterns:
  quick_patterns:
    - {id: Q1, name: 有价, name_en: has a price, condition: 'close > 0', indication: 可看, indication_en: worth a look}
""",
    "templates/answer.md": "<!-- zh -->\n{name} {D2}：{steady}\n- {for}\n- {rules}\n<!-- en -->\n{symbol} {D2}\n- {for}\n- {rules}\n",
}


def put(home, files):
    name = re.search(r"^name: (\w+)", files["SKILL.md"], re.M)[1]
    for path, text in files.items():
        file = home / ".claude" / "skills" / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return home / ".claude" / "skills" / name


@pytest.fixture
def house(ws, home, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00:00+08:00")
    monkeypatch.setenv("IA_LANG", "zh")
    (home / "notebook").mkdir(exist_ok=True)
    (home / "notebook" / "books.md").write_text(BOOKS, encoding="utf-8")
    os.utime(home / "notebook" / "books.md", (1.7e9, 1.7e9))  # before IA_NOW, which sees nothing later
    return ws


@pytest.mark.parametrize("question", ["/shelf", "书单体检", "帮我做一次书单体检"])
def test_a_skill_on_another_subject_is_carried_out(house, home, question):
    put(home, READING)
    lines = take_turn(house, question, model="ia-offline").reply.splitlines()
    assert lines[0] == "**书单体检** 3 本没读，最久 73 天"
    assert "- **S1** 先不要再买书" in lines and "没有好消息" in lines
    assert "- 没读的有 3 本，太多" in lines
    assert any("S3" in line and "封面好看" in line for line in lines) and not any("S2" in line for line in lines)
    assert "- B3 选下一本" in lines
    page = (home / "notebook" / "reviews" / "2024-03-15.md").read_text(encoding="utf-8")
    assert page.startswith("# 书单体检 2024-03-15") and "没读的有 3 本，太多" in page


def test_it_answers_in_english(house, home, monkeypatch):
    monkeypatch.setenv("IA_LANG", "en")
    put(home, READING)
    lines = take_turn(house, "please do a reading list review", model="ia-offline").reply.splitlines()
    assert lines[0] == "**Reading list** 3 unread, oldest 73 days"
    assert "- **S1** Buy no more books for now" in lines
    assert "- 3 books are unread: too many" in lines
    assert any(line.startswith("Left: B3") and line.endswith("{nobody}") for line in lines)


@pytest.mark.parametrize("question", ["/payout 600519", "给 600519 做股息体检"])
def test_bars_are_judged_by_readings_and_patterns_of_the_skill(house, home, question):
    put(home, DIVIDEND)
    reply = take_turn(house, question, model="ia-offline").reply
    assert reply.startswith("贵州茅台 ") and "- 稳" in reply and "- **Q1** " in reply
    [line] = [line for line in reply.splitlines() if "没有用上" in line]
    assert "knowledge/readings.yaml:4" in line and "high" in line and "怪" not in reply


def test_a_step_that_fails_is_told_though_the_template_does_not_name_it(house, home):
    broken = DIVIDEND["knowledge/sop.yaml"].replace("code: close}", "code: close +}")
    put(home, {**DIVIDEND, "knowledge/sop.yaml": broken, "templates/answer.md": "<!-- zh -->\n{name}\n- {for}\n"})
    lines = take_turn(house, "/payout 600519", model="ia-offline").reply.splitlines()
    assert lines[0] == "贵州茅台" and lines[1].startswith("- 收盘：") and "语法错误" in lines[1]


def test_damaged_tables_of_the_owner_are_named_with_their_line(house, home):
    from ia.faculties import profiles

    profiles.use_profile(house, profiles.find_profile("invest"))
    path = home / ".claude" / "skills" / "research" / "knowledge" / "readings.yaml"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("high: 2\n", "high: [\n", 1), encoding="utf-8")
    reply = take_turn(house, "看看宁德时代", model="ia-offline").reply
    [line] = [line for line in reply.splitlines() if "没有用上" in line]
    assert re.search(r"knowledge/readings\.yaml:\d+", line) and "200 日线" in reply
    path.write_text(
        whole.replace("收盘在 200 日线之上 {size}，主要趋势向上", "远在年线之上（{size}）"), encoding="utf-8"
    )
    assert "远在年线之上（12.2%）" in take_turn(house, "看看宁德时代", model="ia-offline").reply


def test_what_python_knows_of_the_subject_the_skills_tell_it():
    words = re.compile(
        r"\b(rsi|macd|kdj|atr|natr|adx|cci|mfi|obv|sma|ema|bbands|zscore|percentrank|vwma|stdev|boll\w*)\b"
        r"|moving average|overbought|oversold|均线|日线（|\d+ 日线|超买|超卖|布林|动量|momentum|量比",
        re.I,
    )
    told = []
    agent = ROOT / "lib" / "ia" / "agent"
    for file in sorted([*(agent / "analyst").rglob("*.py"), *(agent / "turns").rglob("*.py")]):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        docs = {
            node.body[0].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None
        }
        for node in ast.walk(tree):
            said = node.value if isinstance(node, ast.Constant) and node not in docs else ""
            if isinstance(said, str) and words.search(said):
                told.append(f"{file.name}:{node.lineno}: {said[:60]}")
    assert not told


@pytest.mark.parametrize(
    "condition", ["__import__('os')", "x", "x ** 9 > 1", "(lambda: 1)() > 0", "x.y > 1", "9" * 400]
)
def test_a_condition_is_a_comparison_of_measured_values_or_words(condition):
    assert measures.evaluate(condition, {"x": 3.0}) is None


def test_a_section_of_another_kind_is_reported_once():
    told = []
    table = Table({"entries": 7}, skill="x", name="readings", report=lambda *each: told.append(each))
    assert table.entries("entries", lambda entry: entry) == [] and len(told) == 1
