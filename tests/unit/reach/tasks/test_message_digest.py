"""A report as a message: answer, risks and what to do arrive, tables as lines, nothing cut in a line."""

from ia.organs.channels.previews import preview_lines
from ia.reach.tasks.message_digest import MAX_MESSAGE, digest_report
from ia.reach.tasks.reporting import first_row

ROWS = "\n".join(f"| {600000 + n}.SH 名字{n} | {n},000 | -{n}.5% | – |" for n in range(12))
REVIEW = f"""**每日复盘 2024-03-15**
> 行情是模拟的。

**今日盈亏** -2,575.00 CNY (-0.50%)

| 持仓 | 数量 | 浮动 | 仓位 |
| --- | ---: | ---: | ---: |
{ROWS}

**风控**
- 600036.SH 止损提醒：-25.35% <= -7%

**是否操作**
- 600036.SH：下次开盘前决定。
"""


def test_risks_and_what_to_do_come_before_the_rows_of_a_table():
    text = digest_report(REVIEW, "zh")
    assert "|" not in text and "---" not in text and len(text) <= MAX_MESSAGE
    order = ["今日盈亏", "止损提醒", "下次开盘前决定", "- 600000.SH 名字0：数量 0,000，浮动 -0.5%", "- 600011.SH"]
    places = [text.find(part) for part in order]
    assert -1 not in places and places == sorted(places), text
    assert "仓位" not in text  # a column without values


def test_without_room_whole_lines_are_left_out_and_counted():
    lines = REVIEW.splitlines()
    for limit in range(60, 600, 7):
        text = digest_report(REVIEW, "en", limit)
        *kept, last = text.splitlines()
        assert "今日盈亏" in text
        assert all(line in lines or line.startswith(("- 6", "… and ")) for line in kept), text
        assert last in lines or last.startswith(("… and ", "- 6")), text
    assert digest_report(REVIEW, "en", 300).count("\n- 6000") >= 3


def test_a_line_that_has_no_room_ends_behind_a_sentence():
    assert digest_report("One is here. " * 50, "en", 40) == "One is here. One is here. One is here. …"


def test_what_a_pipeline_printed_keeps_its_rows():
    assert digest_report("```\nsymbol\tprice\n600519.SH\t749.61\n```", "en") == "symbol\tprice\n600519.SH\t749.61"
    assert digest_report("- one\n-\n\n---\nx", "en") and digest_report("", "en") == ""


def test_a_preview_begins_with_what_is_said():
    text = digest_report(REVIEW, "zh")
    first, rest = text.split("\n", 1)
    assert preview_lines(f"{first} （行情是模拟的）\n{rest}")[0] == "今日盈亏 -2,575.00 CNY (-0.50%)"
    assert first_row(text) == "今日盈亏 -2,575.00 CNY (-0.50%)"
    assert preview_lines("## only a title") == ["only a title"] and preview_lines("") == []
