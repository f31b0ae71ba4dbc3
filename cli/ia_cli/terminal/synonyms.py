"""Words that people type for what is called otherwise here: commands, verbs, options, and the former names of options.

Data, for the hints of `_hints` and for the parser; what is named here as an answer is checked by tests/arch.
"""

from ia.kernel.i18n import mark_text

WORDS = "ia.words"
"""Under this name click's context keeps the words that its command was given."""

COMMANDS = {
    **dict.fromkeys(
        ("ask", "question", "q", "analyse", "analyze", "analysis", "research", "问", "提问", "分析"), 'ia turn "…"'
    ),
    **dict.fromkeys(("talk", "repl", "shell", "console", "interactive", "聊天", "对话"), "ia chat"),
    **dict.fromkeys(("price", "prices", "stock", "ticker", "行情", "价格", "报价", "股价"), "ia quote SYMBOL"),
    **dict.fromkeys(("bars", "history", "kline", "download", "fetch", "get", "历史"), "ia ohlcv SYMBOL"),
    **dict.fromkeys(
        ("watchlist", "watched", "favorites", "favourites", "favs", "自选", "自选股", "关注列表"), "ia watch list"
    ),
    **dict.fromkeys(("track", "follow", "关注", "加自选"), "ia watch add SYMBOL"),
    **dict.fromkeys(("untrack", "unfollow", "unwatch", "取消关注"), "ia watch remove SYMBOL"),
    **dict.fromkeys(
        (
            "portfolio",
            "holdings",
            "holding",
            "positions",
            "position",
            "balance",
            "cash",
            "networth",
            "持仓",
            "账户",
            "资产",
            "余额",
        ),
        "ia account",
    ),
    **dict.fromkeys(
        (
            "pnl",
            "p&l",
            "gain",
            "gains",
            "returns",
            "performance",
            "收益",
            "盈亏",
        ),
        "ia profit",
    ),
    **dict.fromkeys(("return", "benchmark", "twr", "收益率", "业绩", "基准", "跑赢"), "ia profit --stats"),
    **dict.fromkeys(("dividend", "dividends", "income", "分红", "股息", "派息"), "ia profit --income"),
    **dict.fromkeys(
        ("net", "net-worth", "net_worth", "worth", "wealth", "fx", "净值", "净资产", "总资产"), "ia account"
    ),
    **dict.fromkeys(("allocation", "exposure", "weights", "配置", "仓位"), "ia account --by industry"),
    **dict.fromkeys(("order", "买入", "买"), "ia trade buy SYMBOL QUANTITY PRICE"),
    **dict.fromkeys(("卖出", "卖"), "ia trade sell SYMBOL QUANTITY PRICE"),
    **dict.fromkeys(("journal", "trades", "transactions", "交易", "流水"), "ia trade list"),
    **dict.fromkeys(("search", "find", "grep", "查找", "搜索"), "ia recall WORDS"),
    **dict.fromkeys(("filter", "screener", "选股", "筛选"), "ia screen 'pe < 15 and roe > 10'"),
    **dict.fromkeys(("announcements", "announcement", "notices", "headlines", "新闻", "公告"), "ia news SYMBOL"),
    **dict.fromkeys(
        (
            "dates",
            "agenda",
            "upcoming",
            "earnings",
            "exdates",
            "ex-dates",
            "holidays",
            "日历",
            "日程",
            "财报日",
            "除权",
            "解禁",
        ),
        "ia calendar",
    ),
    **dict.fromkeys(("alerts", "提醒", "预警", "到价提醒"), "ia alert SYMBOL 'close < 80'`, and `ia alert list"),
    **dict.fromkeys(
        ("remind", "reminder", "reminders", "schedule", "cron", "job", "jobs", "定时"), 'ia task propose "…"'
    ),
    **dict.fromkeys(("vs", "versus", "correlation", "beta", "对比", "比较", "相关性"), "ia compare SYMBOL SYMBOL"),
    **dict.fromkeys(("messages", "message", "notifications", "消息", "收件箱"), "ia inbox"),
    **dict.fromkeys(("plot", "draw", "graph", "candles", "k线", "画图", "图", "图表"), "ia chart SYMBOL"),
    **dict.fromkeys(("index", "indices", "指数"), "ia chart 000300.SH"),
    **dict.fromkeys(("gainers", "losers", "top", "movers", "hot", "涨幅榜", "跌幅榜"), "ia market gainers"),
    **dict.fromkeys(("sector", "sectors", "industry", "industries", "行业", "板块"), "ia market sectors"),
    **dict.fromkeys(("breadth", "overview", "大盘", "市场"), "ia market summary"),
    **dict.fromkeys(("northbound", "北向", "北向资金"), "ia market northbound"),
    **dict.fromkeys(("lhb", "龙虎榜"), "ia market lhb"),
    **dict.fromkeys(("扫描",), "ia scan 'rsi(close, 14) < 30'"),
    **dict.fromkeys(("回测", "backtesting", "strategy", "simulate"), "ia backtest run SYMBOL --entry EXPR"),
    **dict.fromkeys(
        ("valuation", "pe", "pb", "roe", "earnings", "financials", "市盈率", "估值", "财报", "基本面"),
        "ia fundamentals SYMBOL",
    ),
    **dict.fromkeys(("review", "daily", "复盘", "日报"), "ia event daily-review"),
    **dict.fromkeys(
        ("why", "reason", "reasons", "为什么", "理由", "买入理由"), mark_text('ia turn "why did I buy SYMBOL?"')
    ),
    **dict.fromkeys(
        ("size", "sizing", "howmuch", "how-much", "买多少", "仓位大小"),
        mark_text('ia turn "how many shares of SYMBOL can I buy?"'),
    ),
    **dict.fromkeys(
        ("stop", "stops", "stoploss", "stop-loss", "止损"), mark_text('ia turn "where is my stop for SYMBOL?"')
    ),
    **dict.fromkeys(("target", "targets", "目标价"), mark_text('ia turn "what is my target price of SYMBOL?"')),
    **dict.fromkeys(("today", "今天", "今日"), "ia event daily-review"),
    **dict.fromkeys(("currency", "currencies", "forex", "rate", "汇率"), "ia market rates"),
    **dict.fromkeys(("drawdown", "sharpe", "volatility", "回撤", "夏普", "波动率"), "ia profit --stats"),
    **dict.fromkeys(("signal", "signals", "信号"), "ia scan 'rsi(close, 14) < 30'"),
    **dict.fromkeys(("idea", "ideas", "推荐"), "ia screen 'pe < 15 and roe > 10'"),
    **dict.fromkeys(("limits", "limit"), "ia config list risk"),
    **dict.fromkeys(("heatmap", "热力图"), "ia report market -o market.html"),
    **dict.fromkeys(("live", "realtime", "real-time", "实时"), "ia quote SYMBOL --live"),
    **dict.fromkeys(("statement", "对账单", "交割单"), "ia trade import FILE"),
    **dict.fromkeys(("belief", "beliefs", "信念"), "ia memory read beliefs"),
    **dict.fromkeys(("税", "税费", "印花税"), "ia trade rules"),
    **dict.fromkeys(("week", "本周"), mark_text('ia turn "how was my week?"')),
    **dict.fromkeys(
        ("options", "futures", "crypto", "holders", "insiders", "ratings", "estimates", "期权", "期货", "新股"), ""
    ),
    **dict.fromkeys(("rebalance", "调仓", "再平衡"), "ia check weekly"),
    **dict.fromkeys(("weekly", "weekly-review", "周报", "周复盘"), mark_text('ia turn "review this week"')),
    **dict.fromkeys(("monthly", "monthly-review", "月报", "月复盘"), mark_text('ia turn "review this month"')),
    **dict.fromkeys(("fee", "fees", "tax", "费率", "手续费"), "ia trade rules"),
    **dict.fromkeys(("risk", "风控"), "ia trade check SYMBOL QUANTITY PRICE"),
    **dict.fromkeys(("日历", "agenda"), "ia calendar"),
    **dict.fromkeys(("任务",), "ia task list"),
    **dict.fromkeys(("记忆",), "ia memory list"),
    **dict.fromkeys(("指标",), "ia indicator list"),
    **dict.fromkeys(("报告",), "ia report SYMBOL -o FILE"),
    **dict.fromkeys(("版本",), "ia --version"),
    **dict.fromkeys(("update", "refresh", "同步", "更新"), "ia sync"),
    **dict.fromkeys(("status", "check", "health", "fix", "repair"), "ia doctor"),
    **dict.fromkeys(("setup", "start", "install", "onboard"), "ia init"),
    **dict.fromkeys(("settings", "setting", "set", "设置"), "ia config list"),
    **dict.fromkeys(("notes", "write", "笔记"), "ia note list"),
    **dict.fromkeys(("accept", "confirm", "批准"), "ia approve ID"),
    **dict.fromkeys(("proposals", "proposal", "todo", "待办"), "ia pending"),
    **dict.fromkeys(("export",), "ia trade export"),
    **dict.fromkeys(("import",), "ia trade import FILE"),
    **dict.fromkeys(("cost", "costs", "tokens"), "ia usage"),
    **dict.fromkeys(("audit", "events", "日志"), "ia log"),
    **dict.fromkeys(("models", "model", "llm"), "ia config set model NAME"),
    **dict.fromkeys(("remember", "believe"), 'ia memory believe "…" --because "…"'),
    **dict.fromkeys(("serve", "server"), "ia mcp"),
    **dict.fromkeys(("dashboard",), "ia report account -o account.html"),
    **dict.fromkeys(("帮助",), "ia --help"),
}
"""A first word and what to type instead; "" where there is nothing of the kind."""

VERBS = {
    "alert": {
        **dict.fromkeys(("add", "new", "create", "make"), "ia alert SYMBOL 'close < 80'"),
        **dict.fromkeys(("delete", "rm", "cancel", "drop", "off"), "ia alert remove NAME"),
        **dict.fromkeys(("ls", "all"), "ia alert list"),
        **dict.fromkeys(("stop", "disable"), "ia alert pause NAME"),
    },
    "trade": {
        **dict.fromkeys(("undo", "delete", "remove", "cancel", "rm", "revert"), 'ia trade void ID --because "…"'),
        **dict.fromkeys(
            ("edit", "change", "update", "fix", "modify"), 'ia trade correct ID --price PRICE --because "…"'
        ),
        **dict.fromkeys(("add", "new", "record", "enter", "long"), "ia trade buy SYMBOL QUANTITY PRICE"),
        **dict.fromkeys(("history", "show", "log", "ls", "all", "journal"), "ia trade list"),
        **dict.fromkeys(("cash", "fund", "in"), "ia trade deposit AMOUNT"),
        **dict.fromkeys(("positions", "holdings", "account"), "ia account"),
        "fees": "ia trade rules",
    },
    "config": {
        **dict.fromkeys(("show", "ls", "all", "view", "print"), "ia config list"),
        **dict.fromkeys(("delete", "remove", "reset", "rm", "clear", "default"), "ia config unset KEY"),
        **dict.fromkeys(("edit", "change", "update", "add"), "ia config set KEY VALUE"),
        **dict.fromkeys(("key", "token", "password", "secrets"), "ia config secret NAME"),
    },
    "task": {
        **dict.fromkeys(("add", "create", "new", "schedule", "make"), 'ia task propose "…"'),
        **dict.fromkeys(("delete", "rm", "cancel", "drop"), "ia task remove NAME"),
        **dict.fromkeys(("disable", "stop", "off"), "ia task pause NAME"),
        **dict.fromkeys(("enable", "on", "continue"), "ia task resume NAME"),
        **dict.fromkeys(("start", "now", "trigger"), "ia task run NAME"),
        **dict.fromkeys(("logs", "log", "runs", "status"), "ia task history"),
        **dict.fromkeys(("ls", "all"), "ia task list"),
        "accept": "ia task approve ID",
    },
    "memory": {
        **dict.fromkeys(("show", "cat"), "ia memory read"),
        **dict.fromkeys(("search", "find"), "ia recall WORDS"),
        **dict.fromkeys(("watch", "follow"), "ia watch add SYMBOL"),
        **dict.fromkeys(("untrack", "unfollow", "unwatch"), "ia watch remove SYMBOL"),
        **dict.fromkeys(("add", "remember", "note"), 'ia memory observe TOPIC "…"'),
        **dict.fromkeys(("revert", "restore"), "ia memory undo PATH"),
        "ls": "ia memory list",
    },
    "watch": {
        **dict.fromkeys(("track", "follow", "put", "new", "move", "group"), "ia watch add SYMBOL --group GROUP"),
        **dict.fromkeys(("delete", "rm", "drop", "untrack", "unfollow"), "ia watch remove SYMBOL"),
        **dict.fromkeys(("ls", "show", "all", "groups", "view"), "ia watch list"),
    },
    "market": {
        **dict.fromkeys(("losers", "falls", "worst"), "ia market gainers --losers"),
        **dict.fromkeys(("top", "best", "movers", "winners"), "ia market gainers"),
        **dict.fromkeys(("industries", "industry", "sector", "concepts"), "ia market sectors"),
        **dict.fromkeys(("overview", "breadth", "today", "status", "all"), "ia market summary"),
        **dict.fromkeys(("index", "indices"), "ia chart 000300.SH"),
    },
    "session": {
        **dict.fromkeys(("rm", "remove", "clear"), "ia session delete ID"),
        **dict.fromkeys(("new", "start", "open", "continue"), "ia chat -s ID"),
        **dict.fromkeys(("ls", "all"), "ia session list"),
        **dict.fromkeys(("read", "cat", "view"), "ia session show ID"),
    },
    "soul": {
        **dict.fromkeys(("read", "cat", "view"), "ia soul show"),
        **dict.fromkeys(("set", "change", "write", "update"), 'ia soul propose "…"'),
        "log": "ia soul history",
    },
    "skill": {
        **dict.fromkeys(("add", "get"), "ia skill install SOURCE"),
        **dict.fromkeys(("delete", "rm", "uninstall"), "ia skill remove NAME"),
        "ls": "ia skill list",
        "use": "ia skill run NAME",
    },
    "provider": {
        "install": "ia provider add SOURCE",
        **dict.fromkeys(("delete", "rm"), "ia provider remove NAME"),
        "ls": "ia provider list",
    },
    "profile": {"add": "ia profile install SOURCE", "set": "ia profile use NAME", "ls": "ia profile list"},
    "indicator": {
        **dict.fromkeys(("show", "info", "help", "about"), "ia indicator describe NAME"),
        **dict.fromkeys(("compute", "calculate", "run", "get"), "ia indicator calc NAME --symbol SYMBOL"),
        "ls": "ia indicator list",
    },
    "tool": {"ls": "ia tool list", "run": "ia tool call NAME JSON", "describe": "ia tool show NAME"},
}
"""By group: a verb and what to type instead."""

OPTIONS = {
    **dict.fromkeys(("--reason", "--why", "--note", "--comment", "--memo", "-m"), ("--because",)),
    **dict.fromkeys(
        ("--from", "--after", "--begin", "--begin-date", "--start-date", "--startdate", "--since", "--start"),
        ("--start", "--since"),
    ),
    **dict.fromkeys(("--to", "--before", "--until", "--end-date", "--enddate", "--stop"), ("--end",)),
    **dict.fromkeys(
        (
            "--top",
            "--count",
            "--max",
            "--num",
            "--head",
            "--tail",
            "--last",
            "--rows",
            "--number",
            "--days",
            "-l",
            "-k",
            "-c",
            "-n",
            "--limit",
        ),
        ("--limit",),
    ),
    **dict.fromkeys(("--date", "--day", "--on", "--at", "--time", "--when"), ("--date", "--start", "--since")),
    **dict.fromkeys(("--interval", "--freq", "--frequency", "--timeframe", "--resolution", "--tf"), ("--period",)),
    **dict.fromkeys(("--source", "--feed", "--host", "--api"), ("--adapter", "--hosts")),
    **dict.fromkeys(("--order", "--order-by", "--sort-by", "--sortby"), ("--sort",)),
    **dict.fromkeys(("--asc", "--ascending", "--reverse", "--descending"), ("--desc",)),
    **dict.fromkeys(("--fields", "--cols", "--column", "--select"), ("--columns",)),
    **dict.fromkeys(("-y", "--force", "--assume-yes", "--confirm"), ("--yes", "--override")),
    **dict.fromkeys(("--qty", "--shares", "--amount", "--size", "--volume"), ("--quantity",)),
    **dict.fromkeys(("--fee", "--fees"), ("--commission",)),
    **dict.fromkeys(("--format", "--as-json", "-j"), ("--json", "--format")),
    **dict.fromkeys(("--symbol", "--symbols", "--code", "--ticker", "-s"), ("--symbol", "--symbols", "--codes")),
    **dict.fromkeys(("--indicators", "--overlay", "--ma", "--add"), ("--indicator",)),
    **dict.fromkeys(("--pane", "--below", "--sub"), ("--panes",)),
    **dict.fromkeys(("--log", "--logscale", "--logarithmic"), ("--log-scale",)),
    **dict.fromkeys(("--watch", "--watchlist", "--held", "--all"), ("--universe",)),
    **dict.fromkeys(("-f", "--out", "--file", "--save", "-o", "--output"), ("--output", "--file")),
    **dict.fromkeys(("--message", "--subject"), ("--title",)),
    **dict.fromkeys(("--silent", "--quiet"), ("--quiet",)),
    "--dry": ("--dry-run",),
    **dict.fromkeys(("-c", "--continue", "--resume"), ("--session", "--limit")),
}
"""An option and what it may be called here: the first that the command has."""

FORMER: dict[str, dict[str, str]] = {
    "chart": {"--last": "--limit", "--log": "--log-scale"},
    "compare": {"--days": "--limit", "--since": "--start", "--until": "--end"},
    "event top-gainers": {"--count": "--limit"},
    "fundamentals": {"--periods": "--limit"},
    "memory reflect": {"--period": "--of"},
    "market northbound": {"--days": "--limit"},
    "session prune": {"--limit": "--tokens"},
    "screen": {"--symbols": "--codes"},
    "task due": {"--log": "--cron-log"},
    "trade bonus": {"--shares": "--quantity"},
    "verify": {"--adjust": "--factors", "--no-adjust": "--no-factors"},
}
"""By command: an option's former name, which goes on working, and its name."""
