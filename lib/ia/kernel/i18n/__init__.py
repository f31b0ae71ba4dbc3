"""What ia says, in the language of its user: gettext, with the English text as the key.

`translate` looks a text up, `Voice` says it with its fields filled in. The Chinese stands in
`zh_CN/LC_MESSAGES/ia.po`; `make translate` brings new and changed texts there, and the build compiles it. What
`lib/translation/extract_texts.py` does not find by itself is wrapped in `mark_text`.
"""

import functools
import os
import struct
from bisect import bisect_left
from collections.abc import Mapping
from typing import NamedTuple

from ia.kernel.errors import IaError, Message, PluralText, fill_template

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
    if (found := _catalog().find_text(str(template), context)) is not None:
        return found
    if isinstance(template, PluralText) and template.number_form(fields) != 1:
        return template.plural
    return template


class _Catalog:
    """A compiled catalog of gettext. Its texts are sorted, so one is found without reading all, as gettext does.

    Chinese has one form for all numbers; the English of a text is its key, with the form for others behind a zero.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        _, _, self._count, self._ids, self._texts = struct.unpack_from("<5I", data)
        self._said: dict[tuple[str, str], str | None] = {}

    def find_text(self, text: str, context: str) -> str | None:
        """Return the translation of a text, None where there is none."""
        if (text, context) not in self._said:
            key = (text.encode(), context.encode())
            at = bisect_left(range(self._count), key, key=self._key)
            found = at < self._count and self._key(at) == key
            self._said[text, context] = self._read(self._texts, at).decode() if found else None
        return self._said[text, context]

    def _key(self, at: int) -> tuple[bytes, bytes]:
        context, _, text = self._read(self._ids, at).rpartition(b"\x04")
        return text.partition(b"\0")[0], context

    def _read(self, table: int, at: int) -> bytes:
        length, start = struct.unpack_from("<2I", self._data, table + 8 * at)
        return self._data[start : start + length]


@functools.cache
def _catalog() -> _Catalog:
    try:
        with open(_CATALOG, "rb") as file:
            return _Catalog(file.read())
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
        if (name_in := getattr(value, "name_in", None)) is not None:  # a security, which has names in two languages
            return name_in(self.lang)
        return value


def mark_text(text: str) -> str:
    """Return a text as it is; it stands in the catalog, and is translated where it is said."""
    return text


def mark_texts(*texts: str) -> tuple[str, ...]:
    """Return texts as they are, each as `mark_text` does."""
    return texts
