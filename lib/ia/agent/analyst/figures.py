"""Which figures a message asks for: with their parameters, over which bars, and in which stretch of time."""

import re
from datetime import date, timedelta
from typing import NamedTuple

Figure = tuple[str, str, str, str]
"""An expression, what it is called in Chinese and in English, and its unit."""


class Spec(NamedTuple):
    """A figure that can be asked for. `{0}` in code and names is its first parameter, `{1}` its second."""

    words: str
    defaults: tuple[int, ...]
    code: str
    zh: str
    en: str
    unit: str


_BAND = 'bbands(close, {0}, {1})["%s"]'
_PLACE = (
    '(close - bbands(close, {0}, {1})["lower"]) / (bbands(close, {0}, {1})["upper"]'
    ' - bbands(close, {0}, {1})["lower"]) * 100'
)
_SPECS = (
    Spec(r"rsi|相对强弱|超买|超卖|overbought|oversold", (14,), "rsi(close, {0})", "RSI({0})", "RSI({0})", "points"),
    Spec(r"超买|超卖|overbought|oversold", (20, 2), _PLACE, "布林带内的位置（{0}, {1}；下轨 0，上轨 100）",
         "place in the Bollinger band ({0}, {1}; 0 lower, 100 upper)", "points"),
    Spec(r"macd", (12, 26, 9), 'macd(close, {0}, {1}, {2})["histogram"]', "MACD 柱（{0}, {1}, {2}）",
         "MACD histogram ({0}, {1}, {2})", "ratio"),
    Spec(r"dif", (12, 26, 9), 'macd(close, {0}, {1}, {2})["macd"]',
         "MACD 的 DIF（{0}, {1}）", "MACD line ({0}, {1})", "ratio"),
    Spec(r"dea", (12, 26, 9), 'macd(close, {0}, {1}, {2})["signal"]', "MACD 的 DEA（{0}, {1}, {2}）",
         "signal of MACD ({0}, {1}, {2})", "ratio"),
    Spec(r"kdj", (9, 3, 3), 'kdj(high, low, close, {0}, {1}, {2})["j"]', "KDJ 的 J（{0}, {1}, {2}）",
         "J of KDJ ({0}, {1}, {2})", "points"),
    Spec(r"布林|boll(?:inger)?(?: bands?)?|上轨", (20, 2), _BAND % "upper", "布林上轨（{0}, {1}）",
         "upper Bollinger band ({0}, {1})", "price"),
    Spec(r"中轨|middle band", (20, 2), _BAND % "middle", "布林中轨（{0}, {1}）",
         "middle Bollinger band ({0}, {1})", "price"),
    Spec(r"下轨|lower (?:bollinger )?band|布林带?(?!.{0,4}[上中]轨)|bollinger bands", (20, 2), _BAND % "lower",
         "布林下轨（{0}, {1}）", "lower Bollinger band ({0}, {1})", "price"),
    Spec(r"atr|真实波幅|日常波幅", (14,), "atr(high, low, close, {0})", "ATR({0})", "ATR({0})", "price"),
    Spec(r"波动率|volatility", (60,), "stdev(roc(close, 1), {0}) * sqrt(250)", "年化波动率（{0} 日）",
         "yearly volatility ({0} days)", "percent"),
    Spec(r"量比|volume ratio", (20,), "volume / sma(ref(volume, 1), {0})", "量比（对前 {0} 日）",
         "volume ratio ({0} days before)", "ratio"),
    Spec(r"adx", (14,), "adx(high, low, close, {0})", "ADX({0})", "ADX({0})", "points"),
    Spec(r"cci", (14,), "cci(high, low, close, {0})", "CCI({0})", "CCI({0})", "points"),
    Spec(r"mfi", (14,), "mfi(high, low, close, volume, {0})", "MFI({0})", "MFI({0})", "points"),
)  # fmt: skip
_RANGED: tuple[tuple[str, str, str, str, str, str], ...] = (
    (r"最大回撤|max(?:imum)? ?draw-?down|largest drawdown|worst drawdown",
     "(close[{window}] / close[{window}].cummax() - 1).min() * 100", "最大回撤", "maximum drawdown", "percent", "250"),
    (r"回撤|draw-?down", "((close[{window}] / close[{window}].cummax() - 1) * 100)", "距期内高点的回撤",
     "drawdown from the high", "percent", ""),
    (r"最高收盘价?|highest close", "close[{window}].max()", "最高收盘价", "highest close", "price", ""),
    (r"最低收盘价?|lowest close", "close[{window}].min()", "最低收盘价", "lowest close", "price", ""),
    (r"最高价?|高点|\bhigh(?:est)?(?: price)?\b", "high[{window}].max()", "最高价", "highest price", "price", "1"),
    (r"最低价?|低点|\blow(?:est)?(?: price)?\b", "low[{window}].min()", "最低价", "lowest price", "price", "1"),
    (r"平均价|均价|average price|average close|mean close", "close[{window}].mean()", "平均收盘价", "average close",
     "price", "20"),
    (r"开盘价?|\bopen\b", "open[{window}].iloc[0]", "开盘价", "open", "price", "1"),
    (r"成交量|\bvolume\b(?! ratio)", "volume[{window}].sum()", "成交量（股）", "volume (shares)", "ratio", "1"),
    (r"涨跌幅?|涨幅|跌幅|涨了|跌了|收益率?"
     r"|\bchange\b|\breturns?\b|\bgain(?:ed)?\b|\b(?:ris|f[ae]ll)en\b|(?:up|down) how",
     "", "涨跌", "change", "percent", "1"),
    (r"收盘价?|现价|(?<![高低均])价格?|股价|多少钱|点位|\bprice\b|\bclose\b|\bquote\b",
     "close[{window}].iloc[-1]", "收盘价",
     "close",
     "price", "1"),
)  # fmt: skip
_NONE = re.compile(
    r"市盈率|市净率|市销率|股息率?|换手率|总?市值|净利润?|营收|每股收益|资金流|北向|融资余额|毛利率"
    r"|(?<![a-z])(?:p/?e|p/?b|peg|roe|eps|turnover rate"
    r"|market cap(?:itali[sz]ation)?|dividend(?: yield)?|earnings)(?![a-z])",
    re.I,
)
_MINUTES = re.compile(
    r"\d*\s*分钟(?:线|K)?|小时线?|分时图?|日内"
    r"|\b(?:\d+[- ]?min(?:ute)?s?|hourly|intraday)\b|季线|年线(?=的)|\bquarterly\b",
    re.I,
)
_WEEKLY = re.compile(
    r"周线|周K|周级别|(?<=\d)\s*周(?:的)?(?:均线|均|移动平均)"
    r"|\bweekly\b|week[- ]?line|\d+[- ]?week (?:moving )?average",
    re.I,
)
_MONTHLY = re.compile(
    r"月线|月K|月级别|(?<=\d)\s*个?月(?:的)?(?:均线|均|移动平均)|\bmonthly\b|\d+[- ]?month (?:moving )?average", re.I
)
_AVERAGE = re.compile(
    r"(?P<a>\d{1,3})\s*[-—]?\s*(?:个?交易日|日|天|周|个?月|days?|weeks?|months?|周期)?\s*(?:的)?"
    r"(?:simple |exponential |moving )*"
    r"(?P<k>均线|日线(?=是|的|多|[?？]|$)|移动平均线?|ma(?![a-z])|sma|ema|average)"
    r"|(?<![a-z])(?P<kk>[se]?ma)\s*[(（]?\s*(?P<b>\d{1,3}(?:\s*[,，、/]\s*\d{1,3})*)",
    re.I,
)
_GIVEN = (
    r"\s*(?:指标|的参数)?\s*(?:[(（]\s*(?P<in>\d{1,4}(?:\.\d+)?(?:\s*[,，、]\s*\d{1,4}(?:\.\d+)?)*)\s*[)）]"
    r"|(?<=[a-z])[-_ ]?(?P<to>\d{1,3})(?![\d年月日号%.]))"
)
_BEFORE = r"(?:(?P<of>\d{1,3})\s*-?\s*(?:个?交易日|日|天|周期|days?|periods?|周|weeks?)\s*(?:的)?\s*(?:period )?)?"


class Asked(NamedTuple):
    """Figures, of which bars, up to which date, and what of the message could not be met (zh, en)."""

    figures: tuple[Figure, ...] = ()
    period: str = "daily"
    end: str = ""
    ignored: tuple[tuple[str, str], ...] = ()
    overbought: bool = False


class Stretch(NamedTuple):
    """A stretch of time: an expression that selects its bars, its last day, and what it is called."""

    where: str
    end: str
    zh: str
    en: str
    first: str = ""


def asked(words: str, today: date) -> Asked:
    """Return the figures that a text asks for. What it wants besides and cannot be had is told in `ignored`.

    >>> asked("宁德时代 RSI(6) 和 20日均线", date(2024, 3, 15)).figures[0][0]
    'rsi(close, 6)'
    >>> asked("周线的MACD", date(2024, 3, 15)).period
    'weekly'
    >>> asked("2024年2月的最高价", date(2024, 3, 15)).figures[0][0]
    'high[(date >= "2024-02-01") & (date <= "2024-02-29")].max()'
    """
    low = words.casefold()
    period = "weekly" if _WEEKLY.search(low) else "monthly" if _MONTHLY.search(low) else "daily"
    found: list[Figure] = []
    ignored: list[tuple[str, str]] = []
    for spec in _SPECS:
        _measured(spec, low, found, ignored)
    plain, taken = low, False
    for match in _AVERAGE.finditer(low):
        taken = True
        kind = "ema" if "ema" in (match["kk"] or match["k"] or "").casefold() or "exponential" in match[0] else "sma"
        for number in re.findall(r"\d+", match["b"] or match["a"]):
            _average(kind, int(number), period, found, ignored)
    plain = _AVERAGE.sub(" ", plain)
    stretch = within(plain, today)
    if not taken or stretch:
        _ranged(_without(plain), stretch, found)
    elif rest := _without(plain):
        _ranged(rest, None, found)
    ignored += [(match[0], match[0]) for match in _NONE.finditer(words)]
    ignored += [(match[0], match[0]) for match in _MINUTES.finditer(words)] if found else []
    if stretch and found:
        found = [_named(item, stretch) for item in found]
    end = stretch.end if stretch and stretch.end < f"{today:%Y-%m-%d}" else ""
    over = bool(re.search(r"超买|超卖|overbought|oversold", low))
    return Asked(tuple(dict.fromkeys(found)), period, end, tuple(dict.fromkeys(ignored)), over)


def _measured(spec: Spec, low: str, found: list[Figure], ignored: list[tuple[str, str]]) -> None:
    """Add the figure of a specification as often as the text names it with other parameters."""
    core = rf"(?:{spec.words})"
    pattern = rf"{_BEFORE}(?<![a-z]){core}(?![a-z]){_GIVEN}?"
    seen = list(re.finditer(pattern, low))
    given = [match for match in seen if match["in"] or match["to"] or match["of"]]
    for match in given or seen[:1]:
        numbers = [
            int(float(text)) for text in re.findall(r"\d+(?:\.\d+)?", match["in"] or match["to"] or match["of"] or "")
        ]
        many = [[number] for number in numbers] if len(spec.defaults) == 1 and len(numbers) > 1 else [numbers]
        for own in many:
            if len(own) > len(spec.defaults) or any(not 0 < number <= 500 for number in own):
                ignored.append((f"参数 {match[0].strip()}", f"the parameters of {match[0].strip()}"))
                own = []
            values = (*own, *spec.defaults[len(own) :])
            found.append((_put(spec.code, values), _put(spec.zh, values), _put(spec.en, values), spec.unit))


def _put(text: str, values: tuple[int, ...]) -> str:
    for at, value in enumerate(values):
        text = text.replace("{" + str(at) + "}", str(value))
    return text


def _average(kind: str, size: int, period: str, found: list[Figure], ignored: list[tuple[str, str]]) -> None:
    if not 1 < size <= 500:
        ignored.append((f"{size} 日均线", f"the {size}-day average"))
        return
    zh, en = {"weekly": ("周", "week"), "monthly": ("月", "month")}.get(period, ("日", "day"))
    mark = " EMA" if kind == "ema" else ""
    found.append(
        (f"{kind}(close, {size})", f"{size} {zh}均线{mark and '（EMA）'}", f"{size}-{en}{mark} average", "price")
    )


def _without(low: str) -> str:
    """Return a text without the names of the indicators, whose words (high, volume) are no question of their own."""
    return re.sub(r"volume ratio|量比|年化|how (high|low)|(upper|lower|middle) (bollinger )?band", " ", low)


def _ranged(low: str, stretch: Stretch | None, found: list[Figure]) -> None:
    """Add what is asked of a stretch of time, or of the last bar where none is named."""
    rest = low
    for words, code, zh, en, unit, default in _RANGED:
        if not re.search(words, rest):
            continue
        rest = re.sub(words, " ", rest)
        if stretch:
            where, first = stretch.where, stretch.first
            made = code.replace("{window}", where) if code else _change(where, first)
            found.append((made, zh, en, unit))
        elif zh == "涨跌":
            found.append(("roc(close, 1)", "当日涨跌", "change of the day", unit))
        elif zh == "收盘价":
            found.append(("close", zh, en, unit))
        elif zh == "距期内高点的回撤":
            found.append(
                ("(close / highest(close, 250) - 1) * 100", "距一年高点的回撤", "drawdown from the year's high", unit)
            )
        elif default == "1":
            plain = code.split("[", 1)[0]
            found.append(
                (plain, zh if plain == "volume" else f"当日{zh}", en if plain == "volume" else f"{en} of the day", unit)
            )
        else:
            bars = default or "250"
            found.append(
                (
                    code.replace("[{window}]", f"[-{bars}:]"),
                    f"{zh}（近 {bars} 根 K 线）",
                    f"{en} (last {bars} bars)",
                    unit,
                )
            )


def _change(where: str, first: str) -> str:
    """Return the change over a stretch: from the last close before it, or from its first open where nothing was."""
    if first.startswith("-"):
        return f"(close.iloc[-1] / close.iloc[{int(first) - 1}] - 1) * 100"
    return f'(close[{where}].iloc[-1] / (close[date < "{first}"].iloc[-1]) - 1) * 100'


def _named(item: Figure, stretch: Stretch) -> Figure:
    code, zh, en, unit = item
    if "date" in code or "[-" in code or "iloc" in code:
        return code, f"{stretch.zh}{zh}", f"{en}, {stretch.en}", unit
    if stretch.end and stretch.first and not stretch.first.startswith("-"):
        return f'({code})[date <= "{stretch.end}"]', zh, en, unit
    return item


_MONTH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def within(low: str, today: date) -> Stretch | None:
    """Return the stretch of time that a text names, None where it names none.

    >>> within("今年的涨幅", date(2024, 3, 15)).where
    '(date >= "2024-01-01") & (date <= "2024-03-15")'
    >>> within("last 20 days", date(2024, 3, 15)).where, within("since 2024-01-05", date(2024, 3, 15)).first
    ('-20:', '2024-01-05')
    """
    days = [
        _day(*map(int, found)) for found in re.findall(r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)", low)
    ]
    dates = [day for day in days if day]
    if len(dates) > 1:
        return _between(min(dates), max(dates))
    if dates:
        if re.search(r"以来|至今|到现在|到今天|起|since|from", low):
            return _between(dates[0], today)
        return _between(dates[0], dates[0])
    if found := re.search(r"(?<!\d)(\d{4})[-/.年]\s*(\d{1,2})(?:月|(?![\d月]))", low):
        return _months(int(found[1]), int(found[2]), low, today)
    if found := re.search(r"\b(" + "|".join(_MONTH) + r")[a-z]*\.?,? (\d{4})\b", low):
        return _months(int(found[2]), _MONTH.index(found[1]) + 1, low, today)
    if found := re.search(
        r"(?:近|最近|过去|last|past|previous)\s*(\d{1,4}|一|两|二|三|五|六|十|半)?\s*-?(个?交易日|日|天|周|个?星期|个?月|年|days?|weeks?|months?|years?)(?!线)",
        low,
    ):
        return _lately(found, today)
    if found := re.search(
        r"(今年|本年|年初至今|年初以来|this year|year to date|\bytd\b)|(去年|last year)"
        r"|(本月|这个?月|this month)|(上个?月|last month)|(本周|这周|this week)|(上周|last week)",
        low,
    ):
        return _calendar(found.lastindex or 1, today)
    if found := re.search(r"(?<![\d])(20\d\d|19\d\d)\s*年?(?![\d-])", low):
        year = int(found[1])
        return _between(date(year, 1, 1), min(date(year, 12, 31), today))
    if found := re.search(r"(?<!\d)(1[0-2]|[1-9])月份?(?!线|均|\d|级)", low):
        month = int(found[1])
        return _months(today.year - (month > today.month), month, low, today)
    if re.search(r"历史|有史以来|上市以来|all[- ]time|\bever\b", low):
        return Stretch('date >= "1900-01-01"', f"{today}", "历史", "of all bars", "1900-01-01")
    if found := re.search(r"52\s*周|52[- ]week", low):
        return Stretch("-250:", f"{today}", "近一年", "last 250 bars", "-250")
    return None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _between(first: date, last: date) -> Stretch:
    told = f"{first}" if first == last else f"{first} 至 {last} "
    told_en = f"{first}" if first == last else f"{first} to {last}"
    return Stretch(
        f'(date >= "{first}") & (date <= "{last}")',
        f"{last}",
        told + (" " if first == last else ""),
        told_en,
        f"{first}",
    )


def _months(year: int, month: int, low: str, today: date) -> Stretch | None:
    first = _day(year, month, 1)
    if first is None:
        return None
    if re.search(r"以来|至今|到现在|since", low):
        return _between(first, today)
    ends = re.findall(r"(?<!\d)(?:(\d{4})[-/.年]\s*)?(\d{1,2})月", low)
    after = [_day(int(y or year), int(m), 1) for y, m in ends]
    last = max([day for day in after if day], default=first)
    last = max(last, first)
    return _between(first, (last.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1))


def _lately(found: re.Match[str], today: date) -> Stretch:
    said = found[1] or "一"
    count = {"一": 1, "两": 2, "二": 2, "三": 3, "五": 5, "六": 6, "十": 10, "半": 0.5}.get(said) or float(said)
    unit = found[2]
    if unit[0] in "日天d" or "交易日" in unit:
        bars = max(int(count), 1)
        return Stretch(f"-{bars}:", f"{today}", f"近 {bars} 根 K 线的", f"last {bars} bars", f"-{bars}")
    size = 7 if unit[0] in "周w" or "星期" in unit else 30.44 if "月" in unit or unit[0] == "m" else 365.25
    return _between(today - timedelta(days=round(count * size)), today)


def _calendar(which: int, today: date) -> Stretch:
    monday = today - timedelta(days=today.weekday())
    month = today.replace(day=1)
    before = (month - timedelta(days=1)).replace(day=1)
    return {
        1: lambda: _between(date(today.year, 1, 1), today),
        2: lambda: _between(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)),
        3: lambda: _between(month, today),
        4: lambda: _between(before, month - timedelta(days=1)),
        5: lambda: _between(monday, today),
        6: lambda: _between(monday - timedelta(days=7), monday - timedelta(days=1)),
    }[which]()
