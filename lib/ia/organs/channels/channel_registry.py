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
BUILT_IN = {"telegram": "ia.organs.channels.telegram_channel:Telegram"}
APPRISE = "ia.organs.channels.apprise_channel:Apprised"

ME = "me"
"""The user: the channels that `messaging.default` names."""
CLI = "cli"
"""The inbox, told at the next command at a terminal. Always there."""
DEFAULT = "messaging.default"
PREFIX = "channels."


class Unsent(TryLater):
    """A failure before anything left this machine, or that took nothing: sending again repeats nothing."""


def partial_failure(failure: TryLater | Unavailable, number: int, count: int) -> TryLater | Unavailable:
    """Return the failure of a message of `count` parts: as it is where none has arrived, else how many have."""
    if number == 0:
        return failure
    kind = TryLater if isinstance(failure, TryLater) else Unavailable
    return kind("{reason}; {number} of {count} parts arrived", reason=failure, number=number, count=count)


def connection_failure(scheme: str, cause: str) -> Unsent:
    """Return the failure of a connection that never was, its cause in words where an exception's text has any.

    The text itself is not told: it may name what an address holds.
    """
    reason = None
    if re.search(r"refused", cause, re.I):
        reason = Message("connection refused")
    elif re.search(r"gaierror|NameResolution|Name or service|name resolution|nodename", cause, re.I):
        reason = Message("host not found")
    elif re.search(r"timeout|timed out", cause, re.I):
        reason = Message("timed out")
    elif re.search(r"ssl|certificate", cause, re.I):
        reason = Message("the certificate is not trusted")
    elif re.search(r"unreachable|no route", cause, re.I):
        reason = Message("host unreachable")
    if reason is None:
        return Unsent("{scheme}: connection failed", scheme=scheme)
    return Unsent("{scheme}: connection failed ({reason})", scheme=scheme, reason=reason)


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


def channel_names() -> list[str]:
    """Return the names of all channels, the inbox first."""
    return [CLI, *(name.removeprefix(PREFIX) for name in config.setting_names() if name.startswith(PREFIX))]


def default_channels() -> list[str]:
    """Return the channels that are the user."""
    return _split_names(str(config.get_setting(DEFAULT) or CLI)) or [CLI]


def resolve_recipient(to: str) -> list[str]:
    """Return the names of the channels that a recipient is: a comma list of names, and `me`.

    raises  NotFound for one that there is not.
    """
    wanted = _split_names(to) or [ME]
    return _require_channels([channel for name in wanted for channel in (default_channels() if name == ME else [name])])


def check_default(value: str) -> None:
    """Raise NotFound where a new `messaging.default` names what is no channel; `me` is none."""
    _require_channels(_split_names(value))


def _split_names(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _require_channels(found: list[str]) -> list[str]:
    """Return the names, each once, all of them channels."""
    for name in found:
        if name != CLI and not _is_configured(name):
            raise NotFound(
                "{channel}: no such channel",
                channel=name[:80],
                known=", ".join([ME, *channel_names()]),
                hint="available: {known}; add one with `ia config set channels.NAME ADDRESS`",
            )
    return list(dict.fromkeys(found))


def _is_configured(name: str) -> bool:
    return config.is_channel_key(PREFIX + name) and config.locate_setting(PREFIX + name)[0] is not None


def channel_address(name: str) -> str:
    """Return the address of a channel, references filled in.

    raises  NotFound; ConfigError where it refers to what is not set.
    """
    resolve_recipient(name)
    return str(config.get_setting(PREFIX + name))


def check_address(name: str, address: str) -> None:
    """Look at an address before it is written to config.yaml; references that are not set yet are no mistake.

    raises  ConfigError for an unknown scheme or an incomplete address; UsageError where a secret stands in it.
    """
    config.edit_config_text("", PREFIX + name, address)
    scheme_of(address)
    if "${" not in address and getattr(open_channel(address), "private", False):
        raise UsageError(
            "{name}: secrets do not belong in config.yaml",
            name=PREFIX + name,
            scheme=scheme_of(address),
            hint="store it with `ia config secret TOKEN`, and write ${{TOKEN}} instead: '{scheme}://${{TOKEN}}/…'",
        )


def open_channel(address: str) -> Channel:
    """Return the channel behind an address. Its library is loaded, nothing is sent.

    raises  ConfigError for an unknown scheme, or an address that is none of its scheme.
    """
    scheme = scheme_of(address)
    target = BUILT_IN.get(scheme) or _installed_schemes().get(scheme) or APPRISE
    from importlib import import_module

    module, _, attribute = target.partition(":")
    try:
        kind = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as exc:
        raise ConfigError("cannot load the channel {scheme}: {reason}", scheme=scheme, reason=str(exc)) from exc
    return cast(Channel, kind(address))


def scheme_of(address: str) -> str:
    """Return the scheme of an address, in lower case.

    raises  ConfigError where it has none.
    """
    found = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]{0,39}):", address)
    if found is None:
        raise ConfigError(
            "a channel's address must begin with its scheme",
            hint="write an address such as ntfy://TOPIC or telegram:CHAT",
        )
    return found[1].lower()


def _installed_schemes() -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=GROUP) if point.name != "apprise"}


def find_problems() -> list[Message]:
    """Return what is wrong with the channels that are set: no address, an unknown scheme, a secret that is not set."""
    found: list[Message] = []
    for name in channel_names()[1:]:
        try:
            config.check_key(PREFIX + name)
            open_channel(str(config.get_setting(PREFIX + name)))
        except IaError as exc:
            found.append(Message("{channel}: {reason}", channel=name, reason=exc))
    try:
        resolve_recipient(ME)
    except IaError as exc:
        found.append(Message("{channel}: {reason}", channel=DEFAULT, reason=exc))
    return found
