"""What the user reads, in the user's language: English templates are the keys of the Chinese catalog."""

import functools

from ia.kernel import config
from ia.kernel.errors import IaError, Message, fill


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
    """Return a filled sentence in the user's language. A field may itself be a message, a failure or a list of them."""
    return fill(tr(template), {name: _told(value) for name, value in params.items()})


def _told(value: object) -> object:
    if isinstance(value, Message | IaError):
        return say(value.template, **value.params)
    if isinstance(value, list | tuple) and value and all(isinstance(item, Message | IaError) for item in value):
        return "; ".join(str(_told(item)) for item in value)
    return value
