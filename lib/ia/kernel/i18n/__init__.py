"""What ia says, in the language of its user: gettext, with the English text as the key.

`translate` looks a text up, `Voice` says it with its fields filled in. The Chinese stands in
`zh_CN/LC_MESSAGES/ia.po`; `make translate` brings new and changed texts there, and the build compiles it. What
`lib/translation/extract_texts.py` does not find by itself is wrapped in `mark_text`.
"""

import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ia.kernel.errors import IaError, Message, PluralText, fill_template

if TYPE_CHECKING:
    from gettext import GNUTranslations

_CATALOG = os.path.join(os.path.dirname(__file__), "zh_CN", "LC_MESSAGES", "ia.mo")
_NO_FIELDS: Mapping[str, object] = {}


def translate(template: str, lang: str, *, context: str = "", fields: Mapping[str, object] = _NO_FIELDS) -> str:
    """Return a template in a language, `zh` or `en`; the English one where nobody translated it.

    context    tells apart two uses of one English text whose Chinese differs
    fields     what will be filled in: the form of a PluralText is chosen by its number

    >>> translate("1 day", "zh"), translate("1 day", "en"), translate("not in the catalog", "zh")
    ('1 日', '1 day', 'not in the catalog')
    """
    if lang != "zh" or not template:
        return template
    catalog = _catalog()
    if isinstance(template, PluralText):
        forms = (template, template.plural, template.number_form(fields))
        return catalog.npgettext(context, *forms) if context else catalog.ngettext(*forms)
    return catalog.pgettext(context, template) if context else catalog.gettext(template)


@functools.cache
def _catalog() -> "GNUTranslations":
    from gettext import GNUTranslations

    try:
        with open(_CATALOG, "rb") as file:
            return GNUTranslations(file)
    except FileNotFoundError:
        raise RuntimeError(f"{_CATALOG} is missing; `make install` or `pip install -e .` compiles it") from None


class Voice(NamedTuple):
    """Says things in one language, `zh` or `en`."""

    lang: str = "en"

    def __call__(self, template: str, /, *, context: str = "", **fields: object) -> str:
        """Return a text with its fields filled in. A field may itself be a message, a failure or a list of them.

        >>> Voice("zh")("{path}: no such note", path="a.md")
        'a.md：没有这条笔记'
        """
        return self.fill_template(template, fields, context)

    def fill_template(self, template: str, fields: Mapping[str, object], context: str = "") -> str:
        """Return a text with fields that are data: any name may be among them."""
        return fill_template(
            translate(template, self.lang, context=context, fields=fields),
            {name: self._say_field(fields[name]) for name in fields},
        )

    def say(self, message: Message | IaError) -> str:
        """Return a message, or what went wrong, as a sentence."""
        return self.fill_template(message.template, message.params)

    def say_hint(self, error: IaError) -> str:
        """Return what to do about a failure; "" where it does not say."""
        return self.fill_template(error.hint or "", error.params)

    def _say_field(self, value: object) -> object:
        if isinstance(value, Message | IaError):
            return self.say(value)
        if isinstance(value, list | tuple) and value and all(isinstance(item, Message | IaError) for item in value):
            return "; ".join(map(self.say, value))
        return value


def mark_text(text: str) -> str:
    """Return a text as it is; it stands in the catalog, and is translated where it is said."""
    return text


def mark_texts(*texts: str) -> tuple[str, ...]:
    """Return texts as they are, each as `mark_text` does."""
    return texts
