"""Saying things in the language of whoever asked, and figures as a person writes them."""

from ia.kernel import i18n
from ia.kernel.errors import PluralText
from ia.kernel.i18n.units import LARGE_UNITS
from ia.kernel.patterns import pattern

ZH, EN = "zh", "en"
_FIELD = pattern(r"\{(\w+)\}")
_WORD = pattern(r"[A-Za-z]{2,}")
_PLAIN = pattern(r"(?<![A-Za-z])(?![A-Z]+(?![A-Za-z]))[A-Za-z]{2,}")


class AnswerVoice(i18n.Voice):
    """Speaks one language: `speak("closed at {close}", close=82.54)`."""

    def fill(self, pair: tuple[str, str], /, **fields: object) -> str:
        """Return a text of a table in the language, its fields filled in; a field that nobody knows stands as it is.

        >>> AnswerVoice("en").fill(("涨 {figure}", "up {figure} {x}"), figure="3%")
        'up 3% {x}'
        """
        return _FIELD.sub(lambda field: str(fields.get(field[1], field[0])), pair[0] if self.lang == ZH else pair[1])

    def join_items(self, items: list[str]) -> str:
        """Return an enumeration."""
        return i18n.translate(", ", self.lang, context="enumeration").join(items)

    def join_clauses(self, items: list[str]) -> str:
        """Return clauses in a row."""
        return i18n.translate("; ", self.lang).join(items)

    def join_sentences(self, items: list[str]) -> str:
        """Return sentences in a row."""
        return ("" if self.lang == ZH else " ").join(items)

    def localize_entry(self, entry: dict[str, object], key: str) -> str:
        """Return a bilingual entry's text: `key_en` in English where there is one, else `key`."""
        told = (entry.get(f"{key}_en") if self.lang == EN else None) or entry.get(key) or entry.get(f"{key}_en") or ""
        return " ".join(str(told).split())


def count_han(text: str) -> int:
    """Return how many signs of a text are Chinese; a class of so many signs takes long to compile."""
    return 0 if text.isascii() else sum("\u3400" <= sign <= "\u9fff" for sign in text)


def language(text: str, fallback: str) -> str:
    """Return the language of a message; names of securities do not decide it, and a bare code leaves it open."""
    if han := count_han(text):
        return EN if len(_PLAIN.findall(text)) >= 3 and han <= 8 else ZH
    return EN if len(_WORD.findall(text)) >= 2 else fallback


def number(value: float | None, unit: str = "", speak: AnswerVoice | None = None) -> str:
    """Return a figure as it is read: signed percents, prices with their cents, `–` where there is none.

    >>> number(3.4161, "percent"), number(82.54, "price"), number(1749.5, "price"), number(None), number(1.5, "shares")
    ('+3.4%', '82.54', '1,749.50', '–', '1.5')
    """
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    if unit == "percent":
        return f"{value:+.1f}%" if abs(value) >= 0.05 else "0.0%"
    if unit == "percent_plain":
        return f"{value:.1f}%"
    if unit == "price":
        return f"{value:,.2f}" if abs(value) < 1e6 else compact(value, speak)
    if unit == "points":
        return f"{value:.1f}"
    if unit == "shares":
        return f"{value:,.6f}".rstrip("0").rstrip(".")
    if unit == "count":
        return f"{value:,.0f}"
    if unit == "days":
        told = f"{value:.0f}"
        return told if speak is None else speak(PluralText("{count} day", "{count} days"), count=told)
    return f"{value:,.2f}" if abs(value) < 1e6 else compact(value, speak)


def compact(value: float, speak: AnswerVoice | None) -> str:
    """Return a large number in the units of the language: 亿 and 万, or bn and m."""
    lang = EN if speak is None else speak.lang
    for size, name in LARGE_UNITS[lang]:
        if abs(value) >= size > 1e3:
            return f"{value / size:.2f}{name}" if lang == ZH else f"{value / size:.2f} {name}"
    return f"{value:,.0f}"
