"""What every reader of a backtest is told of its limits, in sentences."""

from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json


def describe_st_days(figures: Json, voice: Voice) -> list[str]:
    """Return the sentence on days of which it is not known what was under special treatment; nothing without any."""
    if not figures.get("st_unknown_sessions"):
        return []
    return [
        voice(
            "On {count} of {all} days it is not known which stocks were under special treatment (ST):"
            " their narrower price limits do not count there.",
            count=figures["st_unknown_sessions"],
            all=figures["sessions"],
        )
    ]
