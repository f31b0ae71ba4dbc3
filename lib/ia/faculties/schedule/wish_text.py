"""The pieces of a wish in Chinese or English: numbers, times of day, weekdays, zones and markets.

A wish is read on a copy of the same length, in which traditional characters and wide digits are plain and quotations
are blanked: what a person only quotes says nothing about when.
"""

import re
from functools import cache

from ia.kernel.errors import BadData

GONE, QUOTED = "\x00", "\x01"
_PLAIN = {
    ord(pair[0]): pair[1]
    for pair in re.findall(
        r"\S\S",
        "週周 個个 點点 盤盘 後后 鐘钟 幫帮 時时 間间 覆复 開开 號号 東东 試试 "
        "當当 發发 擾扰 靜静 釘钉 飛飞 書书 電电 報报 郵邮 聞闻 紐纽 約约 倫伦 "
        "國国 兩两 複复 無无 閉闭 訊讯 聽听 說说 話话 這这 樣样 錯错 補补 檢检 "
        "過过 結结 敗败 終终 內内 達达 為为 與与 匯汇 總总 紀纪 錄录 掃扫 篩筛 "
        "回回 顧顾 動动 變变 轉转 買买 賣卖 關关 閒闲 歸归 務务 設设 執执 據据 "
        "滬沪 證证 創创 納纳 麼么 對对 會会 樂乐 讓让 從从 給给 請请 標标 ：: "
        "／/ ＊* ，,",
    )
} | {0xFF10 + digit: str(digit) for digit in range(10)}
_QUOTES = re.compile(
    r"“[^“”\n]*”|「[^「」\n]*」|『[^『』\n]*』|‘[^‘’\n]*’|\"[^\"\n]*\"|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)"
)

DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ENGLISH = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty",
)
ENGLISH = {word: value for value, word in enumerate(_ENGLISH)} | {
    "a": 1,
    "an": 1,
    "once": 1,
    "twice": 2,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "forty-five": 45,
    "couple of": 2,
    "a couple of": 2,
    "other": 2,
    "second": 2,
    "third": 3,
}
ZH_NUMBER = r"(?:\d{1,4}|[零〇一二两三四五六七八九十]{1,3})"
EN_NUMBER = r"(?:\d{1,4}|" + "|".join(sorted(map(re.escape, ENGLISH), key=len, reverse=True)) + r")"

_WEEK_ZH = {
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "日": 0,
    "天": 0,
    "七": 0,
    **{str(n): n % 7 for n in range(1, 8)},
}
_WEEK_EN = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

ZONES = (
    (r"北京时间|上海时间|中国时间|\b(?:beijing|shanghai|china) time\b|\bCST\b", "Asia/Shanghai"),
    (r"香港时间|\bhong ?kong time\b|\bHKT\b", "Asia/Hong_Kong"),
    (r"(?:纽约|美东|美国东部)时间|\b(?:new york|eastern) time\b|\b(?:ET|EST|EDT)\b", "America/New_York"),
    (r"(?:加州|洛杉矶|旧金山|美西)时间|\b(?:pacific|san francisco|california) time\b|\b(?:PT|PST|PDT)\b",
     "America/Los_Angeles"),
    (r"伦敦时间|英国时间|\b(?:london|uk) time\b", "Europe/London"),
    (r"(?:柏林|法兰克福|德国)时间|\b(?:frankfurt|german) time\b", "Europe/Berlin"),
    (r"(?:东京|日本)时间|\bjapan time\b|\bJST\b", "Asia/Tokyo"),
    (r"新加坡时间", "Asia/Singapore"),
    (r"世界标准时间|世界时|\b(?:UTC|GMT)\b(?! ?[+-]\d)(?: time)?", "UTC"),
    (r"东八区(?:时间)?", "Asia/Shanghai"),
)  # fmt: skip
_IANA = re.compile(
    r"[(（]?(?:时区\s*|\b(?:time ?)?zone\s+)?(?<![\w/])([A-Z]+/[A-Z_]+(?:/[A-Z_]+)?)(?![\w/])(?:\s*(?:时区"
    r"|时间|time\b))?[)）]?",
    re.I | re.A,
)
_UTC = re.compile(
    r"[(（]?\b(?:UTC|GMT) ?(?P<sign>[+-]) ?(?P<h>\d{1,2})(?P<m>:?\d\d)?(?!\d)(?:\s*(?:时间|时区|time\b))?[)）]?",
    re.I | re.A,
)
_CITY = re.compile(r"\b([A-Z][a-z]+(?: [A-Z][a-z]+)?) time\b")

MARKETS = (
    (
        "US",
        r"美股|美国股市|美国市场|美国股票|纳斯达克|纳指|标普|道琼斯|道指|纽交所"
        r"|\bUS (?:market|stock|exchange)s?\b|\bthe US\b"
        r"|\bNASDAQ\b|\bNYSE\b|\bS&P\b|\bWall Street\b|\b(?:SPY|QQQ|SPX)\b|\bU\.S\.|\bamerican (?:market|stock)s?\b"
        r"|\bnew york (?:close|open|market)s?\b|\bUS trading\b|\bafter US close\b",
    ),
    ("HK", r"港股|港交所|香港市场|香港股市|恒生|恒指|\.HK\b|\bhong kong\b|\bHK\b|\bHKEX\b|(?<!\d)0\d{4}(?!\d)"),
    (
        "CN",
        r"[Aa]股|沪深|沪指|上证|深证|深成指|创业板|科创板|北交所|\.S[HZ]\b|(?<!\d)[036]\d{5}(?!\d)|\bA-shares?\b"
        r"|\bshanghai\b|\bshenzhen\b|\bchina\b",
    ),
)
_TICKER = re.compile(r"(?<![A-Za-z0-9./_-])\$?([A-Z]{1,5})(?![A-Za-z0-9/_-]|\.[A-Za-z0-9])")
_NO_TICKER = frozenset(
    re.findall(
        r"[A-Z]+",
        "A I AI AM PM API ADX ATR BOLL CCI CEO CFO CNY CPI CSI CSV DATE DCF DIF DEA DMI DONE EMA EPS ESG EST EDT ET ETF"
        " EUR EV FCF GDP GMT HKD HSI IA ID IM IPO IT JSON K KDJ LOF M MA MACD MFI NAV NPV OBV OK P PB PDF PE PEG PMI"
        " PPI PS PT Q QQ REIT RMB ROA ROE ROI RSI SAR SMA SMS SOP ST T TD TIME TODO TOP TTM URL US USD UTC VIX VWAP"
        " WMA WR Y YAML YTD HK CN JPY GBP",
    )
)
EXCHANGE_ZONE = {"CN": "Asia/Shanghai", "HK": "Asia/Hong_Kong", "US": "America/New_York"}


class Wish:
    """A wish while it is read: what was understood is taken out of it, and what is left is what is to be done.

    repeated  stretches that say once more what was understood, and stay: 每天 15:00 触发每日复盘
    """

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())
        self.whole = self.text.translate(_PLAIN)
        self.plain = _QUOTES.sub(lambda found: QUOTED * len(found[0]), self.whole)
        self.repeated: list[tuple[int, int]] = []

    def take_match(self, pattern: re.Pattern[str], *, quoted: bool = False) -> re.Match[str] | None:
        """Return the first place that fits, and take it out. quoted: look into quotations too."""
        found = pattern.search(self._mask_quotations() if quoted else self.plain)
        if found is not None:
            self.drop_span(*found.span())
        return found

    def drop_span(self, start: int, end: int) -> None:
        """Take a stretch out."""
        self.plain = self.plain[:start] + GONE * (end - start) + self.plain[end:]

    def text_between(self, start: int, end: int) -> str:
        """Return what stands between two stretches, as read."""
        return self.plain[start:end]

    def remaining_text(self) -> str:
        """Return what nobody took, as it was written."""
        kept = "".join(GONE if plain == GONE else char for plain, char in zip(self.plain, self.text, strict=True))
        return _tidy_sentence(kept)

    def _mask_quotations(self) -> str:
        pairs = zip(self.plain, self.whole, strict=True)
        return "".join(char if plain == QUOTED else plain for plain, char in pairs)


_MARK = r"[\s,，、;；.。:：!！]"
_FILLER = re.compile(
    r"^(?:(?:请|請|麻烦你?|麻煩你?|劳驾|帮我|幫我|帮忙|幫忙|替我|给我|給我|为我|為我|我想要?你?|我要你?|我希望你?|希望你?|你|要|自动地?|定时地?|定期地?|触发(?=\S)|的时候|时候|时(?!间|代|机)"
    r"|之后|以后|后(?!续|市|面)|就|都|再|并且?|然后|在|于|的|地|一次|来)(?=\S)"
    r"|(?:please|can you|could you|would you|i want you to|i'd like you to|you should|and then|and|then|to|at|on|in|of"
    r"|the task(?: is)?(?: to)?|automatically|also)\b[ ,:]*|[\s,，、;；.。:：!！]+)",
    re.I,
)
_DANGLING = re.compile(
    r"(?:(?<=\w\w),?\s+please|\b(?:at|on|in|from|of|by|and|then|a|an|the|for|to|with)|[在于并和，,、;；:：.。!！\s]|并且|然后|(?<=\w\w)一次)$",
    re.I,
)


def _tidy_sentence(kept: str) -> str:
    """Return what is left of a wish as a sentence: without the stubs that taking out left at its ends and seams."""

    def join_seam(found: re.Match[str]) -> str:
        before, after = found[1], found[2]
        if found.start() == 0 or found.end() == len(kept):
            return ""
        if re.search(r"[,，、;；.。]", before + after):
            sign = next(char for char in before + after if char in ",，、;；.。")
            return sign if sign in "，、；。" else f"{sign} "
        return " " if before or after else ""

    kept = re.sub(rf"(?<={GONE})[\s,，]*(?:\b(?:and|but)\b|[和与及且但])[\s,，]*(?={GONE})", GONE, kept)
    kept = re.sub(rf"[(（\[【]\s*{GONE}[{GONE}\s,，、]*[)）\]】]", GONE, kept)
    text = re.sub(rf"({_MARK}*){GONE}(?:{_MARK}*{GONE})*({_MARK}*)", join_seam, kept)
    for pattern in (_FILLER, _DANGLING):
        while (found := pattern.search(text)) and found[0]:
            text = text[found.end() :] if pattern is _FILLER else text[: found.start()]
    return " ".join(text.split())


def parse_number(said: str) -> int:
    """Return a number that was written in digits, Chinese or English: 15, 十五, 两, fifteen, twice."""
    said = said.strip().casefold()
    if said.isdecimal():
        return int(said)
    if said in ENGLISH:
        return ENGLISH[said]
    if "十" in said:
        tens, _, ones = said.partition("十")
        return (DIGITS[tens[0]] if tens else 1) * 10 + (DIGITS[ones[0]] if ones else 0)
    value = 0
    for char in said:
        value = value * 10 + DIGITS[char]
    return value


def parse_minutes(amount: str, unit: str) -> int:
    """Return how many minutes `半`, `两` or `3` of a unit (分钟, 小时, hours, days, 周) are."""
    size = next(
        size
        for units, size in (
            (("周", "星期", "礼拜", "week"), 7 * 1440),
            (("天", "日", "d"), 1440),
            (("小时", "钟头", "h"), 60),
            (("分", "m"), 1),
        )
        if unit.casefold().startswith(units)
    )
    if amount.strip().casefold() in ("半", "half", "half a", "half an"):
        return size // 2
    return parse_number(amount) * size if amount.strip() else size


def parse_weekday(said: str) -> int:
    """Return a weekday as cron counts it: Sunday is 0."""
    if said in _WEEK_ZH:
        return _WEEK_ZH[said]
    return _WEEK_EN.index(said.casefold()[:3])


def take_zone(said: Wish) -> str:
    """Return the IANA zone that a wish names, and take it out; "" where it names none."""
    for pattern, name in _zone_patterns():
        if said.take_match(pattern):
            return name
    for found in _IANA.finditer(said.plain):
        if name := _zones_by_lowercase().get(found[1].casefold(), ""):
            said.drop_span(*found.span())
            return name
    if shifted := said.take_match(_UTC):
        return _offset_zone(shifted)
    for city in _CITY.finditer(said.plain):
        wanted = city[1].replace(" ", "_")
        name = next((each for each in sorted(_all_zone_names()) if each.rpartition("/")[2] == wanted), "")
        if name:
            said.drop_span(*city.span())
            return name
    return ""


def _offset_zone(found: re.Match[str]) -> str:
    """Return the zone of UTC+8: of China, and for other hours one of that name, which counts the other way."""
    hours = int(found["sign"] + found["h"])
    name = "Asia/Shanghai" if hours == 8 else "UTC" if hours == 0 else f"Etc/GMT{-hours:+d}"
    if (found["m"] or "").strip(":0") or not is_known_zone(name):
        raise BadData(
            "{said}: unknown time zone",
            said=found[0].strip("()（） "),
            hint="use a city: Asia/Kolkata, Australia/Adelaide",
        )
    return name


def find_zone(text: str) -> str:
    """Return the IANA zone that a text names (北京, UTC+8, asia/shanghai); the text itself where it names none.

    raises  BadData for UTC+5:30.
    """
    return (
        text
        if not text or is_known_zone(text)
        else take_zone(Wish(text)) or take_zone(Wish(f"{text}时间")) or take_zone(Wish(f"{text} time")) or text
    )


@cache
def _zones_by_lowercase() -> dict[str, str]:
    return {name.casefold(): name for name in _all_zone_names()}


@cache
def _zone_patterns() -> list[tuple[re.Pattern[str], str]]:
    around = r"(?:[(（]?(?:按|以|用)?\s*(?:{})(?:为准)?[)）]?)"
    return [(re.compile(around.format(words), re.I if "\\b[A-Z]" not in words else 0), name) for words, name in ZONES]


@cache
def _all_zone_names() -> frozenset[str]:
    from zoneinfo import available_timezones

    return frozenset(available_timezones())


def is_known_zone(name: str) -> bool:
    """Whether a name is an IANA zone."""
    return name in _all_zone_names()


_OVERNIGHT = re.compile(
    r"(?:隔夜|昨夜|昨晚|前一?晚|夜间)[^,，。;；]*|\b(?:overnight|last\s+night(?:'s)?)\b[^,.;]*"
    r"|\b(?:the\s+)?(?:US|U\.S\.|american|wall\s+street)\b[^,.;]{0,30}\bovernight\b",
    re.I,
)
"""What is to be told of the night before: a market in it says nothing of when."""
_MARKET_DAY = re.compile(
    r"(?:美股|港股|[Aa]股|沪深|美国|香港|中国)的?\s*交易日"
    r"|\b(?:US|HK|hong kong|chinese?)\s+(?:trading|market)\s+days?\b",
    re.I,
)
_BEHIND_BELL = re.compile(r"\s*(?:of|in|on)\s+(?:the\s+)?[\w.&]+(?:\s+(?:kong|street|market|york))*", re.I)


def find_market(said: Wish) -> str:
    """Return the exchange that a wish is about: US, HK or CN; "" where it says nothing, or names several securities."""
    return _market_of(_OVERNIGHT.sub(" ", said.plain)) or _market_of_tickers(said.plain)


def find_market_of_bell(said: Wish, start: int, stop: int) -> str:
    """Return the exchange that is named beside a bell (美股开盘前) or a day (美股交易日), or of the securities named.

    Markets elsewhere are what is to be told: 开盘前汇总美股.
    """
    behind = _BEHIND_BELL.match(said.whole, stop)
    days = " ".join(found[0] for found in _MARKET_DAY.finditer(said.whole))
    beside = said.whole[max(start - 4, 0) : behind.end() if behind else stop]
    return _market_of(f"{beside} {days}") or _market_of_tickers(said.plain)


def _market_of(text: str) -> str:
    return next((code for code, words in MARKETS if re.search(words, text, re.I if code != "CN" else 0)), "")


def _market_of_tickers(text: str) -> str:
    """Return the market of the tickers of a text: CATL and BYD are names of securities of China; "" for several."""
    from ia.domain.instruments.symbols import resolve_security
    from ia.kernel.errors import IaError

    found = set()
    for name in (each[1] for each in _TICKER.finditer(text)):
        if name not in _NO_TICKER:
            try:
                found.add(resolve_security(name).market)
            except IaError:  # could be several
                found.add("")
    return found.pop() if len(found) == 1 else ""
