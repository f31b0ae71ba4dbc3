"""Asking back in Chinese: what `words` and `rhythm` say where a wish is not clear, for who speaks to a person.

The analyst answers from it, and the catalog of the command line takes it in.
"""

from ia.kernel.errors import IaError, fill

ZH = {
    "a wish has at most {limit} characters": "一句话最多 {limit} 个字符",
    "say it shorter, or put the job into a skill": "说短一些，或把要做的事写成技能",
    "what is to be done is not said": "没有说要做什么",
    "say it after the time: every Friday at 16:00 review my week":
        "在时间后面说：每周五16:00复盘本周",
    "two times of day are named: {one} and {other}": "说了两个时刻：{one} 和 {other}",
    "say which one: every Friday at 16:00 review my week": "只说一个：每周五16:00复盘本周",
    "{said} is no time of day": "{said} 不是一天里的时刻",
    "hours go from 0 to 23: 8:30, 16:00, 4 pm": "小时是 0 到 23：8:30、16:00、下午4点",
    "two rhythms are named: {one} and {other}": "说了两种频率：{one} 和 {other}",
    "make two tasks of it, one after the other": "分成两个任务，一个一个说",
    "every so many days and {day} do not go together": "隔几天一次和“{day}”不能同时要",
    "say every Friday; or every 14 days without a weekday": "说“每周五”，或不带星期几的“每14天”",
    "{said} could be two things": "“{said}”有两种理解",
    "write every 2 days or every 3 days": "写“每2天”或“每3天”",
    "there is no day {day} in a month": "一个月里没有 {day} 号",
    "not every month has a day {day}": "不是每个月都有 {day} 号",
    "the 28th is in every month; or choose another day": "每个月都有 28 号：每月28号；或者换一天",
    "run on the last days and let the job see which day it is: `--cron '0 16 28-31 * *'`, with the job":
        "在最后几天都运行，由任务自己看今天是不是那一天：`--cron '0 16 28-31 * *'`，再加要做的事",
    "`--every 14d` counts from the approval; or take every week, and let the job see which week it is":
        "`--every 14d` 从批准时算起；或者每周都运行，由任务自己看是不是那一周",
    "for what happens, `--on message:WORDS`, `--on file:notebook/inbox/*.md` or `--on webhook:NAME`, and the job":
        "等某件事发生：`--on message:词`、`--on file:notebook/inbox/*.md` 或 `--on webhook:名称`，再加要做的事",
    "{said}: there is no zone of that name": "“{said}”：没有这样的时区",
    "name the zone by a city: Asia/Kolkata, Australia/Adelaide": "用城市说时区：Asia/Kolkata、Australia/Adelaide",
    "{said}: there is no such day in every year": "“{said}”：不是每年都有这一天",
    "choose another day: every year on March 1": "换一天：每年3月1日",
    "cron cannot express {said!r}": "“{said}”不是 cron 能表示的频率",
    "this asks for no task": "这句话不是要建任务",
    "`ia task pause NAME` or `ia task remove NAME` end one":
        "停掉已有的：`ia task pause 名称` 或 `ia task remove 名称`",
    "{said} is once": "“{said}”只有一次",
    "ia has no reminder that comes once: say how often, such as every Friday at 16:00":
        "ia 没有只来一次的提醒：说出多久一次，如“每周五16:00”",
    "when is not said": "没有说什么时候",
    "say how often: every Friday at 16:00 review my week": "说出多久一次：每周五16:00复盘本周",
    "{count} times: when?": "{count} 次：分别什么时候？",
    "name them: at 9 and 15, every Tuesday and Friday":
        "写出来：每天9点和15点，每周二和周五",
    "one task runs at the same minute of each hour: {one} and {other} are two":
        "一个任务只能在各小时的同一分钟运行：{one} 和 {other} 是两个任务",
    "an interval has no time of day: {said}": "按间隔运行的没有时刻：{said}",
    "say from when to when: every hour from 9 to 17": "说从几点到几点：9点到17点每小时",
    "every {size} minutes does not fit into those hours": "每 {size} 分钟一次，排不进这些小时",
    "such as every 15 minutes, every 30 minutes, every 2 hours": "例如每15分钟、每30分钟、每2小时",
}  # fmt: skip


def told(error: IaError, lang: str) -> tuple[str, str]:
    """Return a failure and what to say instead, in the language: `zh` or `en`."""
    texts = (error.template, error.hint or "")
    return tuple(fill(ZH.get(text, text) if lang == "zh" else text, error.params) for text in texts)  # type: ignore[return-value]
