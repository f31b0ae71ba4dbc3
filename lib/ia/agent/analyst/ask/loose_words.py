"""A question that was not read, in plainer words: without courtesies and reasons, slang and slips of typing.

It is looked at only where a question was not understood as it was said, so that nothing that is read is read otherwise.
"""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

from ia.agent.analyst.ask.amounts import find_currencies
from ia.agent.analyst.ask.asides import drop_asides
from ia.agent.analyst.ask.idea_words import load_rows
from ia.agent.analyst.ask.mentions import LONGEST, find_mentions, strip_mentions
from ia.agent.analyst.ask.plain_words import fold_characters
from ia.agent.analyst.voice import count_han
from ia.domain.instruments.boards import trading_currency
from ia.domain.speech.numerals import parse_count, write_digits
from ia.kernel.patterns import compile_pattern, pattern

_SURE = 8
"""Letters of a word of which one may be another."""
_TIMES = 2
"""How often the ways of saying are looked for: one may stand behind another."""
_ANY_DAY = date(2100, 1, 1)
_PARTS = pattern(r"([?？!！;；。]+\s*|，|,\s+(?:and\s+)?)")
"""What stands between the parts of a question; a way of saying may begin or end any of them."""
_WORD = pattern(r"(?<![\w.$'’-])[A-Za-z]{4,}(?![\w.'’-]*\d)(?!\w)")
_LATIN = pattern(r"[a-z]{4,}")
_SHORT = 4
"""Letters of a word in which only two may have changed their places."""
_LEVELS = pattern(
    r"(?:(?<=破)|(?<=[上于到过在回守买投下拿用花放]))[一二两三四五六七八九十]+[百千万][一二两三四五六七八九十百千万]*(?=[点元块美港以了过吗没的买大]|整|关|\W*$)"
)
"""A level or a sum of money in Chinese words: 破三千点."""
_NUMBER = pattern(
    r"(?<![\d一二两三四五六七八九十百千万])[一二两三四五六七八九十](?:[一二两三四五六七八九十百千万]+"
    r"|(?<=十))(?=股|以上|以下|以内|个?点|倍|块|元|[天日]均?线|[天日]平均|个?交易日|天|周|个月|[%％]|\W*$)"
)
"""A number of shares, days or money in Chinese words."""


def loosen_question(text: str) -> str:
    """Return a question in plainer words, to be read where it was not understood; as it was where none is plainer.

    >>> loosen_question("Kindly tell me which dividned Moutai pays")
    'which dividend Moutai pays'
    >>> loosen_question("My wife keeps asking: how much cash do I have"), loosen_question("what is the P/E of BYD")
    ('how much cash do I have', 'what is the P/E of BYD')
    """
    if len(text) > LONGEST:
        return text
    plain = _NUMBER.sub(_write_number, _LEVELS.sub(_write_level, _write_percent(fold_characters(text).strip())))
    plain = drop_asides(plain.lower() if plain.isupper() and " " in plain else plain, _ANY_DAY)
    plain = _put_topic(plain if count_han(plain) else write_digits(plain))
    forms = _load_forms(chinese=count_han(plain) > 0)
    for form, word in forms * _TIMES:
        plain = form.sub(word, plain)
    parts = _PARTS.split(plain)
    for at in range(0, len(parts) if len(parts) > 1 else 0, 2):
        for form, word in forms:
            parts[at] = form.sub(word, parts[at])
    plain = _drop_own_terms(_put_topic("".join(parts)))
    plain = _drop_own_currency(plain)
    plain = re.sub(r" {2,}", " ", _correct_slips(plain)).strip(" ,，;；")
    return plain if re.search(r"\w", plain) else text


def _write_number(found: re.Match[str]) -> str:
    """Return a number in figures."""
    count = parse_count(found[0])
    return found[0] if count is None else f"{count:.10g}"


def _write_level(found: re.Match[str]) -> str:
    """Return a level in figures; a digit after a unit is of the next lower one.

    >>> [_LEVELS.sub(_write_level, text) for text in ("跌破三万一了没", "站上三千点", "拿一千五百块")]
    ['跌破31000了没', '站上3000点', '拿1500块']
    """
    said = found[0]
    tail = said[-1] if said[-1] in _DIGITS and said[-2:-1] in _UNITS else ""
    count = parse_count(said.removesuffix(tail)) if tail else parse_count(said)
    if count is None:
        return said
    return f"{count + (_DIGITS.index(tail) + 1) * _UNITS[said[-2]] / 10 if tail else count:.10g}"


_DIGITS = "一二三四五六七八九"
_UNITS = {"百": 100, "千": 1000, "万": 10000}
_IN_CURRENCY = pattern(
    r"(?<=多少)(?:个)?(?:美[元金刀]|港[币元纸]|元?人民币|元)(?!计|账户)"
    r"|,? in (?:us |hong kong |hk )?(?:dollars?|usd|hkd|yuan|rmb|cny)(?=\W*$)",
    re.I,
)


def _drop_own_currency(text: str) -> str:
    """Return a question without the currency that it asks in, where the securities of it trade in that one.

    >>> _drop_own_currency("英伟达最低跌到多少美元"), _drop_own_currency("英伟达最低跌到多少港元")
    ('英伟达最低跌到多少', '英伟达最低跌到多少港元')
    """
    traded = {trading_currency(each.symbol) for each in find_mentions(text)}
    found = _IN_CURRENCY.search(text)
    if found is None or set(find_currencies(found[0], colloquial=True)) != traded:
        return text
    return text[: found.start()] + text[found.end() :]


def mend_spelling(text: str) -> str:
    """Return a question with the spellings of chats written out.

    A security in front of a question stands where the question says "it".

    >>> mend_spelling("hv i bought anything, n wats up today"), mend_spelling("does Moutai have a watt")
    ('have i bought anything, n what is up today', 'does Moutai have a watt')
    >>> mend_spelling("CATL today, what did it make me")
    'what did CATL make me today'
    """
    if len(text) > LONGEST:
        return text
    for form, word in _load_forms(chinese=count_han(text) > 0, spelling=True):
        text = form.sub(word, text)
    found = _TOPIC.match(text)
    if found is None or not _PRONOUN.search(found["rest"]):
        return text
    named = [each.said for each in find_mentions(found["topic"])] == [found["topic"]]
    return _put_topic(text) if named or _OWN_THINGS.fullmatch(found["topic"]) else text


_OWN_THINGS = pattern(r"my (?:holdings|stocks|shares|positions|account|portfolio|alerts|notes|tasks)", re.I)


_TOPIC = pattern(
    r"\A\W*(?P<topic>(?:my |the )?[\w&./'’-]+(?: [\w&./'’-]+){0,3}?)"
    r"(?P<time> (?:today|yesterday|ytd|(?:this|last) (?:week|month|quarter|year)))?"
    r"(?:[,:;…]| [-–—]+|\.(?= ))\s*(?:and |well |so )?(?P<rest>\S.*)\Z",
    re.I,
)
_ASKED = pattern(
    r"\b(?:what|which|who|when|how|why|where|if|is|are|was|were|do|does|did|has|have|had|can|could|would|should|i|in|on"
    r"|at|for|since|from|by|and|or|vs|past|last|without|except|besides|than|no|not|show|give|tell|list|say|please)\b",
    re.I,
)
"""Words of a question, which no topic in front of one has."""
_PRONOUN = pattern(r"\b(?P<who>it|they|them|that one|this one)(?P<s>'s|'re)?\b|\b(?P<whose>its|their)\b", re.I)
_BEHIND = pattern(
    r"\A(?P<how>how (?:far|close|near|big|large|much|old|high|low|long))(?= from| to| off| above| below| away|\W*\Z)"
    r"|\A(?=(?:up|down|higher|lower|above|below|over|under|better|worse|over(?:bought|sold)|cheap|expensive|dear)\b)",
    re.I,
)
"""A question that says of what it asks only in front."""


def _put_topic(text: str) -> str:
    """Return a question with what stands in front of it in its place.

    >>> _put_topic("semis, how are they doing"), _put_topic("catl today, what did it make me")
    ('how are semis doing', 'what did catl make me today')
    >>> _put_topic("Moutai, was it above its average")
    'was Moutai above its average'
    >>> _put_topic("my alerts, how far from going off"), _put_topic("RSI, KDJ of CATL")
    ('how far are my alerts from going off', 'RSI, KDJ of CATL')
    >>> _put_topic("茅台，它的市盈率多少"), _put_topic("茅台，五粮液哪个贵")
    ('茅台的市盈率多少', '茅台，五粮液哪个贵')
    """
    if count_han(text):
        named = find_mentions(text)
        if len(named) != 1 or not text.startswith(named[0].said):
            return text
        name, rest = named[0].said, text[len(named[0].said) :]
        return name + rest[1:].lstrip().replace("它", "", 1) if rest[:1] in tuple("，,：:。 ") and rest[1:] else text
    found = _TOPIC.match(text)
    if found is None or _ASKED.search(found["topic"]):
        return text
    topic, rest, time = found["topic"], found["rest"], found["time"] or ""

    def put(match: re.Match[str]) -> str:
        if match["whose"]:
            return f"{topic}'s"
        return topic + {"'s": " is", "'re": " are"}.get(match["s"] or "", "")

    whole = _PRONOUN.sub(put, rest, count=1)
    if whole == rest and (behind := _BEHIND.match(rest)):
        verb = "are" if topic.endswith("s") else "is"
        asked = f"{behind['how']} " if behind["how"] else ""
        whole = f"{asked}{verb} {topic} {rest[len(behind[0]) :].strip()}"
    return whole.rstrip(" ?!.") + time if whole != rest else text


def _write_percent(text: str) -> str:
    """Return a text with percentages and days in digits: 百分之三, 两成, 五个点以上, 二月三号."""
    text = _DAY.sub(lambda found: f"{parse_count(found[1]):g}月{parse_count(found[2]):g}日", text)
    text = re.sub(r"零点([一二三四五六七八九])", lambda found: f"{(parse_count(found[1]) or 0) / 10:g}", text)
    text = _TENTHS.sub(lambda found: f"{10 * (parse_count(found[1]) or 0):g}%", text)
    return _PERCENT.sub(lambda found: f"{parse_count(found[1] or found[2]):g}%", text)


_PERCENT = pattern(
    r"百分之([一二三四五六七八九十]+)(?![点几多来百])|([一二两三四五六七八九十]+)个点(?=以上|以下|以内|的|没|吗|了|\W*$)"
)
_DAY = pattern(
    r"(?<![一二三四五六七八九十\d])(十[一二]?|[一二三四五六七八九])月(三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]"
)
_TENTHS = pattern(r"([一二两三四五六七八九])成(?![交本绩都为功立长员分])")


def _drop_own_terms(text: str) -> str:
    """Return a text without what says nothing more of what it names.

    That is the currency of a price where it is quoted in that, and that a year is a fiscal one where the books close
    with the calendar's: a company of the US may have another year.

    >>> _drop_own_terms("腾讯最高价多少港元"), _drop_own_terms("腾讯最高价多少美元")
    ('腾讯最高价多少', '腾讯最高价多少美元')
    >>> _drop_own_terms("revenue of Moutai in fiscal 2022"), _drop_own_terms("revenue of Apple in fiscal 2022")
    ('revenue of Moutai in 2022', 'revenue of Apple in fiscal 2022')
    """
    named = find_mentions(text)
    if named and all(each.symbol.market == "CN" for each in named):
        text = _FISCAL.sub("", text)
    plain = strip_mentions(text)
    at_home = _REPORTED.search(plain) and all(each.symbol.market == "CN" for each in named)
    if not (at_home or _PRICE.search(plain)) or any(each.symbol.kind == "index" for each in named):
        return text
    quoted = {trading_currency(each.symbol) for each in named}
    return _CURRENCIES[quoted.pop()].sub("", text) if len(quoted) == 1 and quoted <= set(_CURRENCIES) else text


_FISCAL = pattern(r"\b(?:fiscal(?: year)?|fy) ?(?=(?:19|20)\d\d\b)", re.I)
_PRICE = pattern(
    r"收盘|开盘|最[高低]|股价|价[格位]|均价|\b(?:clos\w+|open(?:ed|ing)?|highest|lowest|price|average cost)\b", re.I
)
_REPORTED = pattern(r"利润|营收|收入|市值|\b(?:profits?|revenues?|sales|market (?:cap|value)|cash flow)\b", re.I)
"""What companies of the mainland report in yuan."""
_CURRENCIES = {
    "CNY": pattern(r"(?<=[少几])(?:元|块钱?|人民币)|(?<=\w) in (?:yuan|rmb|cny)\b", re.I),
    "HKD": pattern(r"(?<=[少几])(?:港[元币纸]|块钱?)|(?<=\w) in (?:hong kong dollars|hk dollars|hkd)\b", re.I),
    "USD": pattern(r"(?<=[少几])(?:美[元金]|块钱?)|(?<=\w) in (?:us dollars|dollars|usd)\b", re.I),
}
"""How the currencies of prices are called behind what is asked."""


@cache
def _load_forms(*, chinese: bool, spelling: bool = False) -> list[tuple[re.Pattern[str], str]]:
    """Return the ways of saying of loose_words.tsv in one of the languages, and what is plainer.

    spelling  only the spellings that are always mended
    """
    return [
        (compile_pattern(form.removeprefix(_SPELLING), re.I), word)
        for form, word in load_rows("loose_words.tsv")
        if (count_han(form) > 0) == chinese and form != _ENGLISH and form.startswith(_SPELLING) >= spelling
    ]


_SPELLING = "!"
_ENGLISH = "english"
"""The row of words that are no slips of those that the tables know."""


def _correct_slips(text: str) -> str:
    """Return a text whose words with one slip are those that the tables know; names and other words stay."""
    named = strip_mentions(text, "\0")

    def correct(found: re.Match[str]) -> str:
        word = found[0]
        if not word[1:].islower() or word not in named:
            return word
        if word[-1] == "s" and word not in _load_known_words()[0] and find_mentions(word[:-1]):
            return f"{word[:-1]}'s"
        return _find_meant(word.lower()) or word

    return _WORD.sub(correct, text)


@cache
def _find_meant(word: str) -> str:
    """Return the word that one with a slip means; "" where none is meant, or one of several.

    A slip leaves a letter out, doubles or adds one, or changes the places of two; in a long word one may be another.

    >>> _find_meant("comming"), _find_meant("recieved"), _find_meant("divident"), _find_meant("latter")
    ('coming', 'received', 'dividend', '')
    """
    known, slips = _load_known_words()
    if word in known or any(word.removesuffix(end) in known for end in ("s", "es", "d", "ed", "ing", "er", "ly")):
        return ""
    meant = {other for cut in _cut(word) for other in slips.get(cut, ()) if _is_slip(word, other)}
    meant = {other for other in meant if sorted(other) == sorted(word)} or meant
    return meant.pop() if len(meant) == 1 else ""


def _is_slip(word: str, other: str) -> bool:
    if word[0] != other[0] or abs(len(word) - len(other)) > 1:
        return False
    if len(word) != len(other) and min(len(word), len(other)) <= _SHORT:
        return False
    if len(word) != len(other):
        longer, shorter = sorted((word, other), key=len, reverse=True)
        ends = longer[:-1] == shorter and (longer[-1] in "sdrny" or len(shorter) < _SURE)  # "shares" is another word
        return not ends and any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))
    differ = [at for at in range(len(word)) if word[at] != other[at]]
    if len(differ) == 1:
        return len(word) >= _SURE
    swapped = len(differ) == 2 and differ[1] == differ[0] + 1
    return swapped and word[differ[0]] == other[differ[1]] and word[differ[1]] == other[differ[0]]


def _cut(word: str) -> Iterator[str]:
    """Yield a word, and it without each of its letters."""
    yield word
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]


@cache
def _load_known_words() -> tuple[frozenset[str], dict[str, set[str]]]:
    """Return the words that the tables know or that are other words, and the former by what is left of each."""
    texts = [row[0] for row in load_rows("near_questions.tsv")]
    texts += [row[1] for name in ("ideas.tsv", "own_ideas.tsv", "idle_words.tsv") for row in load_rows(name)]
    found = {word for text in texts for word in _LATIN.findall(text.lower())}
    others = {word for form, words in load_rows("loose_words.tsv") if form == _ENGLISH for word in words.split()}
    slips: dict[str, set[str]] = {}
    for word in found:
        for cut in _cut(word):
            slips.setdefault(cut, set()).add(word)
    return frozenset(found | others), slips
