"""A remark about a security, which asks nothing: its capacity use is falling, wait and see."""

from ia.domain.speech.table import has_form
from ia.kernel.patterns import pattern

_STATES_ZH = (
    r"(?:偏[高低贵弱强多少]|[太过][高低贵弱强多少快慢]|太便宜|(?:很|挺|比较|相当|非常)(?:稳|强|弱|好|差|贵|便宜|高|低|不错|一般)"
    r"|下[降滑行]|上升|放缓|加[快速]|恢复|改善|恶化|回暖|回升|承压|不及预期|超(?:出)?预期|不错|利[好空]|吃紧|过剩|不足|亮眼|稳健|见[顶底]"
    r"|走[强弱]|复苏|疲软|饱满|紧张|扩产|减产|涨价|降价|提价)"
)
_WAITS_ZH = (
    r"(?:先|再|继续|还是)+(?:观察|观望|看看|等等|等一等|拿着|放着|不动)(?:一下|一阵|几天|再说|吧)?|等等看|走一步看一步"
    r"|(?:值得|需要|要)(?:关注|留意|警惕|小心)|不(?:着)?急(?:着买|着卖)?"
)
_REMARK_ZH = pattern(
    rf"^(?!\W*(?:请|帮|看看?|分析|研究|说说|查|给我|把|找|筛|列|按|有)).*?"
    rf"(?:(?<![和与或跟比更最])(?:\S{{2,}}{_STATES_ZH}[了的]?(?=\W*$|[，,。；;、])(?:[，,。；;、].*)?|(?:^|.*[，,。；;])\s*(?:{_WAITS_ZH})))\W*$"
)
_STATES_EN = (
    r"(?:falling|rising|dropping|growing|shrinking|slowing|improving|worsening|recovering|weakening|strengthening|high"
    r"|low|strong|weak|good|bad|poor|solid|healthy|expensive|cheap|dear|pricey|overvalued|undervalued|stretched|stable"
    r"|disappointing|encouraging|promising|overheated|too \w+)"
)
_REMARK_EN = pattern(
    r"^(?!\W*(?:what|which|who|whose|when|where|why|how|do|does|did|is|are|was|were|am|has|have|had|can|could"
    r"|should|would|will|may|any|please|show|tell|list|find|give|compare|analy[sz]e|if|alert|remind|screen)\b).*?"
    r"(?:\b(?:is|are|was|were|has been|have been|keeps?|looks?|seems?|remains?|got|getting)\s+"
    rf"(?:still |now |quite |very |rather |really |already |getting |a bit |a little )*{_STATES_EN}(?:\W*$|[,.;].*$)"
    r"|[,.;]\s*(?:so )?(?:wait and see|(?:i(?:'ll| will| would)|let's|let us|better)(?: just| rather)?"
    r" (?:watch|wait|observe|hold)(?: for now| it| on)?)\W*$)",
)  # fmt: skip


def is_remark(words: str, plain: str) -> bool:
    """Return True if a message says something of the security that it names, and asks nothing.

    words   the message; plain: without the names of securities

    >>> is_remark("宁德时代产能利用率下降，先观察", "产能利用率下降，先观察"), is_remark("茅台贵吗", "贵吗")
    (True, False)
    >>> is_remark("BYD's sales are strong", "'s sales are strong"), is_remark("Is BYD cheap", "Is cheap")
    (True, False)
    """
    if any(has_form(words, form) for form in ("question_form", "reported_question", "condition", "reported_request")):
        return False
    low = plain.casefold()
    return _REMARK_ZH.search(low) is not None or _REMARK_EN.search(low) is not None
