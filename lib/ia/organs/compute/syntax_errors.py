"""What Python says of a source that does not parse, as sentences that the command line can say in another language."""

import re

from ia.kernel.errors import Message
from ia.kernel.i18n import mark_text, mark_texts

_WITH_FIELDS = (
    (
        mark_text("invalid character {char} ({point}); use the ASCII character"),
        r"invalid character (?P<char>'.+') \((?P<point>U\+\w+)\)",
    ),
    (mark_text("invisible character {point}; delete it"), r"invalid non-printable character (?P<point>U\+\w+)"),
    (
        mark_text("closing {found} does not match opening {opened}"),
        r"closing parenthesis (?P<found>'.') does not match opening parenthesis (?P<opened>'.').*",
    ),
    (mark_text("{bracket} was never closed"), r"(?P<bracket>'.') was never closed"),
    (mark_text("unmatched {bracket}"), r"(?:f-string: )?unmatched (?P<bracket>'.')"),
    (mark_text("expected {what}"), r"expected (?P<what>'[^']+')"),
    (mark_text("expected an indented block"), r"expected an indented block.*"),
    (
        mark_text("cannot assign to an expression; use == to compare"),
        r"cannot assign to .*|expression cannot contain assignment.*",
    ),
    (mark_text("unterminated string"), r"unterminated (?:triple-quoted |f-)*string literal.*"),
    (mark_text("invalid syntax; a comma may be missing"), r"invalid syntax\. Perhaps you forgot a comma\?"),
    (mark_text("invalid syntax; use == to compare"), r"invalid syntax\. Maybe you meant '==' .*"),
    (mark_text("'return' outside a function"), r"'return' outside function"),
)
"""A sentence, and the pattern of what Python says in its place."""
mark_texts(  # which Python says, and which stand as they are
    "invalid syntax", "unexpected indent", "unindent does not match any outer indentation level",
    "unexpected EOF while parsing", "invalid decimal literal", "positional argument follows keyword argument",
    "unexpected character after line continuation character",
)  # fmt: skip


def explain_syntax_error(error: SyntaxError) -> Message:
    """Return what is wrong as a message; what Python says in some other way is taken over as it is.

    >>> str(explain_syntax_error(SyntaxError("'(' was never closed")))
    "'(' was never closed"
    >>> explain_syntax_error(SyntaxError("unmatched ')'")).template
    'unmatched {bracket}'
    """
    text = " ".join((error.msg or "invalid syntax").split())
    for template, pattern in _WITH_FIELDS:
        found = re.fullmatch(pattern, text)
        if found is not None:
            return Message(template, **{key: value or "" for key, value in found.groupdict().items()})
    return Message(text)
