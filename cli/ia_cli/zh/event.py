"""Chinese of `ia event`."""

CATALOG = {
    "Take a turn on an event of the day: its review, or what rose most.": "就当天的事件进行一轮：每日复盘，或上涨股票监控。",
    "The prompt is filled with figures from the ledger and the stored market; nobody else is asked. `ia sync daily` brings the market of the day, best in the same pipeline: `ia sync daily && ia event daily-review`.": "提示词里的数字来自账本和已存的行情，不问别人。当天的行情由 `ia sync daily` 取来，最好放在同一条流水线里：`ia sync daily && ia event daily-review`。",
    "Print the prompt, and take no turn.": "只打印提示词，不进行对话。",
    "Also on a day without trading, and before the close.": "非交易日或收盘前也照做。",
    "Go on with this session.": "接着这个会话。",
    "Review the day: gain, positions, risk rules, market, and what to do.": "复盘当天：盈亏、持仓、风控规则、市场，以及是否操作。",
    "The report is kept in notebook/reports/daily/, the turn in the session. Where the stored market is not today's, the prompt and the answer say so.": "报告存入 notebook/reports/daily/，对话存入会话。已存的行情不是今天的，提示词和回答都会说明。",
    "Status 1 on a day without trading and before the close, when nothing is done; 66 where no market is stored.": "非交易日或收盘前什么也不做，状态 1；没有存过行情则为 66。",
    "Look at what rose most, and judge the market's main line.": "看涨幅居前的股票，判断市场主线。",
    "The judgement is kept: as an observation, and in the session with importance 2, which is never pruned. The report is kept in notebook/reports/gainers/.": "判断会留下：作为一条观察，并以重要性 2 存在会话里，永不裁剪。报告存入 notebook/reports/gainers/。",
    "How many of the top gainers.": "取涨幅前多少名。",
    "there is no trading on {date}: nothing is done; --force does it nevertheless": "{date} 不是交易日：什么也不做；--force 仍然执行",
    "the market closes at 15:00 (Shanghai): nothing is done before; --force does it nevertheless": "市场 15:00（上海）收盘：之前什么也不做；--force 仍然执行",
    "kept: {path}": "已存：{path}",
}
