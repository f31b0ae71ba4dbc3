"""What the columns and words of brokers' statements mean: Chinese brokers, Tonghuashun, Tongdaxin; IBKR, Futu, Tiger.

Compared after folding width, case and decoration; a column that is not listed is not looked at.
"""

import re
import unicodedata

COLUMNS: dict[str, tuple[str, ...]] = {
    "date": (
        "成交日期", "交割日期", "发生日期", "业务日期", "交易日期", "清算日期", "日期", "date", "tradedate", "rundate",
        "date/time", "datetime", "成交日期时间", "filltime", "tradetime", "filledtime", "settledate", "委托日期",
    ),
    "time": (
        "成交时间", "发生时间", "交易时间", "时间", "time", "委托时间", "下单时间", "ordertime",
    ),
    "code": (
        "证券代码", "股票代码", "代码", "symbol", "code", "ticker", "stockcode", "证券编码", "标的代码",
    ),
    "name": (
        "证券名称", "股票名称", "名称", "name", "证券简称", "stockname",
    ),
    "what": (
        "操作", "买卖标志", "买卖方向", "业务名称", "业务类型", "业务标志", "委托类别", "交易类别", "交易类型",
        "买卖类别", "方向", "委托方向", "交易方向", "买卖", "摘要",
        "side", "direction", "action", "buy/sell", "type", "transactiontype",
        "成交类型", "activitytype", "交易动作",
    ),
    "price": (
        "成交价格", "成交均价", "成交价", "价格", "price", "t.price", "tradeprice", "fillprice", "avgprice",
        "averageprice", "filledprice", "avgfillprice", "交易价格",
    ),
    "quantity": (
        "成交数量", "成交股数", "发生数量", "数量", "quantity", "qty", "shares", "fillqty", "filledqty",
        "filledquantity", "交易数量",
    ),
    "amount": (
        "成交金额", "成交额", "amount", "proceeds", "fillamount", "filledamount", "grossamount", "交易金额", "金额",
    ),
    "net": (
        "发生金额", "清算金额", "资金发生数", "收付金额", "变动金额", "资金变动", "发生额", "总发生金额",
        "netamount", "netcash",
        "net",
    ),
    "commission": (
        "佣金", "净佣金", "commission", "comm/fee", "ibcommission", "commissions", "实收佣金", "交易佣金",
    ),
    "charge": (
        "手续费", "fees", "fee", "fees&comm",
    ),
    "total": (  # of all fees
        "合计费用", "费用合计", "总费用", "费用总计", "totalfees", "totalfee",
    ),
    "filled": (  # Futu's orders: 100@290.2
        "已成交@均价", "filled@avgprice", "成交@均价",
    ),
    "stamp": (
        "印花税", "stampduty", "stamp", "stamptax",
    ),
    "transfer": (
        "过户费", "transferfee", "transfer",
    ),
    "other": (
        "其他费", "其他杂费", "其他费用", "规费", "经手费", "证管费", "交易规费", "附加费", "结算费", "otherfees",
        "other", "platformfee", "platformfees", "tradingfee", "tradingfees", "secfee", "settlementfee",
        "settlementfees", "clearingfee", "clearingfees", "transactionfee", "systemfee", "sfclevy", "风险金",
        "平台使用费", "平台费", "交易费", "结算费用", "交收费", "交易系统使用费", "证监会征费", "财汇局征费",
        "证监会规费",
        "交易活动费", "综合审计跟踪监管费", "监管费", "gst", "消费税", "tradingactivityfee", "tradingactivityfees",
        "secfees", "sfclevies", "frclevy", "afrclevy", "systemusagefee", "systemusagefees", "tradingsystemusagefee",
        "consolidatedaudittrailfees", "consolidatedaudittrailfee", "catfee", "exchangefee", "exchangefees",
    ),
    "number": (
        "成交编号", "成交序号", "流水号", "合同编号", "委托编号", "tradeid", "orderid", "transactionid", "execid",
        "序列号",
    ),
    "currency": (
        "币种", "货币", "货币单位", "货币类型", "currency", "currencyprimary", "币别",
    ),
    "market": (
        "交易市场", "市场", "交易所", "market", "exchange", "市场名称",
    ),
    # our own export
    "kind": (
        "kind",
    ),
    "ratio": (
        "ratio",
    ),
    "reason": (
        "reason",
    ),
    "session": (
        "session",
    ),
    "key": (
        "key",
    ),
}  # fmt: skip
MANY = ("what", "other", "number")
"""Meanings that several columns of one file may have."""

WORDS: tuple[tuple[str, str], ...] = (
    (r"撤单|废单|撤销|cancel", "nothing"),
    (r"融资回购|融资购回|正回购|拆入|股票质押|约定购回", "borrow"),
    (r"购回|(拆出|回购).*(到期|返款|返还|归还|还款|收回)|reverse repo.*(matur|return|repurchase|repa)", "repaid"),
    (r"拆出|融券回购|逆回购|reverse repo", "lend"),
    (r"股份回购", "unknown"),
    (r"回购", "repo"),
    (r"融券卖出|融券买入|买券还券|卖空|沽空|short|reverse", "unknown"),
    (r"^open ?long$|^开多$", "buy"),
    (r"^close ?long$|^平多$", "sell"),
    (r"(中签|新股|新债|申购|配股|配债|配售|供股).{0,4}(还款|返款|解冻|退款|退回)", "refund"),
    (r"(中签|新股|新债|申购|配股|配债|配售|供股).{0,4}(扣款|缴款|冻结|资金)|缴款", "paid"),
    (r"(新股|新债|转债|市值|网上).{0,2}申购$", "paid"),
    (r"配号|(申购|新股).{0,6}(确认|委托|失败)|市值|指定交易|撤指|回售登记|投票|密码", "nothing"),
    (r"(新股|新债|转债|配债|债券).{0,3}入[账帐]|新股.{0,2}上市|中签|配股|供股|rights", "subscribe"),
    (r"利息税|service fee|mgmt fee|管理费", "charge"),
    (r"(红利|股息|股利|差别化?).{0,6}税|红利补缴|补缴|个人所得税|withholding|tax adj|foreign tax", "tax"),
    (r"红股|送股|送转|转增|(股份|基金|份额)拆分|股票股利|stock dividend|bonus|split", "bonus"),
    (r"股息|红利|股利|派息|派现|分红|dividend|\bdiv\b|in lieu", "dividend"),
    (r"利息|结息|归本|interest", "interest"),
    (r"银证转[账帐]|银证$|资金划转|deposits?/withdraw", "moved"),
    (r"transfer of funds|moneylink|wire funds|fund transfer|funds received|journal", "moved"),
    (r"银行转(证券|入|存)|银转证|银证转入|资金[转划]入|转入资金|(资金|现金)存入|入金|deposit|wire received", "deposit"),
    (r"证券转银行|银行转[出取]|证转银|银证转出|资金[转划]出|转出资金|(资金|现金)[取支][出取]|出金", "withdraw"),
    (r"withdraw|wire sent", "withdraw"),
    (r"银证", "moved"),
    (r"买|^b$|buy|^bot$|bought|申购|reinvest shares", "buy"),
    (r"卖|^s$|sell|^sld$|sold|赎回", "sell"),
)
"""What a row is, by the first of these forms that its words fit."""


def normalize_header(text: str) -> str:
    """Return a header cell as it is compared: no spaces, brackets or marks (`成交价格(元)`, `Fill Price`)."""
    plain = unicodedata.normalize("NFKC", text).strip().strip("=\"'").casefold()
    return re.sub(r"\(.*?\)|[\s_*:]", "", plain)


def map_columns(header: list[str]) -> dict[str, list[int]]:
    """Return the columns of each meaning, in order of preference; several only where MANY says so."""
    cells = [normalize_header(cell) for cell in header]
    found: dict[str, list[int]] = {}
    for meaning, names in COLUMNS.items():
        places = [cells.index(name) for name in names if name in cells]
        if places:
            found[meaning] = places if meaning in MANY else places[:1]
    if "date" not in found and "time" in found:  # Futu: one column has both
        found["date"] = found["time"]
    if found.get("time") == found.get("date"):
        found.pop("time", None)
    return found


def is_header(cells: list[str]) -> bool:
    """Whether a row names the columns of a statement: a date, and what was done or how much."""
    found = map_columns(cells)
    return "date" in found and len(found.keys() & {"what", "code", "quantity", "amount", "net", "kind"}) >= 2


def classify_words(words: str) -> str:
    """Return what a row is by its words; `unknown` where none fits.

    >>> classify_words("证券买入"), classify_words("股息红利税补缴"), classify_words("银行转证券")
    ('buy', 'tax', 'deposit')
    >>> classify_words("新股入帐"), classify_words("SELL")
    ('subscribe', 'sell')
    >>> classify_words("质押回购拆出"), classify_words("拆出质押购回"), classify_words("融资回购")
    ('lend', 'repaid', 'borrow')
    """
    text = unicodedata.normalize("NFKC", words).strip().casefold()
    return next((kind for form, kind in WORDS if re.search(form, text)), "unknown")
