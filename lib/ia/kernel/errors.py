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

The program itself never reads such a sentence. What it must distinguish is the kind, the fields, or the `code`: a short
slug that stays when the wording changes. It is typed as an object since fields are handed on as `**dict[str, object]`.
"""

import re
from collections.abc import Callable, Mapping


class PluralText(str):
    """A template with a form for the number 1, the text itself, and one for others; the field `by` has the number.

    >>> kept = PluralText("{count} file kept", "{count} files kept")
    >>> str(Message(kept, count=1)), str(Message(kept, count=0))
    ('1 file kept', '0 files kept')
    """

    __slots__ = ("by", "plural")
    by: str
    plural: str

    def __new__(cls, one: str, many: str, *, by: str = "count") -> "PluralText":
        self = super().__new__(cls, one)
        self.plural, self.by = many, by
        return self

    def number_form(self, params: Mapping[str, object]) -> int:
        """Return 1 where the number among the fields is 1, else 2. A number may be written out: "1"."""
        return 1 if str(params.get(self.by)) == "1" else 2


class Message:
    """A sentence for the user: an English template and the values of its fields.

    code    what the program knows the message by, "" where nothing distinguishes it
    """

    __slots__ = ("code", "params", "template")

    def __init__(self, template: str, /, *, code: object = "", **params: object) -> None:
        self.template = template
        self.code = str(code)
        self.params = params

    def __str__(self) -> str:
        return fill_template(self.template, self.params)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Message):
            return NotImplemented
        return (self.template, self.code, self.params) == (other.template, other.code, other.params)

    def __hash__(self) -> int:
        return hash((self.template, self.code))


class Simulated(Message):
    """A notice that what the command reads is simulated; the report of a task's run repeats it."""

    __slots__ = ()


class SimulatedPrices(Simulated):
    """A notice that the prices of one security (`symbol`) are simulated by a market (`adapter`)."""

    __slots__ = ()


class SimulatedBesides(Simulated):
    """A notice that something else than prices is simulated: news, dates, exchange rates."""

    __slots__ = ()


DEBUG = "set IA_DEBUG=1 to print the traceback"

Notify = Callable[[Message], None]
"""How an organ tells its caller something that is no failure (rows dropped, prices simulated)."""


def drop_message(_: Message) -> None:
    """The Notify that drops what it is told."""


def notify_once(notify: Notify) -> Notify:
    """Return a Notify that tells each sentence one time: three looks at simulated prices are one warning."""
    told: set[str] = set()

    def notify_new(message: Message) -> None:
        if str(message) not in told:
            told.add(str(message))
            notify(message)

    return notify_new


def fill_template(template: str, params: Mapping[str, object]) -> str:
    """Return the template with its fields filled in; without params it stands as it is, braces included.

    A message must not fail while it tells of a failure: a field without a value is left as `?`, a value that does not
    suit its format is written plainly.

    >>> fill_template("{name}: {share:.1f} % of {total}", {"name": "cash", "share": "half"})
    'cash: half % of ?'
    """
    if not params:
        return template
    if isinstance(template, PluralText) and template.number_form(params) != 1:
        template = template.plural
    try:
        return template.format_map(params)
    except (LookupError, ValueError, TypeError, AttributeError):
        return re.sub(r"\{(\w*)[^{}]*\}", lambda found: str(params.get(found[1], "?")), template)


class IaError(Exception):
    """A failure that the user reads as one line. `hint`, if any, is a second line: what to type next.

    code    what the program knows the failure by: that of its kind, unless the place that raises it names one
    """

    status = 70
    code = "failed"

    def __init__(self, template: str, /, *, code: object = "", hint: str | None = None, **params: object) -> None:
        super().__init__(fill_template(template, params))
        self.template = template
        self.code = str(code or self.code)
        self.params = params
        self.hint = hint


class InternalError(IaError):
    """A bug of ours, in words for people: neither the class nor the text of the Python error is in them.

    what   where it happened: a command, a tool, a part of an answer
    kept   whether the details are in the audit trail already
    """

    code = "internal"

    def __init__(self, what: object, *, kept: bool = False) -> None:
        hint = "see `ia log --kind fault` for details; to report the problem, add the traceback that IA_DEBUG=1 prints"
        super().__init__("internal error in {what}", what=what, hint=hint if kept else DEBUG)
        self.kept = kept


class UsageError(IaError):
    """The words of the call are wrong."""

    status = 2
    code = "usage"


class BadData(IaError):
    """The input is malformed; an expression does not parse or raises."""

    status = 65
    code = "bad-data"


class NotFound(IaError):
    """The thing that was named does not exist."""

    status = 66
    code = "not-found"


class Unavailable(IaError):
    """A source or model refused for good."""

    status = 69
    code = "unavailable"


class TryLater(IaError):
    """Timeout, ban, rate limit, held lock: the same call may work later."""

    status = 75
    code = "try-later"


class NoAnswer(TryLater):
    """Nothing came in time: another try would take as long."""

    code = "no-answer"


class Refused(IaError):
    """Policy, permission, sandbox, or a confirmation that was not given."""

    status = 77
    code = "refused"


class ConfigError(IaError):
    """The configuration is wrong."""

    status = 78
    code = "config"


class TimedOut(IaError):
    """A time limit ran out."""

    status = 124
    code = "timed-out"
