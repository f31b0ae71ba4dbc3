"""What Python says of a source that does not parse, as sentences that the command line can say in another language."""

import re

from ia.kernel.errors import Message

_WITH_FIELDS = (
    ("invalid character {char} ({point})", r"invalid character (?P<char>'.+') \((?P<point>U\+\w+)\)"),
    ("invisible character {point}", r"invalid non-printable character (?P<point>U\+\w+)"),
    (
        "closing {found} does not match opening {opened}",
        r"closing parenthesis (?P<found>'.') does not match opening parenthesis (?P<opened>'.').*",
    ),
    ("{bracket} was never closed", r"(?P<bracket>'.') was never closed"),
    ("unmatched {bracket}", r"(?:f-string: )?unmatched (?P<bracket>'.')"),
    ("expected {what}", r"expected (?P<what>'[^']+')"),
    ("expected an indented block", r"expected an indented block.*"),
    ("an expression cannot be assigned to; == compares", r"cannot assign to .*|expression cannot contain assignment.*"),
    ("a text is not closed", r"unterminated (?:triple-quoted |f-)*string literal.*"),
    ("invalid syntax; a comma may be missing", r"invalid syntax\. Perhaps you forgot a comma\?"),
    ("invalid syntax; == compares", r"invalid syntax\. Maybe you meant '==' .*"),
    ("'return' outside a function", r"'return' outside function"),
)


def why(error: SyntaxError) -> Message:
    """Return what is wrong as a message; what Python says in some other way is taken over as it is.

    >>> str(why(SyntaxError("'(' was never closed")))
    "'(' was never closed"
    >>> why(SyntaxError("unmatched ')'")).template
    'unmatched {bracket}'
    """
    text = " ".join((error.msg or "invalid syntax").split())
    for template, pattern in _WITH_FIELDS:
        found = re.fullmatch(pattern, text)
        if found is not None:
            return Message(template, **{key: value or "" for key, value in found.groupdict().items()})
    return Message(text)
