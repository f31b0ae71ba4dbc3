"""Designs as files: what is read, what is refused, and that what is written reads back the same."""

import json
import re
from dataclasses import fields, replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from ia.faculties.schedule.design import check_design, format_design, output_path, parse_design, report_path
from ia.faculties.schedule.model import TaskDesign
from ia.kernel import untrusted
from ia.kernel.clock import UTC
from ia.kernel.errors import BadData
from support.program import REPO
from support.random_tests import examples

WEEKLY = TaskDesign("每周复盘", "0 16 * * 5", prompt="复盘本周", zone="Asia/Shanghai", calendar="CN")


def file(**values):
    return "---\n" + "\n".join(f"{field}: {value}" for field, value in values.items()) + "\n---\n\nfor people\n"


def test_a_file_that_a_person_wrote():
    text = file(
        schedule='"0 16 * * 5"', prompt="/review 本周: 看 #600519 的走势", zone="Asia/Shanghai", calendar="XSHG",
        notify="me, 家人、tg-1", retry_after="1h", timeout="90m", silent="yes", missed="Skip", produces="复盘/YYYY-MM-DD",
    )  # fmt: skip
    assert parse_design(text, "weekly") == TaskDesign(
        "weekly", "0 16 * * 5", prompt="/review 本周: 看 #600519 的走势", zone="Asia/Shanghai", calendar="CN",
        notify=("me", "家人", "tg-1"), retry_after=60, timeout=90, silent=True, missed="skip", produces="复盘/YYYY-MM-DD",
    )  # fmt: skip


@pytest.mark.parametrize("schedule", ["*/5 * * * *", "@daily", "0\t9  * * 1-5", "close+30m", "on file notebook/*.csv"])
def test_schedules_need_no_quotes(schedule):
    assert parse_design(file(schedule=schedule, prompt="x"), "a").schedule == " ".join(schedule.split())
    assert parse_design(file(schedule=f"{schedule}   # why", prompt="x"), "a").schedule == " ".join(schedule.split())


@pytest.mark.parametrize("prompt", ["[a, b", "{x", "*bold*", "a: b # c", "- item", "@me", "it's", "100%", "`ia`"])
def test_a_prompt_is_what_stands_there(prompt):
    assert parse_design(file(schedule="@daily", prompt=prompt), "a").prompt == prompt


def test_a_block_of_lines_and_a_comment():
    text = "---\n# mine\nschedule: '@daily'\nprompt: |-\n  one\n  ---\n  run: two\n\n  three\n---\n"
    assert parse_design(text, "a") == TaskDesign("a", "@daily", prompt="one\n---\nrun: two\n\nthree")


def test_line_ends_of_windows_and_a_byte_order_mark():
    assert parse_design("\ufeff" + file(schedule="@daily", prompt="x").replace("\n", "\r\n"), "a") == TaskDesign(
        "a", "@daily", prompt="x"
    )


@pytest.mark.parametrize("origin", ["stdin", "telegram 123: 'x'", "a, b"])
def test_an_untrusted_file_is_read_with_its_fields_intact(origin):
    text = untrusted.mark_note(format_design(WEEKLY), [origin])
    assert untrusted.origin_of(text) is not None
    assert parse_design(text, WEEKLY.name) == WEEKLY


@pytest.mark.parametrize("value, expected", [
    ("[me, tg]", ("me", "tg")), ("nobody", ()), ("none", ()), ("[]", ()), ("", ()), ("me,me", ("me",)), ("123", ("123",)),
])  # fmt: skip
def test_channels(value, expected):
    assert parse_design(file(schedule="@daily", prompt="x", notify=value), "a").notify == expected


@pytest.mark.parametrize("value, minutes", [("15", 15), ("15m", 15), ("1h", 60), ("2 hours", 120), ("1d", 1440)])
def test_minutes(value, minutes):
    assert parse_design(file(schedule="@daily", prompt="x", timeout=value), "a").timeout == minutes


@pytest.mark.parametrize("value, expected", [("XSHE", "CN"), ("hk", "HK"), ("XNAS", "US"), ("none", ""), ("", "")])
def test_calendars(value, expected):
    assert parse_design(file(schedule="@daily", prompt="x", calendar=value), "a").calendar == expected


@pytest.mark.parametrize("values, field", [
    ({"schedul": "'@daily'"}, "schedul"), ({"prompt": "x"}, "schedule"), ({"schedule": "@daily", "silent": "maybe"}, "silent"),
    ({"schedule": "@daily", "retries": "many"}, "retries"), ({"schedule": "@daily", "retries": "99"}, "retries"),
    ({"schedule": "@daily", "retries": "true"}, "retries"), ({"schedule": "@daily", "timeout": "0"}, "timeout"),
    ({"schedule": "@daily", "timeout": "2d"}, "timeout"), ({"schedule": "@daily", "retry_after": "soon"}, "retry_after"),
    ({"schedule": "@daily", "missed": "twice"}, "missed"), ({"schedule": "@daily", "notify": "a b"}, "notify"),
    ({"schedule": "@daily", "notify": "[a, nobody]"}, "notify"), ({"schedule": "@daily", "notify": "{a: b}"}, "notify"),
    ({"schedule": "@daily", "prompt": "x" * 8001}, "prompt"),
    ({"schedule": "@daily", "prompt": "a\u202eb"}, "prompt"), ({"schedule": "@daily", "run": "a\u200bb"}, "run"),
    ({"schedule": "@daily", "because": '"a\\u0007"'}, "because"), ({"schedule": "@daily", "prompt": "\U000e0041"}, "prompt"),
    ({"schedule": "@daily", "name": "other"}, "name"), ({"schedule": "x" * 300}, "schedule"),
])  # fmt: skip
def test_what_is_wrong_is_named(values, field):
    with pytest.raises(BadData, match=rf"^{field}\b"):
        parse_design(file(**values), "a")


@pytest.mark.parametrize(
    "field, near", [("promt", "prompt"), ("cron", "schedule"), ("timezone", "zone"), ("Notify", "notify")]
)
def test_a_field_that_there_is_not(field, near):
    with pytest.raises(BadData) as caught:
        parse_design(file(schedule="@daily", **{field: "x"}), "a")
    assert caught.value.hint.format(**caught.value.params) == f"did you mean {near}?"


@pytest.mark.parametrize("text", ["", "no fields", "---\nschedule: x\n", "---\n- a\n---\n", "---\n---\n", "---\n{a: [\n---\n",
                                  "---\nschedule: a\nschedule: b\n---\n", "---\n" + "[" * 5000 + "\n---\n"])  # fmt: skip
def test_an_invalid_task_is_refused(text):
    with pytest.raises(BadData):
        parse_design(text, "a")


@pytest.mark.parametrize("name", ["", "a b", "../x", ".x", "a/b", "x" * 61, "-a", "a.b", "a\n"])
def test_invalid_names(name):
    with pytest.raises(BadData, match="name: "):
        format_design(replace(WEEKLY, name=name))


@pytest.mark.parametrize("change", [
    {"zone": "Asia/Shangai"}, {"calendar": "JP"}, {"prompt": ""}, {"prompt": " "}, {"run": "ia note list"},
    {"schedule": "0 9 31 2 *"}, {"schedule": "0 9 * * 6"}, {"schedule": "on message x"}, {"produces": "../x"},
    {"produces": "/etc/x.md"}, {"produces": "a/.hidden.md"}, {"produces": "a//b"}, {"produces": "a.txt"},
    {"produces": "notebook/"}, {"produces": "a\\b"}, {"produces": "~/a"}, {"produces": "长" * 80}, {"produces": " a"},
    {"schedule": "0 16  * * 5"}, {"notify": ("a", "a")}, {"retries": -1}, {"timeout": 0}, {"missed": "never"},
])  # fmt: skip
def test_what_is_refused_as_a_whole(change):
    check_design(WEEKLY)
    with pytest.raises(BadData):
        check_design(replace(WEEKLY, **change))


def test_a_zone_is_suggested():
    with pytest.raises(BadData) as caught:
        check_design(replace(WEEKLY, zone="shanghai"))
    assert caught.value.params["near"] == "Asia/Shanghai"


SLOT = datetime(2026, 11, 27, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize("schedule, produces, several, path", [
    ("0 16 * * 5", "", False, "notebook/reports/每周复盘/2026-11-27.md"),
    ("0 16 * * 5", "", True, "notebook/reports/每周复盘/2026-11-27-1600.md"),
    ("0 9,16 * * 5", "", False, "notebook/reports/每周复盘/2026-11-27-1600.md"),
    ("every 1d", "notebook/a/DATE", False, "notebook/a/2026-11-27-1600.md"),
    ("@hourly", "a/DATE/TIME.md", False, "notebook/a/2026-11-27/1600.md"),
    ("@hourly", "a/UPDATE.md", True, "notebook/a/UPDATE.md"),
    ("close", "a/YYYY-MM-DD-x.md", False, "notebook/a/2026-11-27-x.md"),
    ("on webhook tv", "", False, "notebook/reports/每周复盘/2026-11-27-1600.md"),
])  # fmt: skip
def test_where_a_report_lies(schedule, produces, several, path):
    assert report_path(replace(WEEKLY, schedule=schedule, produces=produces), SLOT, several) == path


def test_a_report_has_the_date_in_the_zone_of_the_design():
    late = datetime(2026, 11, 27, 20, 0, tzinfo=UTC)
    assert report_path(WEEKLY, late).endswith("2026-11-28.md")
    assert report_path(replace(WEEKLY, zone="America/New_York"), late).endswith("2026-11-27.md")
    assert output_path(replace(WEEKLY, produces="a/b")) == "notebook/a/b.md"


def test_only_what_is_not_the_default_is_written():
    text = format_design(WEEKLY, "zh")
    head = text.split("---\n")[1]
    assert head == "schedule: 0 16 * * 5\nprompt: 复盘本周\nzone: Asia/Shanghai\ncalendar: CN\n"
    assert "每周五 16:00（Asia/Shanghai，仅上交所交易日）" in text
    assert "Every Friday at 16:00" in format_design(WEEKLY)
    assert "  ia\n" in format_design(replace(WEEKLY, prompt="two lines\nia"))


TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"]),
        st.sampled_from("\n\n\t'\"\\:#-|>&*!{}[],% 　\xa0é复盘untrusted"),
    ),
    max_size=60,
).map(lambda text: text[:80])
TRICKY = st.sampled_from([
    "", "---", "a\n---\nb", "...", "untrusted: me", "a\nuntrusted: x", "'", '"', '"a', "a: b", "a #b", "#", "- a", "*/5",
    "null", "true", "12", "1e3", "2024-01-01", "~", "|-", "> x", "a\n\n\nb", " a", "a ", "\n", "a\n", "\ta", "prompt: x",
    "a\n  b", "%", "@", "`", "?", "? a", ": a", "a:", "!tag", "&a", "{a}", "[a", "\\", "\\n", "😀", "a\nrun: b", "　a　",
])  # fmt: skip
LINE = st.one_of(TEXT, TRICKY).map(lambda text: " ".join(text.split()))
CHANNEL = st.from_regex(r"[\w.-]{1,12}", fullmatch=True).filter(lambda name: name.lower() not in ("nobody", "none"))
DESIGNS = st.builds(
    TaskDesign,
    name=st.from_regex(r"[a-z复盘0-9_][a-z复盘0-9_-]{0,20}", fullmatch=True),
    schedule=st.one_of(
        st.sampled_from(["0 16 * * 5", "*/5 * * * *", "@daily", "every 90m", "close+30m fri"]), LINE.filter(bool)
    ),
    prompt=st.one_of(TEXT, TRICKY),
    run=st.one_of(TEXT, TRICKY, st.just("ia ohlcv 600519 | ia compute 'rsi(close, 14)'")),
    zone=st.sampled_from(["", "Asia/Shanghai", "America/New_York"]),
    calendar=st.sampled_from(["", "CN", "HK", "US"]),
    inputs=st.one_of(TEXT, TRICKY),
    produces=LINE,
    notify=st.lists(CHANNEL, unique=True, max_size=4).map(tuple),
    silent=st.booleans(),
    retries=st.integers(0, 20),
    retry_after=st.integers(1, 1440),
    missed=st.sampled_from(["once", "skip"]),
    timeout=st.integers(1, 1440),
    because=st.one_of(TEXT, TRICKY),
)


@pytest.mark.process
@examples(400)
@given(DESIGNS, st.sampled_from(["en", "zh"]))
def test_what_is_written_reads_back_the_same(design, lang):
    text = format_design(design, lang)
    assert parse_design(text, design.name) == design
    assert untrusted.origin_of(text) is None
    # ... to other readers of YAML, too
    head = YAML(typ="safe").load(text.split("\n---\n")[0] + "\n")
    for field in fields(TaskDesign):
        if field.name in head and field.name != "notify":
            assert head[field.name] == getattr(design, field.name)
    marked = untrusted.mark_note(text, ["stdin"])
    assert untrusted.origin_of(marked) == "stdin"
    assert parse_design(marked, design.name) == design


@pytest.mark.process
@examples(300)
@given(st.one_of(st.text(max_size=200), st.text(max_size=100).map(lambda text: f"---\nschedule: {text}\nprompt: {text}\n---\n"),
                 st.dictionaries(st.sampled_from([each.name for each in fields(TaskDesign)]),
                                 st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
                                              lambda inner: st.lists(inner, max_size=3), max_leaves=4), max_size=6)
                 .map(lambda tree: f"---\n{json.dumps(tree)}\n---\n")))  # fmt: skip
def test_whatever_a_file_says_it_is_a_design_or_bad_data(text):
    try:
        design = parse_design(text, "a")
        assert parse_design(format_design(design), "a") == design
        check_design(design)
    except BadData as exc:
        assert "\n" not in str(exc)


def test_the_examples_of_the_manual_are_tasks():
    page = (REPO / "man" / "man5" / "ia-task.5").read_text(encoding="utf-8").replace("\\-", "-")
    examples = re.findall(r"^\.nf\n(?:tasks/NAME.md\n\n)?(---\n.*?)^\.fi$", page, re.M | re.S)
    assert len(examples) == 6
    for example in examples:
        check_design(parse_design(example, "example"))
    for field in fields(TaskDesign):
        assert field.name == "name" or f"\\fB{field.name}\\fR" in page, field.name
