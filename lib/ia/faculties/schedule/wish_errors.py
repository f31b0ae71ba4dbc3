"""Asking back: what `words` and `rhythm` say where a wish is not clear, for who speaks to a person."""

from ia.kernel.errors import IaError
from ia.kernel.i18n import Voice


def explain_failure(error: IaError, lang: str) -> tuple[str, str]:
    """Return a failure and what to say instead, in the language: `zh` or `en`."""
    voice = Voice(lang)
    return voice.say(error), voice.say_hint(error)
