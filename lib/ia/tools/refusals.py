"""What the guard says against a trade, in the language of the user: a model hands on what it is told.

The command line has its own catalog; a test holds the two together.
"""

from ia.errors import Message, fill

CHINESE = {
    "position limit: {value} > {limit}": "仓位超限：{value} > {limit}",
    "position limit: the account is worth {equity} {currency}": "仓位超限：账户净值为 {equity} {currency}",
    "not enough cash: {need} > {cash} {currency}": "现金不足：{need} > {cash} {currency}",
    "loss of the day: {value} >= {limit}, nothing is bought any more":
        "当日亏损超限：{value} ≥ {limit}，禁止新开仓和加仓",
    "loss of the day: {value} >= {limit}": "当日亏损：{value} ≥ {limit}",
    "cooling: {hours} h since the last trade < {limit} h": "操作冷却：距上次交易 {hours} 小时 < {limit} 小时",
    "rise of the day: {value} > {limit}": "当日涨幅超限：{value} > {limit}",
    "{symbol}: {quantity} to be sold > {held} held": "{symbol} 持仓不足：卖出 {quantity} > 持有 {held}",
    "T+1: {symbol}: {quantity} to be sold > {sellable} that may be sold that day":
        "T+1：{symbol} 卖出 {quantity} > 当日可卖 {sellable}",
    "price limit of {day}: {price} > {limit} ({rule})": "超出 {day} 涨停价：{price} > {limit}（{rule}）",
    "price limit of {day}: {price} < {limit} ({rule})": "低于 {day} 跌停价：{price} < {limit}（{rule}）",
    "{symbol} is bought in orders of at least {least}: {quantity} is too few":
        "{symbol} 单笔买入至少 {least}：{quantity} 太少",
    "{symbol} is bought in lots of {least}: {quantity} is not a multiple":
        "{symbol} 须按 {least} 的整数倍买入：{quantity} 不是整数倍",
    "{symbol} is sold in orders of at least {least}, or all of it: {quantity} is too few":
        "{symbol} 单笔卖出至少 {least}，不足时须一次卖完：{quantity} 太少",
    "{symbol} is sold in lots of {least}: {quantity} is not a multiple":
        "{symbol} 须按 {least} 的整数倍卖出：{quantity} 不是整数倍",
    "{symbol} is sold in lots of {least}, an odd rest of {rest} at once: {quantity} is neither":
        "{symbol} 须按 {least} 的整数倍卖出，零股 {rest} 须一次卖出：{quantity} 都不符",
    "the position limit of {limit} was not checked: the cash in {currency} is not known; `ia trade deposit` or the"
    " setting ledger.capital tells it":
        "未检查 {limit} 的仓位上限：{currency} 现金未知；用 `ia trade deposit` 记入金，或设置 ledger.capital",
    "the loss of the day was not checked: it is not known": "未检查当日亏损：尚不知当日盈亏",
    "the rise of {symbol} on {day} was not checked: the close before is not stored":
        "未检查 {symbol} 在 {day} 的涨幅：没有前收盘价",
    "{symbol}: on {date} {held} are held, {quantity} cannot be sold":
        "{symbol}：{date} 持有 {held} 股，无法卖出 {quantity} 股",
}  # fmt: skip
"""The guard's templates, in Chinese."""


def said(message: Message, lang: str) -> str:
    """Return a message of the guard; in English where there is no Chinese for it."""
    chinese = CHINESE.get(message.template) if lang == "zh" else None
    return str(message) if chinese is None else fill(chinese, message.params)
