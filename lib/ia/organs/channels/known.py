"""The channels that there are: the inbox at the command line, and those that the user named in config.yaml.

`channels.NAME` is an address: `SCHEME:…`. A scheme belongs to a class, found in the entry-point group
`ia.organs.channels`; what no package claims is Apprise's, which knows a hundred services. An address may hold a key
to somebody's account: it is shown by its scheme alone, and what goes wrong is told without it.
"""

import re
from typing import Protocol, cast

from ia.kernel import config
from ia.kernel.errors import ConfigError, IaError, Message, NotFound, TryLater, Unavailable, UsageError

GROUP = "ia.channels"
"""Entry-point group: the scheme of an address -> `module:class` of a Channel."""
BUILT_IN = {"telegram": "ia.organs.channels.telegram:Telegram"}
APPRISE = "ia.organs.channels.apprised:Apprised"

ME = "me"
"""The user: the channels that `messaging.default` names."""
CLI = "cli"
"""The inbox, told at the next command at a terminal. Always there."""
DEFAULT = "messaging.default"
PREFIX = "channels."


class Unsent(TryLater):
    """A failure before anything left this machine, or that took nothing: sending again repeats nothing."""


def cut_off(failure: TryLater | Unavailable, number: int, count: int) -> TryLater | Unavailable:
    """Return the failure of a message of `count` parts: as it is where none has arrived, else how many have."""
    if number == 0:
        return failure
    kind = TryLater if isinstance(failure, TryLater) else Unavailable
    return kind("{reason}; {number} of {count} parts arrived", reason=failure, number=number, count=count)


def unreached(scheme: str, cause: str) -> Unsent:
    """Return the failure of a connection that never was, its cause in words where an exception's text has any.

    The text itself is not told: it may name what an address holds.
    """
    reason = None
    if re.search(r"refused", cause, re.I):
        reason = Message("connection refused")
    elif re.search(r"gaierror|NameResolution|Name or service|name resolution|nodename", cause, re.I):
        reason = Message("no such host")
    elif re.search(r"timeout|timed out", cause, re.I):
        reason = Message("timed out")
    elif re.search(r"ssl|certificate", cause, re.I):
        reason = Message("no trusted certificate")
    elif re.search(r"unreachable|no route", cause, re.I):
        reason = Message("no way to the host")
    if reason is None:
        return Unsent("{scheme}: no connection", scheme=scheme)
    return Unsent("{scheme}: no connection ({reason})", scheme=scheme, reason=reason)


class Channel(Protocol):
    """What takes a message to somebody."""

    def __init__(self, address: str) -> None:
        """Take an address of the scheme, references filled in. Nothing is sent, and no connection made.

        raises  ConfigError where it is none; the address must not stand in the message.
        """

    def send(self, text: str, title: str = "") -> None:
        """Deliver a text as it is, whole, in parts where the service's limit asks for it. Follows no redirection.

        raises  TryLater where the network or the service failed and may not later (limits, timeouts, 5xx), Unsent
                where it is certain that nothing arrived; Unavailable where it refused. None of them says the address.
        """
        ...


def names() -> list[str]:
    """Return the names of all channels, the inbox first."""
    return [CLI, *(name.removeprefix(PREFIX) for name in config.names() if name.startswith(PREFIX))]


def default() -> list[str]:
    """Return the channels that are the user."""
    return _split(str(config.get(DEFAULT) or CLI)) or [CLI]


def meant(to: str) -> list[str]:
    """Return the names of the channels that a recipient is: a comma list of names, and `me`.

    raises  NotFound for one that there is not.
    """
    wanted = _split(to) or [ME]
    return _there([channel for name in wanted for channel in (default() if name == ME else [name])])


def check_default(value: str) -> None:
    """Raise NotFound where a new `messaging.default` names what is no channel; `me` is none."""
    _there(_split(value))


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _there(found: list[str]) -> list[str]:
    """Return the names, each once, all of them channels."""
    for name in found:
        if name != CLI and not _configured(name):
            raise NotFound(
                "{channel}: no such channel", channel=name[:80], known=", ".join([ME, *names()]),
                hint="there is: {known}; add one with `ia config set channels.NAME ADDRESS`",
            )  # fmt: skip
    return list(dict.fromkeys(found))


def _configured(name: str) -> bool:
    return config.channel(PREFIX + name) and config.lookup(PREFIX + name)[0] is not None


def address(name: str) -> str:
    """Return the address of a channel, references filled in.

    raises  NotFound; ConfigError where it refers to what is not set.
    """
    meant(name)
    return str(config.get(PREFIX + name))


def check(name: str, address: str) -> None:
    """Look at an address before it is written to config.yaml; references that are not set yet are no mistake.

    raises  ConfigError for an unknown scheme or an incomplete address; UsageError where a secret stands in it.
    """
    config.edited("", PREFIX + name, address)
    scheme_of(address)
    if "${" not in address and getattr(opened(address), "private", False):
        raise UsageError(
            "{name}: a secret does not belong into config.yaml", name=PREFIX + name, scheme=scheme_of(address),
            hint="keep it with `ia config secret TOKEN`, and write ${{TOKEN}} in its place: '{scheme}://${{TOKEN}}/…'",
        )  # fmt: skip


def opened(address: str) -> Channel:
    """Return the channel behind an address. Its library is loaded, nothing is sent.

    raises  ConfigError for an unknown scheme, or an address that is none of its scheme.
    """
    scheme = scheme_of(address)
    target = BUILT_IN.get(scheme) or _others().get(scheme) or APPRISE
    from importlib import import_module

    module, _, attribute = target.partition(":")
    try:
        kind = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as exc:
        raise ConfigError("the channel {scheme} cannot be loaded: {reason}", scheme=scheme, reason=str(exc)) from exc
    return cast(Channel, kind(address))


def scheme_of(address: str) -> str:
    """Return the scheme of an address, in lower case.

    raises  ConfigError where it has none.
    """
    found = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]{0,39}):", address)
    if found is None:
        raise ConfigError("a channel's address begins with its scheme", hint="such as ntfy://TOPIC or telegram:CHAT")
    return found[1].lower()


def _others() -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=GROUP) if point.name != "apprise"}


def problems() -> list[Message]:
    """Return what is wrong with the channels that are set: no address, an unknown scheme, a secret that is not set."""
    found: list[Message] = []
    for name in names()[1:]:
        try:
            config.known(PREFIX + name)
            opened(str(config.get(PREFIX + name)))
        except IaError as exc:
            found.append(Message("{channel}: {reason}", channel=name, reason=exc))
    try:
        meant(ME)
    except IaError as exc:
        found.append(Message("{channel}: {reason}", channel=DEFAULT, reason=exc))
    return found
