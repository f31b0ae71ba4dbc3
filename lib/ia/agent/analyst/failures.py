"""Failures of tools, as they are told to a person."""

from ia.agent.analyst.desk import Failure
from ia.agent.analyst.voice import ZH, AnswerVoice

NO_BARS = Failure("no bars")
"""The failure of a source that answered without any."""


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


def describe_failure(speak: AnswerVoice, failure: Failure) -> str:
    """Return a tool's failure in the language of the reply, where its code is known."""
    return _KNOWN.get(failure.code, failure.sentence) if speak.lang == ZH else failure.sentence
