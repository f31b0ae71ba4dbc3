"""Schedules in words, as a person reads them before approving."""

import pytest

from ia.faculties.schedule.describe import describe_design
from ia.faculties.schedule.model import TaskDesign

WORDS = [
    ("0 16 * * 5", "CN", "每周五 16:00（Asia/Shanghai，仅上交所交易日）",
     "Every Friday at 16:00 (Asia/Shanghai, only on trading days in Shanghai)"),
    ("0 16 * * 1-5", "", "每周一至周五 16:00（Asia/Shanghai）", "Every weekday at 16:00 (Asia/Shanghai)"),
    ("30 8,20 * * *", "", "每天 08:30、20:30（Asia/Shanghai）", "Every day at 08:30 and 20:30 (Asia/Shanghai)"),
    ("0 9 * * sat,sun", "", "每周六、日 09:00（Asia/Shanghai）", "Every Saturday and Sunday at 09:00 (Asia/Shanghai)"),
    ("*/15 * * * *", "", "每 15 分钟（Asia/Shanghai）", "Every 15 minutes (Asia/Shanghai)"),
    ("* * * * *", "", "每分钟（Asia/Shanghai）", "Every minute (Asia/Shanghai)"),
    ("@hourly", "", "每小时整点（Asia/Shanghai）", "Every hour at minute 0 (Asia/Shanghai)"),
    ("*/10 9-11 * * 1-5", "CN", "每周一至周五 09:00 至 11:50 每 10 分钟（Asia/Shanghai，仅上交所交易日）",
     "Every 10 minutes from 09:00 to 11:50, every weekday (Asia/Shanghai, only on trading days in Shanghai)"),
    ("15 9-15 * * *", "", "9 至 15 点每小时第 15 分（Asia/Shanghai）", "Every hour from 09:15 to 15:15 (Asia/Shanghai)"),
    ("0 9 1,15 * *", "", "每月 1、15 日 09:00（Asia/Shanghai）", "On days 1, 15 of each month at 09:00 (Asia/Shanghai)"),
    ("0 9 29 2 *", "", "每年 2 月 29 日 09:00（Asia/Shanghai）", "On day 29 of February at 09:00 (Asia/Shanghai)"),
    ("0 9 1-7 * 5", "", "每月 1 至 7 日，以及每周五 09:00（Asia/Shanghai）",
     "On days 1-7 of each month and every Friday at 09:00 (Asia/Shanghai)"),
    ("0 9 */10 * 5", "", "每月 1、11、21、31 日（限周五） 09:00（Asia/Shanghai）",
     "On days 1, 11, 21, 31 of each month if it is Friday at 09:00 (Asia/Shanghai)"),
    ("0 9 * 1-6 1", "", "每年 1 至 6 月每周一 09:00（Asia/Shanghai）",
     "Every Monday in January to June at 09:00 (Asia/Shanghai)"),
    ("*/15 9-11,13-14 * * *", "", "每 15 分钟，09:00 到 11:59 和 13:00 到 14:59（Asia/Shanghai）",
     "Every 15 minutes, at 09:00 through 11:59 and 13:00 through 14:59 (Asia/Shanghai)"),
    ("close+30m", "", "上交所每个交易日收盘后 30 分钟（通常为 15:30，Asia/Shanghai）",
     "Each trading day 30 minutes after the close in Shanghai (usually 15:30, Asia/Shanghai)"),
    ("close-15m fri", "US", "纽交所每周五（交易日）收盘前 15 分钟（通常为 15:45，America/New_York）",
     "Every Friday that is a trading day 15 minutes before the close in New York (usually 15:45, America/New_York)"),
    ("close+10h", "US", "纽交所每个交易日收盘后 10 小时（通常为次日 02:00，America/New_York）",
     "Each trading day 10 hours after the close in New York (usually 02:00 of the next day, America/New_York)"),
    ("every 90m", "", "每 90 分钟，自批准时算起", "Every 90 minutes, counted from the approval"),
    ("every 1d", "HK", "每 24 小时，自批准时算起（仅港交所交易日）",
     "Every 24 hours, counted from the approval (only on trading days in Hong Kong)"),
    ("on file notebook/inbox/*.csv", "", "文件 notebook/inbox/*.csv 出现或变化时",
     "When a file notebook/inbox/*.csv appears or changes"),
    ("on message 复盘", "", "收到含有“复盘”的消息时", "When a message comes that has “复盘”"),
    ("on webhook tv", "", "webhook tv 被调用时", "When the webhook tv is called"),
]  # fmt: skip


@pytest.mark.parametrize("schedule, calendar, chinese, english", WORDS)
def test_in_words(schedule, calendar, chinese, english):
    design = TaskDesign("t", schedule, prompt="x", zone="Asia/Shanghai", calendar=calendar)
    assert describe_design(design, "zh") == chinese
    assert describe_design(design, "en") == english


def test_the_users_own_zone_is_named(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/London")
    assert describe_design(TaskDesign("t", "0 9 * * *", prompt="x")) == "Every day at 09:00 (Europe/London)"


@pytest.mark.parametrize("locale", ["de_DE.UTF-8", "zh_CN.UTF-8", "C"])
def test_the_locale_makes_no_difference(locale, monkeypatch):
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setenv("LANG", locale)
    design = TaskDesign("t", "7,37 9-15 * * 1", prompt="x", zone="UTC")
    assert (
        describe_design(design, "en")
        == "At 7 and 37 minutes past the hour, between 09:00 and 15:59, every Monday (UTC)"
    )
    assert describe_design(design, "zh") == "每周一 每小时的 7 和 37 分，09:00 和 15:59 之间（UTC）"
