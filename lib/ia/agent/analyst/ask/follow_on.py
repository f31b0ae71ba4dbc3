"""Questions that go on with the one before: "and last month?", "那市净率呢", "工行呢". They are read as whole ones."""

import re
from datetime import date

from ia.agent.analyst.ask.follow_again import ask_again
from ia.agent.analyst.ask.follow_asides import drop_asides
from ia.agent.analyst.ask.follow_company import ask_of_company, turn_ranking
from ia.agent.analyst.ask.follow_ends import (
    ask_other_average,
    ask_other_extreme,
    ask_other_figure,
    ask_other_place,
    measure_from_there,
    place_in,
    say_distance,
)
from ia.agent.analyst.ask.follow_lists import (
    add_condition,
    ask_move_of,
    ask_of_list,
    change_industry,
    name_leader,
    rank_again,
    rank_industry,
)
from ia.agent.analyst.ask.follow_moves import ask_of_moves
from ia.agent.analyst.ask.follow_names import (
    ask_better,
    ask_measure_of,
    hold_against,
    name_index,
    replace_parts,
    set_beside,
)
from ia.agent.analyst.ask.follow_own import (
    ask_about_spoken,
    ask_after_figure,
    ask_after_view,
    ask_alert_of,
    ask_of_record,
    ask_own_holding,
    change_again,
)
from ia.agent.analyst.ask.follow_points import ask_pointed, carry_time
from ia.agent.analyst.ask.follow_same import ask_of_line, change_between, put_same_time
from ia.agent.analyst.ask.follow_steps import (
    ask_among,
    change_amount,
    change_currency,
    change_source,
    find_other_market,
    name_same,
    narrow,
    turn_round,
)
from ia.agent.analyst.ask.follow_terms import ask_still, ask_term_again
from ia.agent.analyst.ask.follow_times import (
    ask_day_or_rest,
    ask_of_that_day,
    ask_period_before,
    compare_times,
    step_day,
    step_over,
)
from ia.agent.analyst.ask.follow_words import (
    ELSEWHERE,
    ITS,
    LEAD,
    LONGEST,
    MEASURE,
    NOTHING,
    NOW,
    OWNER,
    SUPERLATIVE,
    TAIL,
    attach_names,
    drop_lead,
    drop_times,
    find_named,
    is_bare,
    is_chinese,
    name_spoken,
)
from ia.agent.analyst.ask.mentions import Mention, find_mentions, strip_mentions
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.ask.supposed_moves import suppose_again
from ia.agent.analyst.ask.time_spans import DAY, UNREAD, blank_spans, find_time_spans
from ia.kernel.patterns import pattern

_THEM = pattern(
    r"[它他她]们|[它他她]俩|这俩|那俩|两者|二者|[这那]?两[只个家支]"
    r"|\b(?:them|they|both|those|these(?: two)?|their|the two)\b",
    re.I,
)
_AGAINST = pattern(
    r"(?:\b(?:is|was) (?:it|that|this) (?:any )?(?:more|less|higher|lower)\b|比|跟|和|与|较|\bcompared (?:to"
    r"|with)\b|\bversus\b|\bvs\.?|\bthan\b|相比|比较|呢)",
    re.I,
)
_EXTENT_OF = pattern(
    r"\b(?:is|was|were|are|it|that|this|then|price|close)\b|\b(?:more|less|higher|lower|up|down|better"
    r"|worse)(?: (?=than))?\b"
    r"|(?:的时候)?(?:[涨跌]|[多少高低])了?(?:多少|几)?(?:个?点|钱|[个只])?(?:吗|没有?)?\W*$",
    re.I,
)
_WHICH = pattern(
    r"^\W*(?:哪|谁|最|第一|which|who"
    r"|(?:by |with )?(?:the )?(?:highest|lowest|best|worst|biggest|largest|smallest|cheapest|priciest|dearest|most"
    r"|least)\b)",
    re.I,
)
_LIST = pattern(r"(?:我的?)?(?:自选股?|关注列表|持仓股?)|\bmy (?:watch ?list|holdings|positions)\b", re.I)
_WHICH_ONE = pattern(r"^\W*(?:哪一?[个只家支]|谁|which(?! (?:stock|share|sector|day|month|year|industr))|who)", re.I)


def find_subject(before: list[str], today: date) -> list[Mention]:
    """Return the securities that the questions before were about at last; [] where that was something else.

    >>> day = date(2024, 3, 15)
    >>> [each.code for each in find_subject(["茅台市盈率", "市净率"], day)]
    ['600519.SH']
    >>> find_subject(["茅台", "大盘今天涨了吗"], day)
    []
    """
    return find_named(read_before(before, today)[0])


_UNREAD_STEP = pattern(r"\W*(?:(?:and|so|but)\b[, ]*)?(?:is|was|are|were) (?:that|it|this|they|those)\b", re.I)
"""A question about the answer before it, which names nothing by itself."""


_IT_DEALT = pattern(r"\b(buy|bought|sell|sold|hold|held|own) it\b", re.I)


def read_before(before: list[str], today: date) -> tuple[str, list[Mention]]:
    """Return the last of some questions as a whole one, and the securities that they named, the newest last."""
    whole = ""
    recent: dict[str, Mention] = {}
    for said in map(_plain_end, drop_asides(before)[-6:]):
        done = _complete(said, whole, list(recent.values()), today)
        if done == said and whole and (plain := simplify_question(said)) != said:
            again = _complete(plain, whole, list(recent.values()), today)
            done = said if again == plain else again
        if done == said and whole and _UNREAD_STEP.match(said):
            continue
        if whole and not find_mentions(done) and len(spoken := find_named(whole)) == 1:
            done = _IT_DEALT.sub(rf"\1 {spoken[0].said}", done)
        if done == said and is_bare(said) and not find_mentions(said):
            done = attach_names(find_named(whole), said)
        whole = simplify_question(done)
        for each in find_mentions(whole):
            recent.pop(each.code, None)
            recent[each.code] = each
    return whole, list(recent.values())


def complete_question(question: str, before: list[str], today: date) -> str:
    """Return a question as a whole one: with the security, the time or the figure that it takes from those before it.

    >>> day = date(2024, 3, 15)
    >>> complete_question("and last month?", ["BYD price"], day)
    'BYD price last month'
    >>> complete_question("工行呢", ["平安银行市净率"], day)
    '工行市净率'
    >>> complete_question("How about on 1 March?", ["BYD price", "and last month?"], day)
    'BYD price on 1 March'
    >>> complete_question("那它们去年涨跌呢", ["茅台和五粮液谁贵"], day)
    '茅台、五粮液去年涨跌'
    """
    whole, recent = read_before(before, today)
    question = _plain_end(question) if whole else question
    if len(before) > 1 and (between := change_between(question, whole, read_before(before[:-1], today)[0], today)):
        return between
    done = _complete(question, whole, recent, today)
    plain = simplify_question(question)
    if done == question and whole and plain != question:
        again = f"{plain}呢" if question.rstrip("?？ 。").endswith("呢") else plain
        said = _complete(again, whole, recent, today)
        done = question if said == again else said
    return ask_better(done, whole, today) or done


_AMEND = pattern(
    r"^\W*(?:(?:不对|不是|错了|搞错了?|说错了?|弄错了?|哦不|(?:我|刚才|我刚才)说错了?|更正一?下?)[，,。!！ ]*)?"
    r"(?:我(?:刚才?|其实)?(?:想?问|说|指|要问|想说|看)的?(?:是|的是)|我的意思是|是说|应该(?:是|问)|那?(?:换成"
    r"|改成|换做|换|改为|改问)|是)"
    r"\s*(?P<core>[^，,。]+?)(?:的|吧|呢)?\W*$"
)
"""What amends the question before: another security, or another time, is meant."""
_NTH = pattern(
    r"^\W*(?:那|那么)?(?:(?P<first>前者|第[一1](?:只|个|家|支))|(?P<second>后者|第[二2](?:只|个|家|支))"
    r"|(?P<third>第[三3](?:只|个|家|支)))的?(?P<rest>\S.*)$"
)
"""One of several that the question before named, in its order."""
_BOTH = pattern(
    r"^\W*(?:那|那么|把|就)?(?:它们|这|那)?(?:两个|两只|两者|俩|二者)?(?:放一起)?"
    r"(?:对?比(?:一下|一比|较一?下|较|比看)|对比|比一?下)(?:看看|看|吧|呢)?\W*$"
)
_BAR_SIZE = pattern(r"^\W*那?(?P<size>[日周月])(?:线|[kK]线?)(?:的|级别的?|呢)*\W*$")
_HOW_MUCH_MOVED = pattern(r"^\W*那?(?:一共|总共)?[涨跌赚亏]了?(?:多少|几个?点)(?:钱|呢)?\W*$")
_IN_A_ROW = pattern(r"连续?(?:上|下)?[涨跌]了?(?:几|多少)")
_RANKED_ONE = pattern(r"谁|哪一?[只个家支]")


def _amend(text: str, last: str, recent: list[Mention], today: date) -> str:
    """Return what amends the question before, or picks of it, in words that go on with it; other texts as they are.

    >>> day = date(2024, 3, 15)
    >>> _amend("不对，我问的是茅台", "五粮液市盈率", [], day), _amend("我说的是3月份", "茅台上个月涨跌", [], day)
    ('茅台呢', '3月份呢')
    >>> _amend("前者的市净率", "招行和平安银行谁贵", [], day), _amend("周线的", "茅台MACD", [], day)
    ('招行市净率', '茅台周线MACD')
    """
    named = find_named(last)
    if placed := place_in(text, last):
        return placed
    if found := _AMEND.match(text):
        bare = strip_mentions(found["core"])
        spans = [span for span in find_time_spans(bare, today) if span.kind != UNREAD]
        if (spans or find_mentions(found["core"])) and NOTHING.fullmatch(blank_spans(bare, spans)):
            return f"{found['core'].strip()}呢"
    if (found := _NTH.match(text)) and found.lastgroup:
        at = next(n for n, name in enumerate(("first", "second", "third")) if found[name])
        if len(named) > 1 and at < len(named):
            return named[at].said + found["rest"].strip()
    if _BOTH.match(text) and len(recent) > 1:
        names = [each.said for each in recent[-2:]]
        if MEASURE.search(strip_mentions(last)) and len(find_mentions(last)) == 1:
            return strip_mentions(last, "\ue000").replace("\ue000", "、".join(names), 1).replace("\ue000", "")
        return f"比较{'和'.join(names)}"
    if (found := _BAR_SIZE.match(text)) and len(named) == 1:
        plain = re.sub(r"[日周月](?:线|[kK]线?)", "", strip_mentions(last, "\ue000"), count=1)
        return plain.replace("\ue000", f"{named[0].said}{found['size']}线", 1).replace("\ue000", "")
    if _HOW_MUCH_MOVED.match(text) and (_RANKED_ONE.search(last) or _IN_A_ROW.search(last)):
        return last
    return text


_ASKED_NO = pattern(r"(?<=[买卖高低贵多少大小涨跌够宜])不(?=\W*$)")
"""A question in the end: 够不."""
_WHOLE_SPAN = pattern(r"\b(?:over |for |in )?the (?:whole|entire|full) (week|month|year)(?=\W*$)", re.I)


_BARE_SPAN = pattern(r"^(\W*(?:(?:and|what about|how about)\b[, ]*)+)(week|month|year)(?=\W*$)", re.I)
"""A stretch of time by its unit alone: "and month?"."""


def _plain_end(text: str) -> str:
    return _BARE_SPAN.sub(r"\1this \2", _WHOLE_SPAN.sub(r"this \1", _ASKED_NO.sub("吗", text)))


_SUM_OF = pattern(
    r"^\W*(?:那|那么|把|这)*(?P<zh>[它他]们|(?:[它他]们)?(?:两|俩|二|三|几)[个只者家]?)?(?:都|全部?)?"
    r"(?:加(?:起来|在?一起|一块儿?)|合(?:计|起来|在?一起)|一共|总共|总计)(?:呢|(?:一共|是|有)*多少钱?呢?)?\W*$"
    r"|^\W*(?:(?:and|so|ok(?:ay)?|what about|how about)\b[, ]*)*(?P<en>both|them|the (?:two|three)|these|all)?"
    r"(?: of them)?,? ?"
    r"(?:together|combined|in (?:total|all)|added up|altogether)\W*$",
    re.I,
)
"""One sum is asked for, of what was asked of several."""
_ADDED = pattern(r"加起来|加在?一起|合起来|合在?一起|\b(?:together|combined|added up)\b", re.I)
_SUMMED = pattern(r"(?=[赚亏值占花]|盈亏|市值|仓位)")
_SUMMED_EN = pattern(r"\b(?:mak(?:e|ing)|made|los[etsing]+|profit|gain\w*|worth|weights?|share of|up|down)\b", re.I)


def _sum_up(text: str, last: str, recent: list[Mention]) -> str:
    """Return the question before, for one sum of the securities that it or the last two named; "" for another.

    >>> _sum_up("两个加起来呢", "宁德赚了多少", find_mentions("招行、宁德"))
    '招行、宁德一共赚了多少'
    >>> _sum_up("together?", "how much are CATL and CMB worth to me", [])
    'how much are CATL and CMB worth to me in total'
    >>> _sum_up("一共呢", "宁德收盘价", find_mentions("招行、宁德")), _sum_up("一共呢", "宁德赚了多少", [])
    ('', '')
    """
    found, named = _SUM_OF.match(text), find_named(last)
    if found is None or not named:
        return ""
    if len(named) == 1:
        several = found["zh"] or found["en"] or _ADDED.search(text)
        if len(recent) < 2 or not several or len(find_mentions(last)) != 1:
            return ""
        names = ("、" if is_chinese(last) else " and ").join(each.said for each in recent[-2:])
        last = strip_mentions(last, "\ue000").replace("\ue000", names, 1).replace("\ue000", "")
    if is_chinese(last):
        return _SUMMED.sub("一共", last, count=1) if _SUMMED.search(last) else ""
    return f"{last.rstrip(' ?.')} in total" if _SUMMED_EN.search(last) else ""


def _complete(text: str, last: str, recent: list[Mention], today: date) -> str:
    if not last or text.startswith("/"):
        return text
    if summed := _sum_up(text, last, recent) or ask_of_line(text, last) or suppose_again(text, last):
        return summed
    if len(text) <= LONGEST and (
        asked := turn_ranking(text, last) or hold_against(text, last) or ask_of_company(text, last, today)
    ):
        return asked
    if not find_mentions(text) and (pointed := ask_pointed(drop_lead(text), last, find_named(last), today)):
        return pointed
    if (same := put_same_time(text, last, today)) != text:
        return same
    text = carry_time(text, last, today) or text
    if done := change_again(text, last) or ask_alert_of(text, last) or hold_against(text, last):
        return done
    if len(text) <= LONGEST and (same := name_same(text, today)):
        text = f"{same}呢" if is_chinese(same) else f"and {same}?"
    if is_chinese(text) and len(text) <= LONGEST:
        amended = _amend(text, last, recent, today)
        if amended != text and not amended.endswith("呢"):
            return amended
        text = amended
    named = find_named(last)
    if len(named) == 1 and (bought := _BOUGHT_IT.fullmatch(text)):
        return f"{named[0].said}我{bought['what']}"
    if len(named) == 1 and (more := _BUY_MORE.search(strip_mentions(last))) and _WEIGHT_THEN.fullmatch(text):
        of, shares = named[0].said, more["n"] or more["zh"]
        if is_chinese(text):
            return f"再买{shares}股{of}仓位变成多少"
        return f"if I buy {shares} more {of} what would its weight be"
    if len(named) == 1 and not OWNER.search(last) and _FROM_HIGH.fullmatch(text):
        return f"{named[0].said}{text.lstrip('那')}"
    if (rate := _RATE.search(last)) and not find_mentions(text) and _MOVED_IT.fullmatch(text):
        return f"{rate[0]}{text.lstrip('那')}" if is_chinese(text) else _IT.sub(f"the {rate[0]}", text, count=1)
    return _go_on(text, last, recent, today)


_BUY_MORE = pattern(r"\b(?:buy|afford|add) (?P<n>\d+)\b|买(?:入|进)?(?P<zh>\d+)股", re.I)
_WEIGHT_THEN = pattern(
    r"(?:and )?what would (?:it weigh|its weight be|it be of my account)(?: then)?\W*"
    r"|\W*(?:那|那时)*仓位(?:会)?(?:变成|变为|是|到)多少\W*",
    re.I,
)
"""Asks for the weight after a purchase that was spoken of."""
_FROM_HIGH = pattern(
    r"\W*(?:那|现在)*(?:离|距离?)(?:历史|年内|一年|52周)?的?最?高(?:点|价|位)(?:还)?(?:有|差)?(?:多远|多少|远吗)\W*"
)
"""Asks how far what was spoken of is below its high."""
_RATE = pattern(
    r"(?:美元|港[币元]|欧元|日元)(?=.{0,6}(?:汇率|兑|多少|rate))"
    r"|\b(?:hong kong |hk |us )?(?:dollar|hkd|usd)\b(?=.*\b(?:at|rate)\b|/cny)",
    re.I,
)
_MOVED_IT = pattern(
    r"\W*(?:那|它)*(?:今天|昨天|这周|本周|上周|这个?月|本月|上个?月|今年|去年)(?:是)?"
    r"(?:涨了?还是跌了?|涨跌(?:了)?(?:多少)?|[涨跌]了(?:多少|吗)|变化多少)\W*"
    r"|(?:and )?how (?:has|did|much has|much did) it (?:moved?|changed?)(?: .{2,20})?\W*",
    re.I,
)
"""Asks how the exchange rate that was spoken of moved."""
_IT = pattern(r"\bit\b", re.I)
_BOUGHT_IT = pattern(
    r"\W*(?:那|我|是|当时|当初)*(?P<what>(?:什么时候|啥时候|哪一?天|几号|为什么|为啥|多少钱|什么价格?)买(?:入|进)?的?)\W*"
)
"""Asks for the purchase of what was spoken of."""


_FLOW = pattern(r"北向|南向|资金|成交额|\b(?:north|south)-?bound\b|\bflows?\b|\bturnover\b", re.I)
"""What adds up over days."""
_IN_SUM = pattern(r"合计|总共|一共|加起来|累计|总的|\b(?:in (?:total|all|sum)|altogether|together|total)\b", re.I)


_OTHER_TIME = pattern(
    r"\W*(?:is|was) (?:it|that|this) (?:any )?(?:more|less|higher|lower|better|worse|up"
    r"|down)(?: than)?(?: (?:on|in|at|from))?\W*"
    r"|\W*(?:how|what|how much) (?:was|were|is) (?:it|that|they)(?: (?:at|on|in|back))?\W*"
    r"|\W*(?:how does (?:it|that|this) )?(?:more|less|higher|lower|compared?|versus|vs\.?)(?: or (?:more|less"
    r"|higher|lower))?"
    r"(?: (?:than|to|with))?(?: (?:on|in|at))?\W*"
    r"|\W*(?:那|这)?(?:[比跟和与较]|对比|相比)\W*(?:相?比|比起来)?\W*(?:的时候)?(?:(?:是|要"
    r"|更)?[高低多少大小好差强弱](?:了|一?些)?"
    r"(?:还是[高低多少大小好差强弱])?|怎么样|如何)?(?:吗|么|没有?|呢)*\W*"
    r"|\W*也是?(?:这样|如此|一样)(?:的)?(?:吗|么)\W*",
    re.I,
)
"""Asks whether a figure was more at another time, which is then told."""


_OF_TWO_DAYS = pattern(r"北向|成交额|涨停|跌停|\bnorth-?bound\b|\bturnover\b|\blimit[- ](?:up|down)s?\b", re.I)
"""What is told of two days side by side."""
_HOW_MUCH_OF = pattern(r"\W*(?:那|的|是|有|现在|又|加)*(?:多少|几)\W*")
_FIGURE = pattern(
    r"市[盈净销]率|市值|股息率?|毛利率?|净利率?|负债率?|换手率|波动率|回撤|占|比例|仓位|(?<![a-z])(?:p/?[ebs]"
    r"|roe|eps)(?![a-z])",
    re.I,
)
"""A figure, of which another security has one too, that is not the price."""


def _change_time(rest: str, last: str, said: list[str], today: date) -> str:
    """Return a question of no named security for another time, where more is asked than the time alone; "" for another.

    >>> day = date(2024, 3, 15)
    >>> _change_time("  合计", "北向今天流入多少", ["这周"], day)
    '北向这周合计流入多少'
    >>> _change_time("was it more", "what is 100 usd in yuan today", ["on jan 2"], day)
    'what is 100 usd in yuan on jan 2'
    """
    if _FLOW.search(last) and _IN_SUM.search(rest) and NOTHING.fullmatch(_IN_SUM.sub("", rest)):
        return replace_parts(last, [], [], [f"{said[0]}{'合计' if is_chinese(last) else ' in total'}"], today)
    old = find_time_spans(last, today)
    if not _OTHER_TIME.fullmatch(rest) or len(old) > 1:
        return ""
    both = _OF_TWO_DAYS.search(last) is not None and (not old or old[0].kind == DAY) and "也" not in rest
    if both and [span.kind for span in find_time_spans(said[0], today)] == [DAY]:
        first = old[0].said if old else "今天" if is_chinese(last) else "today"
        return replace_parts(last, [], [], [f"{first}{'和' if is_chinese(last) else ' and '}{said[0]}"], today)
    return replace_parts(last, [], [], said, today)


def _fill_in(rest: str, last: str, mentions: list[Mention], said: list[str], today: date) -> str:
    """Return the last question for other securities or another time where a word more is asked; "" for another.

    >>> _fill_in(" 多少", "招行pb", find_mentions("平安银行"), [], date(2024, 3, 15))
    '平安银行pb'
    """
    named = find_named(last)
    if not mentions:
        return _change_time(rest, last, said, today) if said and not named else ""
    summed = len(mentions) > 1 and _IN_SUM.search(rest) and NOTHING.fullmatch(_IN_SUM.sub("", rest))
    figure = _HOW_MUCH_OF.fullmatch(rest) and _FIGURE.search(strip_mentions(last))
    if not named or not (summed or figure):
        return ""
    return replace_parts(last, named, mentions, said, today) or ask_measure_of(mentions, last, today)


def _go_on(text: str, last: str, recent: list[Mention], today: date) -> str:
    """Return a text that goes on with the question before as a whole one."""
    led, tailed = LEAD.search(text), TAIL.search(text)
    step = drop_lead(text)
    text = name_index(text, step)
    spoken = name_spoken(text, last)
    if after := (
        ask_after_view(spoken, last)
        or ask_of_moves(spoken, last, today)
        or ask_again(drop_lead(spoken), last, today)
        or ask_still(step, last, today)
        or ask_of_record(step, last)
        or ask_day_or_rest(step, last, today)
        or ask_term_again(step, last)
        or ask_of_list(step, last)
        or change_industry(step, last)
        or name_leader(step, last, today)
        or rank_industry(step, last, today)
        or rank_again(step, last, text)
        or add_condition(step, last)
        or _take_step(drop_lead(spoken), last, today)
        or measure_from_there(spoken, last, today)
        or set_beside(text, last, today)
        or ask_period_before(text, last, today)
        or ask_other_extreme(text, last)
        or ask_other_place(text, last)
        or ask_other_figure(text, last)
        or ask_other_average(text, last)
        or ask_about_spoken(step, last, find_named(last))
    ):
        return after
    if len(text) > LONGEST:
        return text
    core = drop_lead(text) if led or tailed else text
    mentions = find_mentions(core)
    bare = strip_mentions(core)
    spans = [span for span in find_time_spans(bare, today) if span.kind != UNREAD]
    said = [bare[span.at[0] : span.at[1]].strip() for span in spans]
    rest = blank_spans(bare, spans)
    named = find_named(last)
    if filled := _fill_in(rest, last, mentions, said, today):
        return filled
    if NOTHING.fullmatch(rest) is not None:
        figure = bool(mentions) and text.rstrip().endswith(("?", "？")) and MEASURE.search(strip_mentions(last))
        mine = bool(mentions) and len(named) == 1 and OWNER.search(strip_mentions(last)) is not None
        if not (led or tailed or figure or mine) and not (said and not mentions):
            return text
        if not mentions and not said:
            return text
        return (
            replace_parts(last, named, mentions, said, today)
            or ask_measure_of(mentions, last, today)
            or ("" if said else ask_move_of(mentions, last, today))
            or text
        )
    if (led or tailed) and named and not mentions and NOTHING.fullmatch(NOW.sub(" ", rest)):
        return drop_times(last, today)
    if (
        said
        and not mentions
        and len(named) == 1
        and _AGAINST.search(rest)
        and NOTHING.fullmatch(_EXTENT_OF.sub("", _AGAINST.sub("", rest)))
    ):
        return compare_times(named[0], last, spans[0], today) or text
    if not mentions and (ranked := _rank_list(core, last, today, led=bool(led or tailed), timed=bool(said))):
        return ranked
    if own := ask_own_holding(core, last, named) or ("" if mentions or named or said else _rank_own(core, last, today)):
        return own
    if mentions or ELSEWHERE.search(core):
        return text
    if more := ask_after_figure(core, last, named, recent):
        return more
    if tailed and (more := ask_of_that_day(core, last, named, today)):
        return more
    if _THEM.search(core) and len(recent) > 1 and _IN_SUM.search(core):
        summed = _fill_in(_THEM.sub("", core), last, recent[-2:], [], today)
        return summed or text
    return _name_before(core, named, recent, led=bool(led or tailed)) or text


def _name_before(core: str, named: list[Mention], recent: list[Mention], *, led: bool) -> str:
    """Return a question that names no security with those before; "" where it is not clear that it means them."""
    them = bool(_THEM.search(core))
    if them and len(named) < 2:
        named = recent[-2:]
    if len(named) > 1 and _WHICH_ONE.search(core):
        them = True
    if not named or not (led or them) or (them and len(named) < 2):
        return ""
    names = named if them or len(named) > 1 else named[:1]
    return attach_names(names, ITS.sub(" ", _THEM.sub(" ", core)).strip(" ?？"))


_ONE = pattern(r"哪一?[只个支家]|是谁|\b(?:which|who)\b", re.I)


def _rank_list(core: str, last: str, today: date, *, led: bool, timed: bool) -> str:
    """Return a question for the first of the owner's list that was spoken of; "" for another.

    >>> _rank_list("which fell most", "how did my watch list do today", date(2024, 3, 15), led=False, timed=False)
    'which fell most on my watch list today'
    """
    listed = _LIST.search(last)
    ranks = _WHICH.search(core) or (SUPERLATIVE.search(core) and (led or _ONE.search(core)))
    if listed is None or ELSEWHERE.search(core) or not ranks:
        return ""
    times = "" if timed else " ".join(last[span.at[0] : span.at[1]] for span in find_time_spans(last, today))
    return f"{listed[0]}里{times}{core}" if is_chinese(core) else f"{core} on {listed[0]} {times}".strip()


_OWN_ONE = pattern(
    r"\W*(?:(?:and|so|then|ok)\b[, ]*)*(?:which|what)(?: (?:one|holding|position|stock|share)s?)?(?: of (?:mine|them))?"
    r" (?:was |did |has |made |lost |earned |cost |helped |hurt |brought |(?:contributed|added) )*(?:me |done |the )*"
    r"(?:best|worst|most|least|more)(?: of (?:it|that|all))?\W*"
    r"|\W*(?:and |so )?(?:which|what)(?: (?:one|holding|position|stock|share)s?)? (?:helped|hurt)(?: me)?\W*"
    r"|\W*(?:那|其中|里面|主要)*(?:是)?(?:哪一?[只个支家]|谁)(?:股票|持仓)?的?(?:贡献|赚得?|亏得?|拖累|表现"
    r"|涨得?|跌得?)*最(?:大|多|好|差|少)的?\W*",
    re.I,
)
"""Asks which holding brought most, or least, of a result."""
_BROUGHT = pattern(r"\b(?:cost|hurt|lost|helped|made|earned|brought|contributed|added)\b", re.I)
"""Asks for money, not for the change of a price."""
_OWN_RESULT = pattern(
    r"收益|盈亏|[赚亏]|表现|怎么样|\b(?:portfolio|account|made?|make|earn\w*|los[et]|gain\w*|return|do|did"
    r"|doing|perform\w*)\b",
    re.I,
)


def _rank_own(core: str, last: str, today: date) -> str:
    """Return which holding did best or worst over the time of the owner's result before; "" for another question.

    >>> _rank_own("which holding did best", "how did my portfolio do last month", date(2024, 3, 15))
    'which holding did best last month'
    """
    if not (OWNER.search(last) and _OWN_RESULT.search(last) and _OWN_ONE.fullmatch(core)):
        return ""
    spans = [span for span in find_time_spans(last, today) if span.kind != UNREAD]
    if len(spans) != 1:
        return ""
    if not is_chinese(core) and (brought := _BROUGHT.search(core)):
        lost = re.fullmatch("cost|hurt|lost", brought[0], re.I)
        return f"which holding {'lost' if lost else 'made'} the most {spans[0].said}"
    if not is_chinese(core):
        asked = (
            core.strip(" ?")
            if re.search("holding|position", core)
            else re.sub(r"^(\W*(?:\w+ )*?which)", r"\1 holding", core)
        )
        return f"{asked} {spans[0].said}"
    return f"{spans[0].said}我的持仓里{core}"


def _take_step(core: str, last: str, today: date) -> str:
    """Return a question that takes one step from the one before as a whole one; "" for another.

    core  the question without its lead: "and", "那"

    >>> day = date(2024, 3, 15)
    >>> _take_step("the day before", "what did BYD close at on 2024-03-12", day)
    'what did BYD close at on 2024-03-11'
    >>> _take_step("前一天", "茅台3月11日收盘价", day), _take_step("换成人民币", "苹果股价", day)
    ('茅台2024-03-08收盘价', '苹果股价折合人民币')
    >>> _take_step("in yuan", "price of Apple?", day), _take_step("in yuan", "how are you", day)
    ('price of Apple in yuan', 'how are you in yuan')
    >>> _take_step("how far below that is it", "highest close of BYD this year?", day)
    'how far is BYD from its highest close this year'
    """
    return (
        step_day(core, last, today)
        or step_over(core, last, today)
        or find_other_market(core, last)
        or turn_round(core, last)
        or narrow(core, last)
        or ask_among(core, last)
        or change_amount(core, last)
        or change_source(core, last)
        or change_currency(core, last)
        or say_distance(core, last, today)
    )
