"""Chinese of what a task is and when it runs."""

CATALOG = {
    "the trading days of {market} are not known past {day}: every weekday counts as one, holidays too": "{market} 在 {day} 之后的交易日历未知：每个工作日都按交易日算，节假日也不例外",
    "the trading days past {day} could not be fetched: {reason}": "取不到 {day} 之后的交易日历：{reason}",
    "the trading days are known until {day} now": "交易日历现已知到 {day}",
    "the list of trading days makes no sense: {count} days": "交易日列表不合理：{count} 天",
    "`ia sync` brings them, where the source has them": "数据源已有时，`ia sync` 会取来",
    # a task's file
    "see ia-task(5)": "见 ia-task(5)",
    "a task begins with its fields between two lines of ---": "任务文件以两行 --- 之间的字段开头",
    "{field}: a task has no such field": "{field}：任务没有这个字段",
    "name: {told} is not the name of its file, {name}": "name：{told} 与文件名 {name} 不符",
    "name: letters, digits, - and _, at most 60: not {name!r}": "name：只能用文字、数字、- 和 _，至多 60 个，不能是 {name!r}",
    "schedule: a task says when it runs": "schedule：任务要写明何时运行",
    "calendar: {calendar!r} is none of CN, HK, US": "calendar：{calendar!r} 不是 CN、HK、US 之一",
    "calendar: an event comes when it comes; leave it out": "calendar：事件何时来没有日历可言，请去掉",
    "a task has either a prompt or a run, and not both": "任务要有 prompt 或 run，且只能有其一",
    "schedule {schedule!r}: none of its days is a trading day": "schedule {schedule!r}：没有一天是交易日",
    "produces: {path!r} is no note below notebook/": "produces：{path!r} 不是 notebook/ 下的笔记",
    "for example reports/weekly/DATE.md": "例如 reports/weekly/DATE.md",
    "produces: a name in it is too long": "produces：其中有名字太长",
    "produces: a note ends in .md, not in {ending}": "produces：笔记以 .md 结尾，不是 {ending}",
    "{field}: a number from 0 to {most}": "{field}：0 到 {most} 的整数",
    "{field}: one line of text, or a block of it": "{field}：一行文字，或一段文字",
    "{field}: one line of text, without spaces around it": "{field}：一行文字，首尾没有空格",
    "{field}: true or false": "{field}：true 或 false",
    "{field}: a time such as 90m, 1h or 1d; at most {most} minutes": "{field}：时长，如 90m、1h、1d，至多 {most} 分钟",
    "{field}: longer than {most} characters": "{field}：超过 {most} 个字符",
    "{field}: a character that is not seen, {char}": "{field}：含有看不见的字符 {char}",
    "missed: once or skip, not {word!r}": "missed：once 或 skip，不能是 {word!r}",
    "notify: at most {most} channels, each once": "notify：至多 {most} 个渠道，每个一次",
    "notify: {name!r} is no name of a channel": "notify：{name!r} 不是渠道名",
    # schedules
    "schedule {schedule!r}: {why}": "schedule {schedule!r}：{why}",
    "cron fields (`0 16 * * 5`), `every 90m`, `close+30m`, or `on file PATTERN`; see ia-task(5)": (
        "可写 cron 五个字段（`0 16 * * 5`）、`every 90m`、`close+30m` 或 `on file PATTERN`；见 ia-task(5)"
    ),
    "it is empty": "为空",
    "it is too long": "太长",
    "the weekdays are one word: fri, 1-5 or mon,wed": "星期写成一个词：fri、1-5 或 mon,wed",
    "elapsed time is a number and m, h or d": "间隔是一个数加 m、h 或 d",
    "that is out of range": "超出范围",
    "write close, close+30m or close-15m, and weekdays after it if you like": (
        "写 close、close+30m 或 close-15m，后面可以加星期"
    ),
    "it never comes: exchanges do not trade on these days": "永远不会到来：交易所在这些日子不开市",
    "an event is `on file PATTERN`, `on message WORDS` or `on webhook NAME`": (
        "事件写作 `on file PATTERN`、`on message WORDS` 或 `on webhook NAME`"
    ),
    "it does not say which": "没有写明是哪一个",
    "the name of a webhook has letters, digits, - and _": "webhook 的名字由字母、数字、- 和 _ 组成",
    "a pattern of files lies inside the workspace": "文件的模式要在工作区之内",
    "there is no such alias": "没有这个别名",
    "cron has five fields: minute, hour, day, month, weekday": "cron 有五个字段：分、时、日、月、星期",
    "{part!r} is no list of numbers, ranges (1-5) and steps (*/15, 0-30/10)": (
        "{part!r} 不是由数、范围（1-5）和步长（*/15、0-30/10）组成的列表"
    ),
    "{part!r}: a step needs a range, as in 0-59/5 or */5": "{part!r}：步长前要有范围，如 0-59/5 或 */5",
    "it never comes: no such day in these months": "永远不会到来：这些月份没有这一天",
    "minute {part!r}: from 0 to 59, and a range goes upwards": "分钟 {part!r}：0 到 59，范围要从小到大",
    "hour {part!r}: from 0 to 23, and a range goes upwards": "小时 {part!r}：0 到 23，范围要从小到大",
    "day {part!r}: from 1 to 31, and a range goes upwards": "日 {part!r}：1 到 31，范围要从小到大",
    "month {part!r}: from 1 to 12, and a range goes upwards": "月 {part!r}：1 到 12，范围要从小到大",
    "weekday {part!r}: from 0 (Sunday) to 6, and a range goes upwards": "星期 {part!r}：0（星期日）到 6，范围要从小到大",
    "minutes are 0-59, hours 0-23, days 1-31, months 1-12, weekdays 0-7, and a range goes upwards": (
        "分 0-59，时 0-23，日 1-31，月 1-12，星期 0-7，范围从小到大"
    ),
    # zones
    "TZ: {zone!r} is no time zone": "TZ：{zone!r} 不是时区",
    "{zone!r} is no time zone": "{zone!r} 不是时区",
    "write an IANA name: Asia/Shanghai, America/New_York, Europe/London": (
        "请写 IANA 名称：Asia/Shanghai、America/New_York、Europe/London"
    ),
}
