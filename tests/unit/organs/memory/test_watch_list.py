"""The watch list: a text file with groups, which a person may edit too."""

import pytest

from ia.kernel.errors import NotFound, UsageError
from ia.organs.memory import change_rules, watch_list
from ia.wiring.security_mentions import identify_security


@pytest.fixture(autouse=True)
def moment(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T14:30")


def test_tracking_is_a_list(ws):
    watch_list.track_item(ws, "600519", "等估值")
    watch_list.track_item(ws, "AI 算力")
    watch_list.track_item(ws, "600519", "更低")
    assert ws.read(change_rules.TRACKING) == "# Tracking\n\n- 600519: 更低 (2024-03-15)\n- AI 算力 (2024-03-15)\n"
    watch_list.untrack_item(ws, "600519")
    assert ws.read(change_rules.TRACKING) == "# Tracking\n\n- AI 算力 (2024-03-15)\n"
    with pytest.raises(NotFound):
        watch_list.untrack_item(ws, "60051")


def test_a_security_is_tracked_once_whatever_it_is_called(ws):
    ws.write(
        change_rules.TRACKING,
        "# Tracking\n\n- 600519: old (2023-01-01)\n- AI 算力 (2023-01-01)\n- 贵州茅台 (2023-01-02)\n",
    )
    for name in ("600519", "贵州茅台", "sh600519"):
        item, code, *names = identify_security(name)
        watch_list.track_item(ws, item, name, code=code, names=names)
    assert ws.read(change_rules.TRACKING).splitlines()[2:] == [
        "- 600519.SH Kweichow Moutai: sh600519 (2024-03-15)",
        "- AI 算力 (2023-01-01)",
    ]
    watch_list.track_item(ws, "600519.SH 茅台", code="600519.SH")  # the company was renamed
    assert ws.read(change_rules.TRACKING).count("600519.SH") == 1
    item, code, *names = identify_security("茅台")
    watch_list.untrack_item(ws, item, code=code, names=names)
    assert ws.read(change_rules.TRACKING) == "# Tracking\n\n- AI 算力 (2023-01-01)\n"


def test_what_means_no_one_security_is_a_topic():
    for topic in ("AI  算力", "GDP", "银行", "a"):
        assert identify_security(topic)[:2] == [" ".join(topic.split()), ""]
    assert identify_security("GDP.US")[1] == "GDP.US" and identify_security("SPY")[1] == "SPY.US"


def test_lists_keep_the_head_that_a_profile_gave_them(ws):
    ws.write(change_rules.TRACKING, "# 关注\n\n")
    watch_list.track_item(ws, "600519")
    assert ws.read(change_rules.TRACKING) == "# 关注\n\n- 600519 (2024-03-15)\n"


def test_an_item_keeps_its_reason_and_date_until_there_is_a_new_reason(ws):
    ws.write(change_rules.TRACKING, "# Tracking\n\n- 600519: PE below 25 (2023-01-01)\n")
    assert watch_list.track_item(ws, "600519").outcome == "unchanged"
    assert watch_list.track_item(ws, "600519", group="白酒").outcome == "moved"
    assert ws.read(change_rules.TRACKING) == "# Tracking\n\n## 白酒\n\n- 600519: PE below 25 (2023-01-01)\n"
    assert watch_list.track_item(ws, "600519", "PE below 20").outcome == "changed"
    assert ws.read(change_rules.TRACKING) == "# Tracking\n\n## 白酒\n\n- 600519: PE below 20 (2024-03-15)\n"


def test_groups_are_headings_and_go_with_their_last_item(ws):
    for symbol, group in (("a", None), ("b", "Battery"), ("c", "Wine"), ("d", "battery "), ("e", None), ("f", "Wine")):
        watch_list.track_item(ws, symbol, group=group)
    day = "(2024-03-15)"
    assert ws.read(change_rules.TRACKING) == (
        f"# Tracking\n\n- a {day}\n- e {day}\n\n## Battery\n\n- b {day}\n- d {day}\n\n## Wine\n\n- c {day}\n- f {day}\n"
    )
    watch_list.track_item(ws, "b", group="wine")
    watch_list.untrack_item(ws, "d")
    watch_list.track_item(ws, "f", group="")
    assert ws.read(change_rules.TRACKING) == (
        f"# Tracking\n\n- a {day}\n- e {day}\n- f {day}\n\n## Wine\n\n- c {day}\n- b {day}\n"
    )
    assert watch_list.list_groups(watch_list.list_items(ws)) == ["Wine"]


def test_what_a_person_wrote_in_the_file_stays(ws):
    text = (
        "My list\n\n* 600519 贵州茅台：等回调\n\n## US\n\nbought in New York\n\n- [ ] AAPL — cheap (2024-01-02)\n\n"
        "```\n- not an item\n```\n### old ###\n+ GDP\n"
    )
    ws.write(change_rules.TRACKING, text)
    assert [item[1:] for item in watch_list.list_items(ws)] == [
        ("600519 贵州茅台", "等回调", "", ""),
        ("AAPL", "cheap", "2024-01-02", "US"),
        ("GDP", "", "", "old"),
    ]
    watch_list.track_item(ws, "MSFT", group="us")
    watch_list.untrack_item(ws, "AAPL")
    watch_list.untrack_item(ws, "MSFT")
    assert ws.read(change_rules.TRACKING) == text.replace("- [ ] AAPL — cheap (2024-01-02)\n\n", "")


def test_a_group_that_is_not_there_is_named(ws):
    watch_list.track_item(ws, "a", group="电池")
    assert [item.text for item in watch_list.select_group(watch_list.list_items(ws), " 电 池")] == ["a"]
    with pytest.raises(NotFound, match="x: the watch list has no such group") as info:
        watch_list.select_group(watch_list.list_items(ws), "x")
    assert info.value.params["known"] == "电池"
    for name in ("a" * 41, "#", "\x07"):
        with pytest.raises(UsageError):
            watch_list.track_item(ws, "b", group=name)


@pytest.mark.soak
def test_random_edits_lose_nothing(ws):
    """Whatever is added, moved and removed: each item stands once, in the group that it was last put in."""
    import random

    dice = random.Random(7)
    expected: dict[str, str] = {}
    for _ in range(200):
        item, group = dice.choice("abcdefgh"), dice.choice(["", "x", "y y", "组"])
        if dice.random() < 0.3 and item in expected:
            watch_list.untrack_item(ws, item)
            del expected[item]
        else:
            watch_list.track_item(ws, item, group=group)
            expected[item] = group
        found = watch_list.list_items(ws)
        assert {each.text: each.group for each in found} == expected and len(found) == len(expected)
        assert "\n\n\n" not in ws.read(change_rules.TRACKING)
