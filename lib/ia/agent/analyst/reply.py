"""What an answer is, and the sentences that several answers share."""

from typing import NamedTuple

from ia.agent.analyst.desk import NO_TOOL, Desk, Failure, Result
from ia.agent.analyst.voice import ZH, Voice


class Reply(NamedTuple):
    """An answer: its lines, and the same for a program: points, and what stands behind them."""

    lines: list[str]
    points: list[str]
    evidence: tuple[str, ...] | list[str] = ()


def of(*lines: str) -> Reply:
    """Return a reply of a few lines, which are its points too."""
    return Reply(list(lines), [line for line in lines if line])


def handed_back(desk: Desk, brought: object) -> Reply | None:
    """Return what a skill's subagent handed back as a reply; None where the skill does not run in one."""
    if not isinstance(brought, dict) or not isinstance(brought.get("points"), list) or not brought["points"]:
        return None
    speak = desk.speak
    points = [str(point) for point in brought["points"] if str(point) != by_rules(desk.speak)]
    evidence = [str(item) for item in brought.get("evidence") or []]
    artifacts = [str(path) for path in brought.get("artifacts") or []]
    lines = [*points[:1], "", *(f"- {point}" for point in points[1:])]
    lines += ["", f"**{speak('数据', 'Data')}**", *(f"- {item}" for item in evidence)] if evidence else []
    lines += (
        ["", speak("已存：{kept}。", "Kept: {kept}.", kept=speak.joined([f"`{path}`" for path in artifacts]))]
        if artifacts
        else []
    )
    return Reply([*lines, by_rules(speak)], points, evidence)


def by_rules(speak: Voice) -> str:
    """Return who speaks: nobody is to take it for more than it is."""
    return speak(
        "我是按规则工作的分析员（ia-offline），没有用语言模型；只研究和建议，买卖由你决定。",
        "I work by rules (ia-offline), without a language model. Research and advice only; what to do is yours.",
    )


NO_BARS = Failure("no bars")
"""The failure of a source that answered without any."""
_LATER = {
    "try-later",
    "timed-out",
    "no-answer",
    "host-unavailable",
    "unreachable",
    "banned",
    "no-host-answered",
}
"""Codes of failures of a source that pass."""
_UNKNOWN = {"unknown-symbol", "not-simulated", "no-bars"}
"""Codes of failures that mean: the source knows no such security."""


def no_prices(desk: Desk, said: str, failure: Failure) -> str:
    """Return why there are no prices, and what to type."""
    speak = desk.speak
    if failure.code == NO_TOOL:
        return speak(
            "这里没有取行情的工具，{security} 没法看。用 `ia turn`，或给 llm 加上 `-T ia_ohlcv -T ia_compute`。",
            "There is no tool for prices here, so {security} cannot be looked at. Use `ia turn`, or give llm"
            " `-T ia_ohlcv -T ia_compute`.",
            security=said,
        )
    if failure.code == "ambiguous-symbol":
        return speak(
            "“{security}”可能是好几只证券：{candidates}。请写代码，例如 600519.SH。",
            '"{security}" could be several securities: {candidates}. Write the code, such as 600519.SH.',
            security=said,
            candidates=failure.fields.get("candidates", ""),
        )
    if failure.code == "no-bars-then":
        return speak(
            "那时没有 {security} 的行情：它当时还没有上市，或者行情源没有那么早的数据。没有数据，我不发表观点。",
            "There are no bars of {security} then: it was listed later, or the source has none so old. Without data"
            " there is no view.",
            security=said,
        )
    reason = describe_failure(speak, failure)
    if failure.code in _UNKNOWN:
        return speak(
            "没有找到 {security} 的行情（{failure}）。请核对代码，例如 600519、00700.HK、AAPL。",
            "No prices were found for {security} ({failure}). Check the code: 600519, 00700.HK, AAPL.",
            security=said,
            failure=reason,
        )
    if failure.code in _LATER:
        return speak(
            "行情源暂时取不到 {security}（{failure}）。过一会儿再问；离线可用 `ia config set market.adapter"
            " demo`（模拟行情）。",
            "The source has no prices of {security} for now ({failure}). Ask again later; offline there is"
            " `ia config set market.adapter demo` (simulated prices).",
            security=said,
            failure=reason,
        )
    return speak(
        "取不到 {security} 的行情：{failure}。没有数据，我不发表观点。",
        "The prices of {security} could not be fetched: {failure}. Without data there is no view.",
        security=said,
        failure=reason,
    )


_KNOWN = {
    "not-simulated": "模拟市场里没有这只证券",
    "no-host-answered": "各个主机都没有应答",
    "no-bars": "行情源没有它的数据",
    "no-bars-then": "行情源没有它的数据",
    "timed-out": "超时",
    "unreachable": "连不上",
    "provider-failed": "这个工具出错了",
    "provider-malformed": "这个工具没有给出能读的结果",
    "provider-ended": "这个工具的程序中途退出了",
}


def describe_failure(speak: Voice, failure: Failure) -> str:
    """Return a tool's failure in the language of the reply, where its code is known."""
    return _KNOWN.get(failure.code, failure.sentence) if speak.lang == ZH else failure.sentence


def not_kept(desk: Desk, result: Result, zh: str, en: str) -> str:
    """Return why something was not kept, "" where it was."""
    if result.failure is None:
        return ""
    why = _describe_refusal(desk.speak, result.failure)
    return desk.speak("{what}没有存下：{why}。", "{what} was not kept: {why}.", what=desk.speak(zh, en), why=why)


_REFUSED = {
    NO_TOOL: ("没有这个工具", "there is no tool for it"),
    "note-trusted": (
        "那个文件是可信的，而这里读到了外面的文字，所以没有动它",
        "that file is trusted, and text from outside was read here",
    ),
    "outside-text": (
        "这里读到了外面的文字，而你自己没有要求改它",
        "text from outside was read here, and you did not ask for it yourself",
    ),
    "too-many-proposals": ("等你决定的提案已经太多", "too many proposals wait for you already"),
}


def _describe_refusal(speak: Voice, failure: Failure) -> str:
    """Return a refusal of the gate as it is told to a person: its hint was written for a model."""
    if failure.code in _REFUSED:
        return speak(*_REFUSED[failure.code])
    return describe_failure(speak, failure._replace(hint=""))


def waiting(desk: Desk, results: list[Result]) -> list[str]:
    """Return a line for each proposal that was made: what waits, and how to decide."""
    speak, lines = desk.speak, []
    for result in results:
        number = result.get("proposal")
        if number is not None:
            lines.append(
                speak(
                    "提案 {number}（`{path}`）等你决定：`ia approve {number}` 执行，`ia reject {number}` 放弃，`ia"
                    " pending` 看全文。",
                    "Proposal {number} (`{path}`) waits for you: `ia approve {number}` carries it out, `ia reject"
                    " {number}` drops it,"
                    " `ia pending` shows it.",
                    number=number,
                    path=result.get("path") or "",
                )
            )
    return lines


def paths(desk: Desk, *pairs: tuple[Result, str, str]) -> list[str]:
    """Return where things were kept, or why not: (result, zh name, en name) each."""
    speak, kept, failed = desk.speak, [], []
    for result, zh, en in pairs:
        if result.ok and isinstance(result.value, dict) and result.get("path"):
            mark = speak("（未确认）", " (untrusted)") if result.get("status") == "untrusted" else ""
            kept.append(f"{speak(zh, en)} `{result.get('path')}`{mark}")
        elif result.ok:
            kept.append(speak(zh, en))
        else:
            failed.append(not_kept(desk, result, zh, en))
    lines = [speak("已存：{kept}。", "Kept: {kept}.", kept=speak.listed(kept))] if kept else []
    return lines + failed + waiting(desk, [result for result, _, _ in pairs])
