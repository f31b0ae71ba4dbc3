"""What the user reads at a terminal, in the language of the settings."""

from ia.kernel import config
from ia.kernel.i18n import Voice, translate


def lang() -> str:
    """Return `zh` or `en`."""
    return config.locale_lang()


def tr(template: str) -> str:
    """Return a template in the user's language."""
    return translate(template, lang())


def say(template: str, /, **params: object) -> str:
    """Return a filled sentence in the user's language. A field may itself be a message, a failure or a list of them."""
    return Voice(lang()).fill_template(template, params)
