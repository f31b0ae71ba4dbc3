"""Wishes in Chinese and English, read by rules: what each comes to, and what is asked back."""

from datetime import UTC, datetime

import pytest

from ia.faculties.schedule import slots, wish_errors, wish_parser
from ia.faculties.schedule.design import check_design, format_design, parse_design
from ia.faculties.schedule.model import TaskDesign
from ia.faculties.schedule.schedule_forms import parse_schedule
from ia.kernel.errors import BadData

HOME = "Europe/Berlin"
SH, HK, NY = "Asia/Shanghai", "Asia/Hong_Kong", "America/New_York"


@pytest.fixture(autouse=True)
def wednesday(monkeypatch):
    """What "on Friday" means depends on the day on which it is said."""
    monkeypatch.setenv("IA_NOW", "2024-03-13T10:00:00+01:00")


WISHES = [
    # wish, schedule, zone, calendar, what is to be done
    ("每周五收盘后帮我复盘", "0 16 * * 5", SH, "CN", "复盘"),
    ("每周五收盘后，帮我复盘本周的观察和判断。", "0 16 * * 5", SH, "CN", "复盘本周的观察和判断"),
    ("每週五收盤後，幫我覆盤本週", "0 16 * * 5", SH, "CN", "覆盤本週"),
    ("每个交易日收盘后半小时扫描自选股", "close+30m", SH, "CN", "扫描自选股"),
    ("每个交易日收盘后扫描自选股", "close+30m", SH, "CN", "扫描自选股"),
    ("收盘后帮我看看 600519", "close+30m", SH, "CN", "看看 600519"),
    ("收盘一小时后检查止损", "close+60m", SH, "CN", "检查止损"),
    ("收盘前15分钟提醒我检查止损", "close-15m", SH, "CN", "ia send '检查止损'"),
    ("每周五收盘后半小时复盘", "close+30m fri", SH, "CN", "复盘"),
    ("每周一、三收盘后45分钟复盘", "close+45m mon,wed", SH, "CN", "复盘"),
    ("每个交易日 15:30 扫描", "30 15 * * 1-5", SH, "CN", "扫描"),
    ("开盘前半小时提醒我看持仓", "0 9 * * 1-5", SH, "CN", "ia send '看持仓'"),
    ("盘前看一遍隔夜新闻", "0 9 * * 1-5", SH, "CN", "看一遍隔夜新闻"),
    ("开盘后30分钟看自选", "0 10 * * 1-5", SH, "CN", "看自选"),
    ("盘中每15分钟扫描自选股", "30,45 9 * * 1-5; */15 10-14 * * 1-5", SH, "CN", "扫描自选股"),
    ("美股收盘后看 AAPL", "close+30m", NY, "US", "看 AAPL"),
    ("每个交易日收盘后看看 NVDA", "close+30m", NY, "US", "看看 NVDA"),
    ("纳斯达克收盘后总结科技股", "close+30m", NY, "US", "纳斯达克总结科技股"),
    ("港股收盘后总结 00700.HK 的走势", "close+30m", HK, "HK", "总结 00700.HK 的走势"),
    ("每天收盘后算一下 600519 的 RSI 和 MACD", "close+30m", SH, "CN", "算一下 600519 的 RSI 和 MACD"),
    ("每天早上8点半看新闻", "30 8 * * *", HOME, "", "看新闻"),
    ("每天早上看新闻", "30 8 * * *", HOME, "", "看新闻"),
    ("每晚八点半总结今天的观察", "30 20 * * *", HOME, "", "总结今天的观察"),
    ("每天晚上总结今天的观察", "0 20 * * *", HOME, "", "总结今天的观察"),
    ("每天中午12点半看新闻", "30 12 * * *", HOME, "", "看新闻"),
    ("每天九点三刻看盘", "45 9 * * *", HOME, "", "看盘"),
    ("每天下午三点二十分看盘", "20 15 * * *", HOME, "", "看盘"),
    ("每天凌晨两点整理笔记", "0 2 * * *", HOME, "", "整理笔记"),
    ("每天晚上12点整理笔记", "0 0 * * *", HOME, "", "整理笔记"),
    ("工作日 9:15 扫描自选股", "15 9 * * 1-5", HOME, "", "扫描自选股"),
    ("每周一到周五 8:30 看新闻", "30 8 * * 1-5", HOME, "", "看新闻"),
    ("每周一、三、五早上九点整理观察", "0 9 * * 1,3,5", HOME, "", "整理观察"),
    ("每周三下午五点看盘", "0 17 * * 3", HOME, "", "看盘"),
    ("每天9:30和15:00检查新闻", "30 9 * * *; 0 15 * * *", HOME, "", "检查新闻"),
    ("每月最后一天复盘", "last day of month 16:00", HOME, "", "复盘"),
    ("每月最后一个交易日复盘", "last trading day of month 16:00", SH, "CN", "复盘"),
    ("on the last day of the month review", "last day of month 16:00", HOME, "", "review"),
    ("每月第一个周一复盘", "first mon of month 16:00", HOME, "", "复盘"),
    ("每周二和周四晚上9点复盘", "0 21 * * 2,4", HOME, "", "复盘"),
    ("每周日晚上9点复盘", "0 21 * * 0", HOME, "", "复盘"),
    ("Every trading day at 9:00 show me BYD", "0 9 * * 1-5", "Asia/Shanghai", "CN", "show me BYD"),
    ("每个交易日开盘前半小时汇总隔夜美股", "0 9 * * 1-5", "Asia/Shanghai", "CN", "汇总隔夜美股"),
    ("every trading day half an hour before the open of the US market show me NVDA", "0 9 * * 1-5",
     "America/New_York", "US", "show me NVDA"),
    ("weekends at 10 am read a book", "0 10 * * 0,6", HOME, "", "read a book"),
    ("每周复盘", "0 16 * * 5", HOME, "", "复盘"),
    ("每月复盘", "0 16 1 * *", HOME, "", "复盘"),
    ("每月1号总结上个月的交易", "0 16 1 * *", HOME, "", "总结上个月的交易"),
    ("每月1号和15号上午10点复盘", "0 10 1,15 * *", HOME, "", "复盘"),
    ("每季度回顾持仓", "0 16 1 1,4,7,10 *", HOME, "", "回顾持仓"),
    ("每年3月15日 10:00 复盘全年", "0 10 15 3 *", HOME, "", "复盘全年"),
    ("每隔2小时检查一下新闻", "every 2h", HOME, "", "检查一下新闻"),
    ("每15分钟看一下 600519 的价格", "every 15m", HOME, "", "看一下 600519 的价格"),
    ("每半小时看一眼", "every 30m", HOME, "", "看一眼"),
    ("隔天复盘", "every 2d", HOME, "", "复盘"),
    ("工作日9点到17点每小时检查价格", "0 9-17 * * 1-5", HOME, "", "检查价格"),
    ("每天9点和15点检查新闻", "0 9,15 * * *", HOME, "", "检查新闻"),
    ("每天两次检查新闻，9点和15点", "0 9,15 * * *", HOME, "", "检查新闻"),
    ("每周五下午三点半，北京时间，复盘", "30 15 * * 5", SH, "", "复盘"),
    ("每天早上8点（纽约时间）看看隔夜新闻", "0 8 * * *", NY, "", "看看隔夜新闻"),
    ("每周五 16:00 /review 本周", "0 16 * * 5", HOME, "", "/review 本周"),
    ("帮我建一个任务：每天16:00复盘", "0 16 * * *", HOME, "", "复盘"),
    ("every trading day after the close scan my list", "close+30m", SH, "CN", "scan my list"),
    ("every trading day at 9:15 am scan my list", "15 9 * * 1-5", SH, "CN", "scan my list"),
    ("every Friday at 16:30 New York time review my week", "30 16 * * 5", NY, "", "review my week"),
    ("every Friday at 9 UTC review my week", "0 9 * * 5", "UTC", "", "review my week"),
    ("every Friday at 9 Tokyo time review my week", "0 9 * * 5", "Asia/Tokyo", "", "review my week"),
    ("Every Friday after the close, review the week.", "0 16 * * 5", SH, "CN", "review the week"),
    ("every Friday after the US close review the week", "0 17 * * 5", NY, "US", "review the week"),
    ("30 minutes after the US close check AAPL and TSLA", "close+30m", NY, "US", "check AAPL and TSLA"),
    ("an hour after the Hong Kong close check 00700.HK", "close+60m", HK, "HK", "check 00700.HK"),
    ("weekly on Monday review my notes", "0 16 * * 1", HOME, "", "review my notes"),
    ("weekly review", "0 16 * * 5", HOME, "", "review"),
    ("daily at 5 pm review", "0 17 * * *", HOME, "", "review"),
    ("twice a day at 9 and 15 check the news", "0 9,15 * * *", HOME, "", "check the news"),
    ("every Monday at 9:15 am scan my list", "15 9 * * 1", HOME, "", "scan my list"),
    ("every Tuesday and Thursday at noon summarize the news", "0 12 * * 2,4", HOME, "", "summarize the news"),
    ("Mon-Fri at 8:30 read the news", "30 8 * * 1-5", HOME, "", "read the news"),
    ("remind me on Fridays to rebalance", "0 16 * * 5", HOME, "", "ia send rebalance"),
    ("every evening summarize my observations", "0 20 * * *", HOME, "", "summarize my observations"),
    ("the 15th of each month at 10:00 review my beliefs", "0 10 15 * *", HOME, "", "review my beliefs"),
    ("every quarter review my portfolio at 10am", "0 10 1 1,4,7,10 *", HOME, "", "review my portfolio"),
    ("every 90 minutes check the news", "every 90m", HOME, "", "check the news"),
    ("every other day review", "every 2d", HOME, "", "review"),
    ("every 30 minutes from 9 am to 5 pm on weekdays check prices", "*/30 9-16 * * 1-5", HOME, "", "check prices"),
    ("hourly check prices during trading hours", "0 10-14 * * 1-5", SH, "CN", "check prices"),
    ("when notebook/inbox.md changes, sort it into projects", "on file notebook/inbox.md", "", "", "sort it into projects"),
    ("notebook/inbox.md 有变化时，理清收集箱", "on file notebook/inbox.md", "", "", "理清收集箱"),
    ("收到 webhook deploy 时，记一笔观察", "on webhook deploy", "", "", "记一笔观察"),
    ("when the webhook price-alert arrives, look at AAPL", "on webhook price-alert", "", "", "look at AAPL"),
    ("有人说到“减仓”时，提醒我先复盘", "on message 减仓", "", "", "ia send '先复盘'"),
    ("when somebody mentions Tesla, research it", "on message Tesla", "", "", "research it"),
    ("周一到周五每天15:05，帮我扫描自选股", "5 15 * * 1-5", HOME, "", "扫描自选股"),
    ("每天 15:00（收盘后）自动触发每日复盘", "0 15 * * 1-5", SH, "CN", "每日复盘"),
    ("every weekday after the close of HK, check 00700", "close+30m", HK, "HK", "check 00700"),
    ("at the close of every HK trading day, check 00700", "close+0m", HK, "HK", "check 00700"),
    ("hourly check SPY between 10 and 16", "0 10-16 * * *", HOME, "", "check SPY"),
    ("every hour from 9 to 17 check the news", "0 9-17 * * *", HOME, "", "check the news"),
    ("every morning at 8:30 send me the news", "30 8 * * *", HOME, "", "the news"),
    ("Tell me every day at 3 pm and never on Tuesday what I own", "0 15 * * 0,1,3,4,5,6", HOME, "", "what I own"),
    ("every year on 2 January at 10 review my year", "0 10 2 1 *", HOME, "", "review my year"),
    ("every 2 January at 10 review my year", "0 10 2 1 *", HOME, "", "review my year"),
    ("every weekday at 3:30 pm ping me with the day's top five gainers", "30 15 * * 1-5", HOME, "", "the day's top five gainers"),
    ("每个交易日收盘后15分钟把涨幅前十发给我", "close+15m", SH, "CN", "涨幅前十"),
    ("every 2 hours during the session tell me CATL's price", "0 10-14/2 * * 1-5", SH, "CN", "CATL's price"),
    ("every evening at 8 review my day", "0 20 * * *", HOME, "", "review my day"),
    ("every night at 2 sort my notes", "0 2 * * *", HOME, "", "sort my notes"),
    ("every day at 8 in the evening review my day", "0 20 * * *", HOME, "", "review my day"),
    ("每天9点到15点之间每半小时检查一次", "*/30 9-14 * * *", HOME, "", "检查"),
    ("每天下班后写日记", "0 18 * * *", HOME, "", "写日记"),
    ("每天早盘分析 600519", "0 16 * * *", HOME, "", "早盘分析 600519"),
    ("每天16:00运行 /review 本周", "0 16 * * *", HOME, "", "/review 本周"),
    ("every day at 9 run /research AAPL", "0 9 * * *", HOME, "", "/research AAPL"),
    ("every day at 9 asia/shanghai read the news", "0 9 * * *", SH, "", "read the news"),
    ("每天北京时间9点看新闻", "0 9 * * *", SH, "", "看新闻"),
    ("每天上海时间9点看新闻", "0 9 * * *", SH, "", "看新闻"),
    ("每天9点（UTC+8）看新闻", "0 9 * * *", SH, "", "看新闻"),
    ("every day at 9 UTC-5 read the news", "0 9 * * *", "Etc/GMT+5", "", "read the news"),
    ("收到包含\"复盘\"的消息时，帮我复盘", "on message 复盘", "", "", "复盘"),
    ("收到含有“减仓”的消息后提醒我", "on message 减仓", "", "", "提醒我"),
    ("when I get a message about TSLA, research it", "on message TSLA", "", "", "research it"),
    ("notebook/inbox 下有新文件时，总结它", "on file notebook/inbox/*.md", "", "", "总结它"),
    ("notebook/inbox.md 变了就整理一下", "on file notebook/inbox.md", "", "", "整理一下"),
    ("when there is a new file in notebook/inbox, summarize it", "on file notebook/inbox/*.md", "", "", "summarize it"),
    ("收到 webhook build 时，记一笔", "on webhook build", "", "", "记一笔"),
    # what belongs to the job stays there
    ("每天 16:00 对比 9:30 的价格", "0 16 * * *", HOME, "", "对比 9:30 的价格"),
    ("每天提醒我“每周五 9:30 开例会”", "0 16 * * *", HOME, "", "ia send '“每周五 9:30 开例会”'"),
    ("每周五总结每天的涨跌", "0 16 * * 5", HOME, "", "总结每天的涨跌"),
    ("at 9:15 every day look at the weekly chart of AAPL", "15 9 * * *", HOME, "", "look at the weekly chart of AAPL"),
    ("每天早上8点提醒我9点开会", "0 8 * * *", HOME, "", "ia send '9点开会'"),
    ("每天提醒我不要追高", "0 16 * * *", HOME, "", "ia send '不要追高'"),
    ("每周五提醒我准备下周一的会", "0 16 * * 5", HOME, "", "ia send '准备下周一的会'"),
    ("茅台有新公告时告诉我", "on news 600519.SH announcement", "", "", "ia news 600519.SH --send"),
    ("宁德时代一有新闻就通知我", "on news 300750.SZ", "", "", "ia news 300750.SZ --send"),
    ("有宁德时代的公告就告诉我", "on news 300750.SZ announcement", "", "", "ia news 300750.SZ --send"),
    ("贵州茅台发布公告时，分析对我的影响", "on news 600519.SH announcement", "", "", "分析对我的影响"),
    ("when there is news on Moutai, tell me", "on news 600519.SH", "", "", "ia news 600519.SH --send"),
    ("tell me when BYD publishes an announcement", "on news 002594.SZ announcement", "", "", "ia news 002594.SZ --send"),
    ("if there are any announcements from BYD then notify me", "on news 002594.SZ announcement", "", "",
     "ia news 002594.SZ --send"),
    ("whenever 600519 has news, write a short note about it", "on news 600519.SH", "", "", "write a short note about it"),
    ("every day at 16:00 compare with the 9:30 price", "0 16 * * *", HOME, "", "compare with the 9:30 price"),
]  # fmt: skip


@pytest.mark.parametrize(("wish", "schedule", "zone", "calendar", "job"), WISHES, ids=[each[0] for each in WISHES])
def test_a_wish_becomes_a_design(wish, schedule, zone, calendar, job):
    design = wish_parser.parse_wish(wish, zone=HOME)
    assert (design.schedule, design.zone, design.calendar, design.prompt or design.run) == (
        schedule,
        zone,
        calendar,
        job,
    )
    check_design(design)
    assert parse_design(format_design(design, wish_parser.detect_language(wish)), design.name) == design
    coming = slots.next_slots(design, datetime(2024, 3, 15, 12, tzinfo=UTC))
    assert len(coming) == (0 if schedule.startswith("on ") else 5)


POLICIES = [
    ("每天9点看新闻，安静", {"silent": True}),
    ("每天9点看新闻，不要打扰我", {"silent": True}),
    ("每天9点看新闻，只写文件", {"silent": True}),
    ("every day at 9 read the news, only tell me when it fails", {"silent": True}),
    ("每天9点看新闻，失败后10分钟重试两次", {"retries": 2, "retry_after": 10}),
    ("每天9点看新闻，失败重试3次，每次间隔半小时", {"retries": 3, "retry_after": 30}),
    ("every day at 9 read the news, retry twice after 10 minutes", {"retries": 2, "retry_after": 10}),
    ("every day at 9 read the news and retry 3 times, 5 minutes apart", {"retries": 3, "retry_after": 5}),
    ("every day at 9 read the news, don't retry", {"retries": 0}),
    ("每天9点看新闻，失败了不要重试", {"retries": 0}),
    ("每天9点看新闻，错过就算了", {"missed": "skip"}),
    ("every day at 9 read the news, skip if missed", {"missed": "skip"}),
    ("每天9点看新闻，发到 telegram", {"notify": ("telegram",)}),
    ("每天9点看新闻，并发邮件给我", {"notify": ("email",)}),
    ("every day at 9 read the news and send it to telegram", {"notify": ("telegram",)}),
    ("every day at 9 read the news and email me", {"notify": ("email",)}),
    ("每天9点看新闻，结果写到 reports/news/DATE.md", {"produces": "reports/news/DATE.md"}),
    ("every day at 9 read the news and save it to notebook/reports/news/DATE.md", {"produces": "reports/news/DATE.md"}),
    ("every day at 9 read the news, at most 10 minutes", {"timeout": 10}),
    ("每天9点看新闻，失败的话过一小时重试，再失败就通知我", {"retries": 1, "retry_after": 60}),
    ("每天9点看新闻，如果失败10分钟后重试，仍失败则通知我", {"retries": 1, "retry_after": 10}),
    ("every day at 9 read the news, on failure wait 10 minutes and retry, then tell me", {"retry_after": 10}),
    ("every day at 9 read the news, do not disturb me unless it fails", {"silent": True}),
    ("每天9点看新闻，不用通知我，出错才说", {"silent": True}),
    ("每天9点看新闻，产物写到 reports/news，静默", {"produces": "reports/news/DATE.md", "silent": True}),
    ("每天9点看新闻，超时10分钟，重试3次", {"timeout": 10, "retries": 3}),
]


@pytest.mark.parametrize(("wish", "fields"), POLICIES, ids=[each[0] for each in POLICIES])
def test_how_it_runs_is_read_and_taken_out(wish, fields):
    design = wish_parser.parse_wish(wish, zone=HOME)
    assert design.prompt in ("看新闻", "read the news")
    assert design.schedule == "0 9 * * *"
    plain = TaskDesign("x", "@daily")
    for field in ("silent", "retries", "retry_after", "missed", "notify", "produces", "timeout"):
        assert getattr(design, field) == fields.get(field, getattr(plain, field)), field


def test_all_of_it_in_one_breath():
    design = wish_parser.parse_wish(
        "每周一、三、五早上九点整理观察，失败后10分钟重试两次，发到 telegram，错过就算了，安静", zone=HOME
    )
    assert design == TaskDesign(
        "每周-整理观察", "0 9 * * 1,3,5", prompt="整理观察", zone=HOME, notify=("telegram",), silent=True, retries=2,
        retry_after=10, missed="skip",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wish", "name", "produces"),
    [
        ("每周五收盘后帮我复盘", "weekly-review", "reports/weekly/DATE.md"),
        ("每天 16:00 扫描自选股", "daily-scan", "reports/scan/DATE.md"),
        ("每月1号总结上个月", "monthly-report", "reports/monthly/DATE.md"),
        ("美股收盘后看 AAPL", "daily-aapl", ""),
        ("每15分钟看一下 600519", "every-15m-600519", ""),
        ("每天早上8点半提醒我看持仓", "daily-reminder", ""),
        ("when notebook/inbox.md changes, sort it", "on-file-inbox", ""),
        ("收到 webhook deploy 时，记一笔", "on-webhook-deploy", ""),
        ("notebook/inbox 下有新文件时，总结它", "on-file-inbox", ""),
        ("每天9点整理收件箱", "每日-整理收件箱", ""),
        ("every day at 9 sort the inbox", "daily-task", ""),
    ],
)
def test_names_and_notes(wish, name, produces):
    design = wish_parser.parse_wish(wish, zone=HOME)
    assert (design.name, design.produces) == (name, produces)


def test_a_reminder_says_it_and_nothing_else():
    design = wish_parser.parse_wish("remind me that it's late every day at 22, send it to telegram", zone=HOME)
    assert (design.run, design.silent, design.notify) == ("ia send --to telegram 'it'\"'\"'s late'", True, ("me",))


def test_a_pipeline_in_backticks_is_run():
    design = wish_parser.parse_wish("每天16:00运行 `ia ohlcv 600519 | ia compute 'rsi(close, 14)'`", zone=HOME)
    assert (design.run, design.prompt) == ("ia ohlcv 600519 | ia compute 'rsi(close, 14)'", "")
    assert (design.name, design.schedule) == ("daily-ohlcv", "0 16 * * *")


ASKED_BACK = [
    ("帮我复盘", "the schedule is missing"),
    ("对比 9:30 的价格", "the schedule is missing"),
    ("review my week", "the schedule is missing"),
    ("每周五", "the job is missing"),
    ("every Friday at 16:00", "the job is missing"),
    ("每天8点或者9点提醒我看盘", "two times"),
    ("every day at 8 or 9 read the news", "two times"),
    ("每周三五点看盘", "五点: in the morning or in the afternoon?"),
    ("每天25点提醒我", "is not a valid time of day"),
    ("every day at 25:00 review", "is not a valid time of day"),
    ("every day at 13 pm review", "is not a valid time of day"),
    ("每天早上15点复盘", "is not a valid time of day"),
    ("每天 9:75 复盘", "is not a valid time of day"),
    ("每周五每天复盘", "two schedules given"),
    ("every Friday and every day review", "two schedules given"),
    ("每年2月30日复盘", "not every year has this day"),
    ("每月32号复盘", "no month has a day 32"),
    ("每月31号复盘", "not every month"),
    ("不要每天提醒我", "does not request a task"),
    ("别再每周提醒我复盘了", "does not request a task"),
    ("don't remind me every day", "does not request a task"),
    ("取消每周五的复盘", "does not request a task"),
    ("明天提醒我开会", "明天: at what time?"),
    ("remind me on Friday to rebalance", "on Friday: at what time?"),
    ("周五9点提醒我开会", "周五: once, or every week?"),
    ("每14天，周五复盘", "an interval in days cannot be combined with"),
    ("每隔两天复盘", "is ambiguous"),
    ("每周两次复盘", "2 times: at which times?"),
    ("twice a day check the news", "2 times: at which times?"),
    ("工作日每90分钟看一眼", "does not fit"),
    ("every third Friday review my week", "every third Friday is ambiguous"),
    ("单双周的周五复盘", "单双周 is ambiguous"),
    ("每天9点看新闻，节假日不看", "did not understand “节假日”"),
    ("每天提醒我9点开会", "did not understand “9点”"),
    ("every day at 9 read the news until Christmas", "did not understand “until Christmas”"),
    ("每个交易日收盘后和晚上9点各复盘一次", "did not understand “晚上9点”"),
    ("有新文件就总结它", "the schedule is missing"),
    ("Every Friday at 6pm but not this Friday, write a weekly review", "“but not this Friday”"),
    ("Write a weekly review every Friday at 6pm, but not this Friday", "“but not this Friday”"),
    ("From July on, every morning at 8:30 show the news", "“From July on”"),
    ("From 1 July, every Monday at 9 review my list", "“From 1 July”"),
    ("Every Monday on Tuesday at 9 call the broker", "“Tuesday”"),
    ("Every day at 9 for two weeks tell me the price of CATL", "“for two weeks”"),
    ("Every day at 9 as long as I hold CATL tell me its price", "as long as"),
    ("Every weekday before lunch tell me my profit", "before lunch"),
    ("On 15 March, June and September at 9 remind me to check reports", "“June and September”"),
    ("Every day at 8 in the morning and 8 in the evening show my profit", "8 in the evening"),
    ("Every Tuesday at 9 this year only review my list", "this year only"),
    ("Remind me each day while CATL is below 80", "no condition"),
    ("每天提醒我宁德时代是不是低于80", "no condition"),
    ("每隔一个交易日收盘后复盘持仓", "“每隔一个”"),
    ("国庆期间不要跑，每个交易日16点复盘持仓", "“国庆期间”"),
    ("财报季里每个工作日9点看新闻", "“财报季里”"),
    ("持仓有新公告时告诉我", "news of which company?"),
    ("when there is news about my holdings, tell me", "news of which company?"),
    ("every day at 9 UTC+5:30 read the news", "unknown time zone"),
]


@pytest.mark.parametrize(("wish", "problem"), ASKED_BACK, ids=[each[0] for each in ASKED_BACK])
def test_what_is_not_clear_is_asked_back_in_both_languages(wish, problem):
    with pytest.raises(BadData) as caught:
        wish_parser.parse_wish(wish, zone=HOME)
    error = caught.value
    assert problem in str(error) and error.hint
    told, hint = wish_errors.explain_failure(error, "zh")
    assert any("\u4e00" <= char <= "\u9fff" for char in told) and "{" not in told + hint
    assert wish_errors.explain_failure(error, "en")[0] == str(error)


@pytest.mark.process
@pytest.mark.parametrize(
    "text",
    ["每", "每周", "\x00\x01", "“每天9点”", "9" * 2000, "每天" * 500, "at at at", "every", "，。", "每天9点" + "啊" * 7000,
     "every day at a o'clock x", "every day at half past eleventy x", "on on on", "每周五五五五五五复盘", "😀每天9点😀"],
)  # fmt: skip
def test_odd_words_make_a_design_or_are_asked_back(text):
    try:
        design = wish_parser.parse_wish(text, zone=HOME)
    except BadData as exc:
        assert exc.hint
    else:
        check_design(design)


@pytest.mark.parametrize("text", ["9" * 5000, "a/" * 2500, "x-" * 2500, "." * 5000])
def test_a_long_word_is_no_schedule(text):
    with pytest.raises(BadData, match="the schedule is missing"):
        wish_parser.parse_wish(text, zone=HOME)


@pytest.mark.parametrize(
    ("wish", "schedule"),
    [("a.b/c.md变化时总结它", "on file a.b/c.md"), ("--n//a/**/x.md更新后总结它", "on file n//a/**/x.md"),
     ("当 -in-b/x 里有新笔记时总结它", "on file in-b/x/*.md"), ("看a当b/c 出现新笔记时总结它", "on file a当b/c/*.md")],
)  # fmt: skip
def test_a_path_begins_where_its_word_does(wish, schedule):
    assert wish_parser.parse_wish(wish, zone=HOME).schedule == schedule


@pytest.mark.parametrize(
    ("fields", "named"),
    [("0 16 * * 8", "weekday '8'"), ("99 * * * *", "minute '99'"), ("0 5-1 * * *", "hour '5-1'"), ("0 9 32 * *", "day '32'"),
     ("0 9 1 13 *", "month '13'")],
)  # fmt: skip
def test_cron_fields_out_of_range_are_named(fields, named):
    with pytest.raises(BadData, match=named):
        parse_schedule(fields)


@pytest.mark.parametrize(
    "wish",
    [
        "Remind me on 2024-04-12 at 9:00 to read the report",
        "remind me on April 12, 2024 at 9am: read the report",
        "On 2024-04-12 at 9:00, remind me to read the report",
        "2024年4月12日9点提醒我read the report",
    ],
)
def test_a_reminder_says_only_the_words_behind_its_time(wish):
    design = wish_parser.parse_wish(wish, zone=HOME)
    assert (design.schedule, design.run) == ("at 2024-04-12 09:00", "ia send 'read the report'")
