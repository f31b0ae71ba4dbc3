"""Wishes to read a report that is filed: "read me the daily review of March 12", “把3月12日的日报念给我听”."""

import re
from datetime import date
from typing import NamedTuple

from ia.agent.analyst.ask.time_spans import DAY, RANGE, find_time_spans
from ia.kernel.patterns import pattern

_KINDS = {
    "daily": "daily", "day": "daily", "每日": "daily", "日": "daily", "每天": "daily",
    "weekly": "weekly", "week": "weekly", "每周": "weekly", "周": "weekly",
    "monthly": "monthly", "month": "monthly", "每月": "monthly", "月": "monthly", "月度": "monthly",
}  # fmt: skip
_FORM = pattern(
    r"\W*(?:(?:can|could) you |please |now )*(?:read(?: out)?|show|open|give|let me (?:see|read)|display|print)(?: me)?"
    r"(?: again)? (?:(?:the|my|your|that|filed|kept) )*(?P<en>daily|weekly|monthly)[ -](?:review|report|summary)"
    r"(?P<when_en> .{3,40}?)\W*"
    r"|\W*(?:请|帮我|给我|再|把|读|念|看|打开|显示|拿出|调出|翻出|一?下|出来|听|我)*(?P<when>[^，,。]{2,16}?)的?"
    r"(?P<zh>每日|每天|每周|每月|月度|[日周月])(?:的)?(?:复盘|报告|总结|报)(?:报告)?"
    r"(?:给我|读|念|看|打开|拿出|调出|翻出|显示|一?下|出来|听|我)*\W*",
    re.I,
)  # fmt: skip


class FiledReport(NamedTuple):
    """A report that is wished for: its kind, which is its folder, and the days that it may be dated."""

    kind: str
    first: date
    last: date


def read_filed(words: str, today: date) -> FiledReport | None:
    """Return the report that a message wants to read; None for any other message, and where its day is not past.

    >>> day = date(2024, 3, 15)
    >>> read_filed("Read me the daily review of March 12", day).first, read_filed("看3月8日的周报", day).kind
    (datetime.date(2024, 3, 12), 'weekly')
    >>> read_filed("每日复盘", day), read_filed("review March 12", day)
    (None, None)
    """
    found = _FORM.fullmatch(words)
    if found is None:
        return None
    when = found["when_en"] or found["when"]
    spans = find_time_spans(when, today)
    if len(spans) != 1 or spans[0].kind not in (DAY, RANGE) or spans[0].first is None or spans[0].last is None:
        return None
    if spans[0].first >= today:
        return None
    return FiledReport(_KINDS[(found["en"] or found["zh"]).casefold()], spans[0].first, spans[0].last)
