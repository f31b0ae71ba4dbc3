"""What the user reads, in the user's language: English templates are the keys of the Chinese catalog."""

import functools

from ia import config
from ia.errors import fill


def lang() -> str:
    """Return `zh` or `en`."""
    return config.locale_lang()


@functools.cache
def _catalog() -> dict[str, str]:
    from ia_cli.zh import catalog

    return catalog()


def tr(template: str) -> str:
    """Return the template in the user's language; an English one that nobody translated stands as it is."""
    return _catalog().get(template, template) if template and lang() == "zh" else template


def say(template: str, /, **params: object) -> str:
    """Return a filled sentence in the user's language."""
    return fill(tr(template), params)
