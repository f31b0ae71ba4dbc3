"""Everything that can go wrong, and the exit status that each kind carries.

IaError 70          InternalError: a bug of ours
├── UsageError 2      the words of the call are wrong
├── BadData 65        malformed input; an expression that does not parse or raises
├── NotFound 66       what was named does not exist
├── Unavailable 69    a source or model refused for good
├── TryLater 75       timeout, ban, rate limit, held lock: the same call may work later
│   └── NoAnswer      nothing came in time: another try would take as long
├── Refused 77        policy, permission, sandbox, or a confirmation that was not given
├── ConfigError 78    configuration
└── TimedOut 124      a time limit ran out

A message is an English template with named fields, so that the command line can say it in another language:
``NotFound("{path}: no such note", path="a.md", hint="see `ia note list`")``.
"""

import re
from collections.abc import Callable


class Message:
    """A sentence for the user: an English template and the values of its fields."""

    __slots__ = ("params", "template")

    def __init__(self, template: str, /, **params: object) -> None:
        self.template = template
        self.params = params

    def __str__(self) -> str:
        return fill(self.template, self.params)


DEBUG = "IA_DEBUG=1 prints the traceback"

Notify = Callable[[Message], None]
"""How an organ tells its caller something that is no failure (rows dropped, prices simulated)."""


def silent(_: Message) -> None:
    """The Notify that drops what it is told."""


def once(notify: Notify) -> Notify:
    """Return a Notify that tells each sentence one time: three looks at simulated prices are one warning."""
    told: set[str] = set()

    def tell(message: Message) -> None:
        if str(message) not in told:
            told.add(str(message))
            notify(message)

    return tell


def fill(template: str, params: dict[str, object]) -> str:
    """Return the template with its fields filled in; without params it stands as it is, braces included.

    A message must not fail while it tells of a failure: a field without a value is left as `?`, a value that does not
    suit its format is written plainly.

    >>> fill("{name}: {share:.1f} % of {total}", {"name": "cash", "share": "half"})
    'cash: half % of ?'
    """
    if not params:
        return template
    try:
        return template.format_map(params)
    except (LookupError, ValueError, TypeError, AttributeError):
        return re.sub(r"\{(\w*)[^{}]*\}", lambda found: str(params.get(found[1], "?")), template)


class IaError(Exception):
    """A failure that the user reads as one line. `hint`, if any, is a second line: what to type next."""

    status = 70

    def __init__(self, template: str, /, *, hint: str | None = None, **params: object) -> None:
        super().__init__(fill(template, params))
        self.template = template
        self.params = params
        self.hint = hint


class InternalError(IaError):
    """A bug of ours, in words for people: neither the class nor the text of the Python error is in them.

    what   where it happened: a command, a tool, a part of an answer
    kept   whether the details are in the audit trail already
    """

    def __init__(self, what: object, *, kept: bool = False) -> None:
        hint = "`ia log --kind fault` has the details; IA_DEBUG=1 prints the traceback, which a report needs"
        super().__init__("internal error in {what}", what=what, hint=hint if kept else DEBUG)
        self.kept = kept


class UsageError(IaError):
    status = 2


class BadData(IaError):
    status = 65


class NotFound(IaError):
    status = 66


class Unavailable(IaError):
    status = 69


class TryLater(IaError):
    status = 75


class NoAnswer(TryLater):
    pass


class Refused(IaError):
    status = 77


class ConfigError(IaError):
    status = 78


class TimedOut(IaError):
    status = 124
