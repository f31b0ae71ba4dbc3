"""What the guard says of a trade, and what cannot be used of a skill, in the language of the user.

A model, and the embedded analyst, hand on what they are told.

The command line has its own catalog; a test holds the two together.
"""

from ia.kernel.errors import Message, fill

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
    "stop-loss: {symbol} has lost {value} >= {limit}": "止损提醒：{symbol} 亏损 {value} ≥ {limit}",
    "the position limit of {limit} was not checked: of a position in {currency} no price is stored; `ia sync` fetches"
    " it": "未检查 {limit} 的仓位上限：有 {currency} 持仓没有行情；用 `ia sync` 获取",
    "the rise of {symbol} on {day} was not checked: the last close before that is stored is of {date}":
        "未检查 {symbol} 在 {day} 的涨幅：此前存有的最后收盘价是 {date} 的",
    "{symbol}: its board lot is not known, so the quantity was not checked": "{symbol}：每手股数未知，未检查数量",
    "{price} is beyond {limit}, the limit of the simulated market on {day}: taken for a price of the real one, its"
    " rise was not checked": "{price} 超出模拟市场 {day} 的涨跌停价 {limit}：当作真实市场的成交价记入，不检查当日涨幅",
    "{name}:{line}: {why}": "{name}:{line}：{why}",
    "{name}: larger or deeper than knowledge is": "{name}：过大或嵌套过深",
    "{name}: a value is not what it claims to be": "{name}：有的值与它声称的类型不符",
    "{path} is not a tree of `{name}:`": "{path} 不是以 `{name}:` 开头的结构",
    "knowledge/{file}.yaml: {key} is no list": "knowledge/{file}.yaml：{key} 不是列表",
    "knowledge/{file}.yaml: entry {at} of {key} has no id": "knowledge/{file}.yaml：{key} 的第 {at} 条没有 id",
    "knowledge/{file}.yaml: the id {id} stands twice": "knowledge/{file}.yaml：id {id} 出现了两次",
    "knowledge/{file}.yaml: {key} of {id} is not one of {choices}":
        "knowledge/{file}.yaml：{id} 的 {key} 只能是 {choices} 之一",
    "{symbol}: on {date} {held} are held, {quantity} cannot be sold":
        "{symbol}：{date} 持有 {held} 股，无法卖出 {quantity} 股",
}  # fmt: skip
"""Templates of the guard and of the skills, in Chinese."""


def said(message: Message, lang: str) -> str:
    """Return a message in a language; in English where there is no Chinese for it."""
    chinese = CHINESE.get(message.template) if lang == "zh" else None
    return str(message) if chinese is None else fill(chinese, message.params)
