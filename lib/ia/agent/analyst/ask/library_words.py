"""Questions for what the owner's documents say: "what does my library say about position sizing"."""

from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

_SHELF_EN = r"(?:library|books?|documents?|papers?|knowledge ?base|e-?books?|pdfs?|bookshelf|reading)"
_SAYS_EN = r"(?:say|tell|write|mention|teach|advise|recommend|suggest|think)s?"
_SHELF_ZH = r"(?:资料库?|知识库|藏书|书架|书籍|书本|书(?=里|中|上|怎么|是怎么|对)|文档|文献|论文|电子书)"
_ASKS = pattern_by_letters(
    rf"\b(?:what|how|which|where) (?:do|does|did|is|are)\b.{{0,20}}?\bmy (?:own )?{_SHELF_EN}\b"
    rf"(?: {_SAYS_EN}(?: (?:me|us))?)? ?(?:about|of|on|for|regarding)?"
    r"(?P<en>.*)"
    rf"|\b(?:search|look (?:up )?in|consult|ask|check|according to)\b (?:through )?my (?:own )?{_SHELF_EN}\b"
    r"(?: (?:for|about|on|regarding))?[:,]?(?P<en2>.*)"
    rf"|\bdoes my {_SHELF_EN} (?:say|mention|have|tell)\b(?: (?:me )?(?:anything|something))?(?: (?:about|on|of))?"
    r"(?P<en3>.*)"
    rf"|(?:我的?|自己的|我那些|我这些){_SHELF_ZH}(?:里面?|中|上|里头)?(?:都|是|对|关于|有没有|有关)*(?P<zh2>.{{0,30}}?)"
    r"(?:是?怎么|如何|有没有|都?有什么|有哪些|怎样)?(?:说|讲|写|提到?|看待?|建议|解释|论述|介绍)(?:到|过|了|的)?"
    r"(?:关于)?(?P<zh>.*)"
    rf"|(?:在|从|查|搜|检索|翻)(?:一下|查)?(?:我的?|自己的){_SHELF_ZH}(?:里面?|中|上)?(?:里)?(?:查|搜|找|检索)?(?:一下)?"
    r"(?:关于)?(?P<zh3>.+)",
    2,
)
_EDGES = pattern(r"^[\s?？。.!！,，:：\"“”'的吗呢么]+|[\s?？。.!！,，:：\"“”'的吗呢么]+$")


def find_library_topic(words: str) -> str | None:
    """Return what a question asks the owner's documents about; None for another, "" where it names nothing.

    >>> [find_library_topic(text) for text in ("what does my library say about stops?", "我的资料里怎么说止损")]
    ['stops', '止损']
    >>> find_library_topic("how is Moutai?"), find_library_topic("search my books for stop losses")
    (None, 'stop losses')
    """
    found = _ASKS.search(words[:400])
    if found is None:
        return None
    told = [found[name] or "" for name in ("en", "en2", "en3", "zh2", "zh", "zh3")]
    return " ".join(part for each in told if (part := _EDGES.sub("", each)))
