"""Chinese of the risk guard."""

CATALOG = {
    "position limit: {value} > {limit}": "仓位超限: {value} > {limit}",
    "position limit: the account is worth {equity} {currency}": "仓位超限: 账户净值为 {equity} {currency}",
    "the position limit of {limit} was not checked: what the account holds in {currency} is not known; `ia config set ledger.capital` or a deposit tells it": "未检查 {limit} 的仓位上限：账户的 {currency} 净值未知；用 `ia config set ledger.capital` 或记一笔入金即可",
    "cash: {need} > {cash} {currency}": "现金不足: {need} > {cash} {currency}",
    "the loss of the day was not checked: it is not known": "未检查当日亏损：尚不知当日盈亏",
    "loss of the day: {value} >= {limit}, nothing is bought any more": "当日亏损超限: {value} ≥ {limit}，禁止新开仓和加仓",
    "loss of the day: {value} >= {limit}": "当日亏损: {value} ≥ {limit}",
    "stop-loss: {symbol} has lost {value} >= {limit}": "止损提醒: {symbol} 亏损 {value} ≥ {limit}",
    "cooling: {hours} h since the last trade < {limit} h": "操作冷却: 距上次交易 {hours} 小时 < {limit} 小时",
    "the rise of {symbol} on {day} was not checked: the close before is not stored": "未检查 {symbol} 在 {day} 的涨幅：没有前收盘价",
    "the rise of {symbol} on {day} was not checked: the last close before that is stored is of {date}": "未检查 {symbol} 在 {day} 的涨幅：此前存有的最后收盘价是 {date} 的",
    "rise of the day: {value} > {limit}": "当日涨幅超限: {value} > {limit}",
    "{symbol}: {quantity} to be sold > {held} held": "{symbol} 持仓不足: 卖出 {quantity} > 持有 {held}",
    "T+1: {symbol}: {quantity} to be sold > {sellable} that may be sold that day": "T+1: {symbol} 卖出 {quantity} > 当日可卖 {sellable}",
    "price limit of {day}: {price} > {limit} ({rule})": "超出 {day} 涨停价: {price} > {limit}（{rule}）",
    "price limit of {day}: {price} < {limit} ({rule})": "低于 {day} 跌停价: {price} < {limit}（{rule}）",
    "if it is meant so: `--override --because WHY`; the journal keeps both": "若确实如此：`--override --because 理由`，两者都会记入账本",
    "{name}: {value!r} is no number of hours from 0 to 8760": "{name}：{value!r} 不是 0 到 8760 之间的小时数",
    "{name}: {value!r} is no per cent, a number up to 100": "{name}：{value!r} 不是百分数（不超过 100 的数字）",
    "`ia config set {name} 20` sets one": "用 `ia config set {name} 20` 设置",
}
