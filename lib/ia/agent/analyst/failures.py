"""Failures of tools, as they are told to a person."""

from ia.agent.analyst.desk import Failure
from ia.agent.analyst.voice import EN, AnswerVoice
from ia.domain.instruments.symbols import translate_names
from ia.kernel.i18n import mark_text

NO_BARS = Failure("no bars")
"""The failure of a source that answered without any."""


_KNOWN = {
    "not-simulated": mark_text("the simulated market does not have it"),
    "no-host-answered": mark_text("no host answered"),
    "no-bars": mark_text("the source has no data of it"),
    "no-bars-then": mark_text("the source has no data of it"),
    "timed-out": mark_text("timed out"),
    "unreachable": mark_text("the source cannot be reached"),
    "provider-failed": mark_text("the tool failed"),
    "provider-malformed": mark_text("the tool returned a malformed result"),
    "provider-ended": mark_text("the program of the tool ended early"),
}


def describe_failure(speak: AnswerVoice, failure: Failure) -> str:
    """Return a tool's failure in the language of the reply, where its code is known.

    Tools fail in English: an English reader gets the tool's own sentence, which says more.
    """
    if speak.lang == EN:
        return translate_names(failure.sentence, "en")
    return speak(_KNOWN[failure.code]) if failure.code in _KNOWN else failure.sentence
