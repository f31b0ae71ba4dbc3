"""The one gate: what a call may do, given who asked for it and what it has read.

|                                | untainted          | tainted (text from outside was read)         |
| ------------------------------ | ------------------ | -------------------------------------------- |
| notebook, observations         | acts               | acts on new files only, stored as untrusted  |
| other areas, the user asked    | acts               | a proposal, marked with where the text is from |
| other areas, nobody asked      | a proposal         | refused                                      |
| confirm tools, the user asked  | a proposal         | a proposal, marked                           |
| confirm tools, nobody asked    | a proposal         | refused                                      |

A person at the command line (`actor == "user"`) is not held up, only where a proposal is the rule for everybody.
"""

import re
from fnmatch import fnmatchcase

from ia.errors import Refused
from ia.tools.registry import Tool
from ia.tools.scope import Scope

ACT, PROPOSE = "act", "propose"

FREE = ("notebook", "observations")
"""Areas that any call may write to."""

ASKED = {
    "tracking": r"关注|跟踪|追踪|盯着|盯住|自选|watch ?list|\btrack|\bwatch\b|\bfollow\b|keep an eye",
    "beliefs": r"信念|相信|认定|记住|记牢|记下来|教训|经验|\bbeliefs?\b|\bbelieve\b|\bremember\b|\blesson",
    "reflections": r"复盘|反思|总结|教训|你(最近|总是|老是|太|又)|以后|下次|别再|不要再|要多|做得好|分析得好|保持"
    r"|\breflect|\breview|\blesson|you (always|never|keep|too|should)|next time|from now on|well done|good job",
    "journal": r"日志|日记|流水|记一笔|记一下|记录|\blog\b|\bjournal\b|write (it )?down",
    "playbook": r"手册|playbook|持仓笔记|position note|止损|建仓|买入了|卖出了|成交",
    "preferences": r"偏好|喜欢|习惯|风格|以后.{0,12}(回答|说|先|用)|\bprefer|\bfrom now on\b",
    "soul": r"灵魂|人格|性格|风格|边界|成长方向|soul|以后|总是|不要再|要多|你(最近|太)|\bfrom now on\b|you should",
    "tasks": r"每(天|日|周|月|个?交易日|逢|隔)|定时|提醒|计划任务|自动|收盘后|开盘前"
    r"|\bevery\b|\bdaily\b|\bweekly\b|\bmonthly\b|\bremind|\bschedule|\bcron\b",
    "skills": r"技能|安装|\bskill|\binstall",
    "messages": r"发(送|给|到|消息|条)|通知|转发|推送|\bsend\b|\bnotify\b|\bmessage\b|\bforward\b",
}
_ASKED = {area: re.compile(words, re.I) for area, words in ASKED.items()}


def permitted(scope: Scope, tool: Tool) -> None:
    """Raise Refused where the skill or the role in force does not list the tool."""
    if scope.allowed is not None and not any(
        fnmatchcase(tool.name, pattern) or fnmatchcase(tool.wire_name, pattern) for pattern in scope.allowed
    ):
        raise Refused(
            "{tool} is not among the allowed tools of {who}", tool=tool.name, who=scope.skill or scope.actor,
            allowed=", ".join(scope.allowed) or "none", hint="allowed: {allowed}",
        )  # fmt: skip


def asked(scope: Scope, area: str) -> bool:
    """Whether the user's own words, or the skill that the user named, ask for writing to an area."""
    return area in scope.granted or bool(area in _ASKED and _ASKED[area].search(scope.asked))


def way(scope: Scope, area: str, *, confirm: bool = False) -> str:
    """Return ACT or PROPOSE for a write to an area.

    confirm  the area changes by proposal whoever asks.
    raises   Refused where text from outside was read and the user did not ask for it.
    """
    if scope.actor == "user":
        return PROPOSE if confirm else ACT
    if area in FREE:
        return ACT
    wanted = asked(scope, area)
    if scope.tainted and not wanted:
        raise Refused(
            "text from outside ({origins}) was read, and the user did not ask to change {area}",
            origins=", ".join(scope.origins), area=area,
            hint="only the user's own words can ask for it; tell the user what you would change and why",
        )  # fmt: skip
    return ACT if wanted and not confirm and not scope.tainted else PROPOSE


def origin(scope: Scope) -> str:
    """Return where a proposal comes from, as it is shown to the person who decides."""
    told = [f"turn {scope.turn}"] if scope.turn else []
    told += [f"session {scope.session}"] if scope.session else []
    told += [f"untrusted: {', '.join(scope.origins)}"] if scope.tainted else []
    return "; ".join(told)


def outward(scope: Scope, tool: Tool, arguments: object) -> None:
    """Let only what the user said, a security or a date leave for a provider once text from outside was read.

    raises  Refused: whatever was read here could be carried out by the arguments.
    """
    if scope.actor == "user" or not scope.tainted:
        return
    from ia.errors import IaError
    from ia.ohlcv.identity import resolve

    def harmless(value: object) -> bool:
        if isinstance(value, dict):
            return all(harmless(item) for item in value.values())
        if isinstance(value, list):
            return all(map(harmless, value))
        if not isinstance(value, str) or not value or value in scope.asked:
            return True
        if re.fullmatch(r"\d{4}(-?\d\d(-?\d\d)?)?", value):
            return True
        try:
            resolve(value)
        except IaError:
            return False
        return True

    if not harmless(arguments):
        raise Refused(
            "{tool}: after text from outside ({origins}) only the user's words, a security or a date may leave",
            tool=tool.name, origins=", ".join(scope.origins), hint="ask the user for the words to look for",
        )  # fmt: skip
