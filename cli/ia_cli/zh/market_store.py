"""Chinese for the store of the whole market and its mirror."""

CATALOG = {
    "simulated prices: the whole market is invented by {adapter}": "模拟行情：全市场数据由 {adapter} 虚构",
    "the market of {date} is made from the stored bars of {count} securities; names, valuations and suspensions of"
    " that day are unknown": "{date} 的市场由已存的 {count} 只证券的K线得出；当天的名称、估值和停牌情况未知",
    "no day of the market is stored from {adapters}": "没有来自 {adapters} 的全市场数据",
    "`ia sync daily` fetches one": "先运行 `ia sync daily`",
    "{date} is not a date": "{date} 不是日期",
    "a number is too large to be stored": "数字过大，无法存储",
    "market.db has no source {source}": "market.db 里没有编号为 {source} 的数据源",
    "the mirror is being written by another ia": "另一个 ia 正在写全市场镜像",
}
