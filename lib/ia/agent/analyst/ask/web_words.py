"""Wishes for research on the web: "search the web for the new settlement rule", “上网查一下新的交易规则”."""

from ia.kernel.patterns import pattern

_WEB_EN = r"(?:the (?:web|internet)|online)"
_ASKS = pattern(
    r"\b(?:search|look|check|browse|research)(?: it)?(?: up)? (?:(?:on|in|through) )?the (?:web|internet)\b"
    r"(?: (?:for|about|on))?[:,]?(?P<en>.*)"
    r"|\b(?:search|look) online (?:for|about) (?P<en2>.+)"
    rf"|\b(?:look up|search for|research|find|check) (?P<en3>.+?) (?:on )?{_WEB_EN}[\s?？.!]*$"
    r"|\bwhat (?:does|do|is|are) (?:the (?:web|internet)|people online|websites)\b.{0,12}?"
    r"(?:say|saying|think)(?: about| on| of)? (?P<en4>.+)"
    r"|(?:上网|联网|在?网上|互联网上|网络上)(?:帮我)?(?:去|来)?(?:查|搜|找|检索)(?:一下|一查|一搜|索|询|找)?(?:关于)?[:：]?(?P<zh>.+)"
    r"|(?:百度|谷歌)(?:搜)?一下(?!子)[:：]?(?P<zh2>.+)"
    r"|网上(?:都)?(?:是)?(?:怎么|如何)(?:说|看待?|评价)(?P<zh3>.+)",
    2,
)
_EDGES = pattern(r"^[\s?？。.!！,，:：\"“”'的]+|[\s?？。.!！,，:：\"“”'的吗呢么吧]+$")


def find_web_topic(words: str) -> str | None:
    """Return what a message wishes to be looked for on the web; None for another, "" where it names nothing.

    >>> [find_web_topic(text) for text in ("search the web for the T+0 rule", "上网查一下印花税的历史")]
    ['the T+0 rule', '印花税的历史']
    >>> [find_web_topic(text) for text in ("check the net profit", "百度一下子跌了")]
    [None, None]
    """
    found = _ASKS.search(words[:400])
    if found is None:
        return None
    told = [found[name] or "" for name in ("en", "en2", "en3", "en4", "zh", "zh2", "zh3")]
    return " ".join(part for each in told if (part := _EDGES.sub("", each)))
