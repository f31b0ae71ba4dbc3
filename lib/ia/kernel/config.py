"""Settings: the environment, config.yaml and the defaults, in this order; and the only reader of os.environ.

`config.yaml` is for people: comments and order survive `ia config set`. Because every command asks for a setting, the
parsed file is kept as JSON under `.ia/cache`, and read again when its size or mtime changes.
A value may refer to a secret as `${NAME}`: it comes from the environment, else from what `ia config secret` keeps in
`.ia/secrets` (cron's jobs see no profile of a shell). Secrets are never printed, nor are the addresses of channels,
most of which hold one.
"""

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from stat import S_ISREG
from typing import Any, NamedTuple

from ia.kernel import files
from ia.kernel.errors import BadData, ConfigError, NotFound, UsageError
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

Value = str | int | float | bool | None


class Key(NamedTuple):
    """One setting: its dotted name, type, default, choices if they are closed, and what it is for."""

    name: str
    type: type
    default: Value
    text: str
    choices: tuple[str, ...] = ()


KEYS = (
    Key("lang", str, None, "language of messages (default: that of the locale)", ("zh", "en")),
    Key("market.adapter", str, "akshare", "data source of prices, or a comma-separated fallback chain"),
    Key("market.csv.dir", str, None, "folder of the csv adapter, with one file per symbol"),
    Key("market.tushare.token", str, "${TUSHARE_TOKEN}", "token of the tushare adapter"),
    Key("market.timeout", float, 15.0, "seconds without data before a request times out"),
    Key("market.relay", str, None, "your relay server, which ia asks instead of the data hosts: RELAY/HOST/PATH"),
    Key("market.history_years", int, 10, "years of bars that the first sync fetches"),
    Key("pictures.up", str, "market", "color of rising prices; `blue` is safe for color-blind readers",
        ("market", "red", "green", "blue")),
    Key("ledger.method", str, "average", "cost basis of sales: `average` or `fifo`", ("average", "fifo")),
    Key("ledger.base", str, "CNY", "currency of totals over several currencies", ("CNY", "HKD", "USD")),
    Key("ledger.commission_pct", str, "0.025", "commission of your broker, percent of the amount"),
    Key("ledger.commission_min", str, "5", "minimum commission per trade"),
    Key("ledger.commission_cn", str, None, "mainland commission, such as `0.025% min 5` (default: the two settings "
                                           "above)"),
    Key("ledger.commission_hk", str, None, "Hong Kong commission, such as `0.03% min 3`"),
    Key("ledger.commission_us", str, None, "US commission, such as `0.0049/share min 0.99`, `0.03%` or `0`"),
    Key("ledger.capital", str, None, "capital that you invest, used if the ledger has no deposit: `100000 CNY`"),
    Key("risk.position_pct", str, "20", "largest share of the account in one security (%)"),
    Key("risk.day_warning_pct", str, "5", "daily loss that triggers a warning (%)"),
    Key("risk.day_stop_pct", str, "8", "daily loss after which ia refuses purchases (%)"),
    Key("risk.stop_loss_pct", str, "7", "loss of a position that triggers a stop-loss reminder (%)"),
    Key("risk.cooling_hours", str, "24", "cooldown: minimum hours between two trades in one security"),
    Key("risk.rise_pct", str, "5", "daily rise above which ia refuses a purchase (%)"),
    Key("compute.timeout", float, 30.0, "time limit of one `ia compute`, in seconds"),
    Key(
        "compute.isolation", str, "require",
        "sandbox for code that you did not type: `require` it or `prefer` it", ("require", "prefer"),
    ),
    Key("memory.index_lines", int, 2000, "number of newest entries that MEMORY.md lists; `ia recall` finds all"),
    Key("recall.half_life", float, 180.0, "days after which the weight of a search result halves"),
    Key("embedding.url", str, None, "address of an OpenAI-compatible embeddings service, up to `/v1` (default: words "
                                    "alone)"),
    Key("embedding.model", str, None, "model of the embeddings service"),
    Key("embedding.api_key", str, "${IA_EMBEDDING_KEY}", "key of the embeddings service"),
    Key("embedding.dimensions", int, None, "dimension of the vectors (default: that of the model)"),
    Key("embedding.query_prefix", str, None, "text before each question, as the model wants it"),
    Key("embedding.document_prefix", str, None, "text before each passage, as the model wants it"),
    Key("embedding.weight", float, 0.3, "weight of vectors beside words, 0 to 1"),
    Key("embedding.max_cost", float, 1.0, "maximum cost of one `ia knowledge index --embed`, in `prices.currency`"),
    Key("web.server", str, None, "command or http address of the MCP server that searches the web (default: none)"),
    Key("web.search", str, "search", "search tool of that server: `TOOL query=NAME n=NAME before=NAME`, names of its "
                                     "arguments"),
    Key("web.fetch", str, None, "tool of that server that fetches a page: `TOOL url=NAME` (default: ia fetches it)"),
    Key("web.env", str, None, "variables for that server, comma-separated: `TAVILY_API_KEY=${TAVILY_API_KEY}`"),
    Key("web.token", str, "${IA_WEB_TOKEN}", "bearer token for the address of that server"),
    Key("web.private_networks", str, None, "private networks whose pages ia may fetch, comma-separated: `10.0.0.0/8` "
                                           "(default: none)"),
    Key("skills.disabled", str, None, "disabled skills, comma-separated"),
    Key("model", str, None, "language model of `ia turn` (default: the embedded analyst)"),
    Key("messaging.recipients", str, None, "more channels, besides yours, that a model may send to, comma-separated"),
    Key("messaging.default", str, "cli", "channels that reach you, comma-separated"),
    Key("telegram.token", str, "${TELEGRAM_TOKEN}", "token of the Telegram bot"),
    Key("telegram.api", str, "https://api.telegram.org", "address of the Telegram Bot API"),
    Key("telegram.owner", str, None, "your Telegram user ID; it may write to the bot and approve"),
    Key("telegram.users", str, None, "user IDs of others who may write to the bot, comma-separated"),
    Key("telegram.codes", str, "chat", "where ia shows approval codes: `chat` or `terminal`", ("chat", "terminal")),
    Key("webhook.secret", str, "${IA_WEBHOOK_SECRET}", "secret that verifies what `ia listen webhook` receives"),
    Key("webhook.form", str, None, "how senders sign: standard (default if the secret begins with whsec_) or github",
        ("standard", "github")),
    Key("webhook.port", int, 8787, "port that `ia listen webhook` listens on"),
    Key("turn.timeout", float, 60.0, "seconds without data before a model call times out"),
    Key("turn.deadline", float, 600.0, "time limit of one turn, in seconds"),
    Key("turn.max_steps", int, 12, "maximum number of model calls in one turn"),
    Key("turn.max_cost", float, 1.0, "maximum cost of one command, in `prices.currency`"),
    Key("turn.max_cost_day", float, 5.0, "maximum cost of one day, in `prices.currency`"),
    Key("turn.max_cost_month", float, 50.0, "maximum cost of one month, in `prices.currency`"),
    Key("turn.max_tokens", int, None, "maximum number of tokens per command (default: 500000 for a model without a "
                                      "price)"),
    Key("turn.max_tokens_day", int, None, "maximum number of tokens per day"),
    Key("turn.max_tokens_month", int, None, "maximum number of tokens per month"),
    Key("prices.currency", str, "USD", "currency of model prices and cost caps"),
)  # fmt: skip
SPEC = {key.name: key for key in KEYS}
CHANNEL_NAME = r"[a-z0-9][a-z0-9_-]{0,39}"
DEFAULT_HOME = "~/ia"
MAX_FILE = 200_000  # bytes
SECRET = ("token", "secret", "password", "apikey", "api_key")


def env(name: str, default: str | None = None) -> str | None:
    """Return an environment variable; set but empty counts as not set."""
    return os.environ.get(name) or default


def run_number() -> int | None:
    """Return the number of the task's run that this process is part of (`IA_RUN`); None at a person's hand.

    What is set and is no number is a run all the same, of no number: nobody becomes a person by a misspelt variable.
    """
    number = (env("IA_RUN", "") or "").strip()
    if not number:
        return None
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 16 else 0


def child_environment(over: dict[str, str]) -> dict[str, str]:
    """Return the whole environment with these variables over it: what a child process is started with."""
    return {**os.environ, **over}


def run_environment(over: dict[str, str]) -> dict[str, str]:
    """Return environment() for a task's run, without what only listeners and channels need: it sends nothing itself."""
    gone = unneeded_variables("webhook.secret", "telegram.token", "channels.")
    return {name: value for name, value in child_environment(over).items() if name not in gone}


def unneeded_variables(*keys: str) -> set[str]:
    """Return the variables that settings refer to, where no other setting does; a key may be the beginning of several.

    A config.yaml that cannot be read counts as none.
    """
    try:
        stored = _load_file()
    except ConfigError:
        stored = {}
    written = [*stored.items(), *((key.name, key.default) for key in KEYS)]
    kept: set[str] = set()
    gone = {variable_of(key) for key in keys if key in SPEC}
    for name, value in written:
        into = gone if name.startswith(keys) else kept
        into.update(_REFERENCE.findall(value) if isinstance(value, str) else ())
    return gone - kept - {"HOME", "PATH", "USER", "LOGNAME", "LANG", "TZ"}


def override_variable(name: str, value: str) -> None:
    """Set a variable for this process and its children: how `--home`, `--now` and `--lang` reach everybody."""
    os.environ[name] = value


@contextlib.contextmanager
def replace_environment(over: Mapping[str, str], *, keep: tuple[str, ...] | None = ()) -> Iterator[None]:
    """Have these variables for a while, for this process and its children.

    keep  variables `IA_…` that stay as they are, the others go; None: all stay
    """
    before = dict(os.environ)
    gone = [] if keep is None else [name for name in before if name.startswith("IA_") and name not in keep]
    try:
        for name in gone:
            del os.environ[name]
        os.environ.update(over)
        time.tzset()
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()


def home() -> str:
    """Return the workspace's folder: `IA_HOME`, else `~/ia`."""
    return os.path.abspath(os.path.expanduser(env("IA_HOME", DEFAULT_HOME) or DEFAULT_HOME))


def require_home(folder: str | None = None) -> None:
    """Raise NotFound where the workspace's folder is missing, and is not the default, which the first write makes.

    folder  the workspace; that of home() without it
    """
    path = folder or home()
    if os.path.isdir(path) or path == os.path.abspath(os.path.expanduser(DEFAULT_HOME)):
        return
    if os.path.lexists(path) and not os.path.islink(path):
        raise NotFound("the workspace {home} is not a folder", home=path, hint="choose another with --home or IA_HOME")
    from shlex import quote

    raise NotFound(
        "workspace {home} does not exist",
        home=path,
        quoted=quote(path),
        hint="create it with `ia --home {quoted} init`",
    )


def user_state() -> str:
    """Return the folder for what all workspaces of this user share (host limits): `$XDG_STATE_HOME/ia`."""
    base = env("XDG_STATE_HOME", os.path.expanduser("~/.local/state")) or ""
    return os.path.join(base, "ia")


def user_cache() -> str:
    """Return the folder for what can be made again, for all workspaces of this user: `$XDG_CACHE_HOME/ia`."""
    base = env("XDG_CACHE_HOME", os.path.expanduser("~/.cache")) or ""
    return os.path.join(base, "ia")


def get_setting(name: str) -> Any:
    """Return the value of a setting, typed, with `${NAME}` filled in.

    raises  ConfigError where the value does not fit its key, or refers to a variable that is not set.
    """
    raw, origin = locate_setting(name)
    _refuse_reference(name, raw, ConfigError)
    return (
        None
        if raw is None
        else _convert_value(name, _expand_references(name, raw, optional=origin == "default"), ConfigError)
    )


def get_setting_words(name: str) -> list[str]:
    """Return the words of a setting that is a comma list, in its order. Raises as get()."""
    return [word for part in str(get_setting(name) or "").split(",") if (word := part.strip())]


def locate_setting(name: str) -> tuple[Value, str]:
    """Return the value as written, references unresolved, and where it stands: environment, config.yaml or default."""
    if (value := env(variable_of(name))) is not None:
        return value, "environment"
    stored = _load_file()
    if name in stored:
        return stored[name], "config.yaml"
    check_key(name)
    return (SPEC[name].default if name in SPEC else None), "default"


def variable_of(name: str) -> str:
    """Return the variable of the environment that sets a setting."""
    return "IA_" + name.upper().replace(".", "_")


def check_key(name: str) -> None:
    """Raise UsageError for a key that nobody reads."""
    if _is_known_key(name):
        return
    if name.startswith("channels."):
        raise UsageError("{name}: channel names consist of a-z, 0-9, - and _; cli and me are reserved", name=name)
    from difflib import get_close_matches

    close = get_close_matches(name, SPEC, 1)
    hint = "did you mean {close}?" if close else "`ia config list` lists all keys"
    raise UsageError("{name}: no such setting", name=name, hint=hint, close=close[0] if close else "")


def _is_known_key(name: str) -> bool:
    """Whether somebody reads a key."""
    return name in SPEC or _is_foreign_key(name) or _is_price_key(name) or is_channel_key(name)


def _is_foreign_key(name: str) -> bool:
    """Whether a key is of another package's adapter, `market.ADAPTER.KEY`, or of a skill, `skills.SKILL.KEY`."""
    return name not in SPEC and name.startswith(("market.", "skills.")) and name.count(".") > 1


def is_channel_key(name: str) -> bool:
    """Whether a key is the address of a channel: `channels.NAME`."""
    own = name.removeprefix("channels.")
    return own != name and own not in ("cli", "me") and re.fullmatch(CHANNEL_NAME, own) is not None


def _is_price_key(name: str) -> bool:
    """Whether a key is a model's price: `prices.MODEL.input` or `.output`; a model's name may hold dots."""
    return name.startswith("prices.") and name.endswith((".input", ".output")) and name.count(".") > 1


def setting_names() -> list[str]:
    """Return the keys of the table, and those in config.yaml that belong to other packages' adapters."""
    return [*SPEC, *sorted(key for key in _load_file() if key not in SPEC)]


def is_secret_key(name: str) -> bool:
    """Whether a key holds a secret, judged by its last part; a number (`turn.max_tokens`) is none."""
    if is_channel_key(name):
        return False
    if name in SPEC and SPEC[name].type is not str:
        return False
    return any(word in name.rsplit(".", 1)[-1].lower() for word in SECRET)


def redact_value(name: str, value: Value) -> str:
    """Return a value as it may be printed: a secret only as the reference that it is, an address by its scheme."""
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    if is_channel_key(name) and text:
        scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]{0,39}:(//)?", text)
        return f"{scheme[0] if scheme else ''}***"
    if text and not _is_known_key(name):  # an address or a token whose key was mistyped
        return "***"
    return "***" if is_secret_key(name) and text and not text.startswith("${") else text


def edit_config_text(text: str, name: str, value: str) -> str:
    """Return config.yaml with one key set, its comments kept. An empty value takes the key out.

    raises  UsageError for an unknown key or a value that does not fit; ConfigError if the file is not YAML;
            UsageError for a secret written out: it belongs into the environment.
    """
    from ia.kernel.formats.yaml import dump_editable, load_editable

    check_key(name)
    if is_secret_key(name) and value and not value.startswith("${"):
        usual = re.fullmatch(r"\$\{(\w+)\}", str(SPEC[name].default)) if name in SPEC else None
        raise UsageError(
            "{name}: secrets do not belong in config.yaml",
            hint="just run `ia config secret {variable}`"
            if usual
            else "export it as an environment variable, and set `{name}` to '${{NAME}}' with that variable's name",
            name=name,
            variable=usual[1] if usual else "",
        )
    if is_channel_key(name) and value and (found := _find_plain_secret(value)):
        raise UsageError(
            "{name}: secrets do not belong in config.yaml",
            hint="store it with `ia config secret {variable}`, and write ${{{variable}}} in its place: {example}",
            name=name,
            variable=found,
            example=f"'{redact_value(name, value)[:-3]}…${{{found}}}…'",
        )
    _refuse_reference(name, value, UsageError)
    typed = value if value.startswith("${") else _convert_value(name, value, UsageError) if value else None
    tree = _load_tree(load_editable, text)
    node = tree
    *parents, leaf = ["prices", *name[7:].rsplit(".", 1)] if _is_price_key(name) else name.split(".")
    for part in parents:
        if not isinstance(node.get(part), dict):
            node[part] = {}
        node = node[part]
    if typed is None:
        node.pop(leaf, None)
    else:
        node[leaf] = typed
    return dump_editable(tree)


_REFERENCE = pattern(r"\$\{([^}]*)\}")
_TOKEN = pattern(r"(?=[^/?&=@:]*[0-9])(?=[^/?&=@:]*[A-Za-z])[A-Za-z0-9_.~%+-]{20,}|[A-Za-z0-9_-]{32,}")


def _find_plain_secret(address: str) -> str:
    """Return a name for the secret that stands in an address as it is; "" where none can be seen.

    A password before the host, a part that looks like a token, or a parameter named like one.
    """
    bare = _REFERENCE.sub("", address)
    user = re.match(r"[^:]*://([^/?#]*)@", bare)
    if user and ":" in user[1] and user[1].split(":", 1)[1]:
        return "PASSWORD"
    if re.search(rf"[?&]-?\+?[^=&]*({'|'.join(SECRET)}|key|pass|auth)[^=&]*=[^&]", bare, re.I):
        return "TOKEN"
    parts = re.split(r"[/?&=@:]+", bare.partition(":")[2])
    return "TOKEN" if any(_TOKEN.fullmatch(part) and not _is_hostname(part) for part in parts) else ""


def _is_hostname(part: str) -> bool:
    """Whether a part of an address is a host's name rather than a token: words between dots."""
    return "." in part and all(re.fullmatch(r"[a-z0-9-]{1,30}", label) for label in part.split("."))


def _refuse_reference(name: str, value: Value, error: type[ConfigError] | type[UsageError]) -> None:
    """Refuse `${NAME}` where no secret belongs: what is wrong with such a value is told with the value."""
    found = _REFERENCE.search(value) if isinstance(value, str) else None
    if found and not (is_secret_key(name) or is_channel_key(name) or _is_foreign_key(name)):
        raise error(
            "{name}: {reference} is not allowed here; only secrets and channel addresses can refer to variables",
            name=name,
            reference=found[0][:90],
        )


def _expand_references(name: str, value: Value, *, optional: bool) -> Value:
    """Return a value with its references filled in; None where an optional one is not set.

    In an address, what is filled in before the host or as a parameter is quoted: a password may hold an @.
    """
    if not isinstance(value, str) or "${" not in value:
        return value
    out, at = "", 0
    for reference in _REFERENCE.finditer(value):
        variable = reference[1]
        found = env(variable) or load_secrets().get(variable)
        if found is None:
            if optional:
                return None
            raise ConfigError(
                "{name} refers to ${{{variable}}}, which is not set",
                hint="export {variable}=…, or store it for cron too: `ia config secret {variable}`",
                name=name,
                variable=variable,
            )
        before, after = value[: reference.start()], re.split(r"[/?#]", value[reference.end() :], maxsplit=1)[0]
        if is_channel_key(name) and "://" in before and ("?" in before or "@" in after):
            from urllib.parse import quote

            found = quote(found, safe="")
        out, at = out + value[at : reference.start()] + found, reference.end()
    return out + value[at:]


def load_secrets() -> dict[str, str]:
    """Return the secrets that `ia config secret` keeps: name to value.

    raises  ConfigError where somebody else may read the file, or it is none of ours.
    """
    import json

    try:
        fd = os.open(_secrets_path(), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return {}
    except OSError as exc:
        raise ConfigError(".ia/secrets: {reason}", reason=exc.strerror) from None
    stat = os.fstat(fd)
    if not S_ISREG(stat.st_mode) or stat.st_uid != os.geteuid():
        os.close(fd)
        raise ConfigError(".ia/secrets is not a regular file that you own")
    with open(fd, "rb") as file:
        if stat.st_mode & 0o077:
            raise ConfigError(
                ".ia/secrets is readable by others",
                hint="chmod 600 {path}, then replace the secrets",
                path=_secrets_path(),
            )
        raw = file.read(MAX_FILE + 1)
    try:
        kept = json.loads(raw)
        if len(raw) > MAX_FILE or not all(isinstance(value, str) for value in kept.values()):
            raise ValueError
    except (ValueError, AttributeError, RecursionError):
        raise ConfigError(
            ".ia/secrets is damaged", hint="remove it, and store your secrets again: `ia config secret NAME`"
        ) from None
    return dict(kept)


def keep_secret(name: str, value: str | None) -> bool:
    """Keep a secret in `.ia/secrets`, which only its owner can read; None takes it out. The caller holds the lock.

    Return whether that changed anything.
    raises  UsageError for what is no name of a variable; ConfigError as secrets() does, where there is no room, and
            where others may write in the folder.
    """
    import json

    check_secret_name(name)
    kept = load_secrets()
    before = dict(kept)
    if value is None:
        kept.pop(name, None)
    else:
        kept[name] = value
    if kept == before:
        return False
    raw = json.dumps(kept, ensure_ascii=False).encode()
    if len(raw) > MAX_FILE:
        raise ConfigError(
            ".ia/secrets has no room for another secret", hint="`ia config secret` lists all secrets; remove some"
        )
    path = _secrets_path()
    folder = os.path.dirname(path)
    files.make_private_parent(path)
    if os.stat(folder).st_mode & 0o002:
        raise ConfigError("{path} is writable by others", hint="chmod 700 {path}", path=folder)
    files.replace_file(path, raw, mode=0o600)
    return True


def check_secret_name(name: str) -> None:
    """Raise UsageError for what is no name of a variable."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,79}", name):
        raise UsageError("{name!r} is not a valid secret name; use letters, digits and _", name=name[:80])


def _secrets_path() -> str:
    return os.path.join(home(), ".ia", "secrets")


def _convert_value(name: str, value: Value, error: type[ConfigError] | type[UsageError]) -> Value:
    """Convert to the key's type, or say what it takes."""
    if _is_price_key(name):
        return _convert_price(name, value, error)
    key = SPEC.get(name)
    if key is None or value is None:
        return value
    try:
        if key.type is float or key.type is int:
            number = key.type(str(value))
            if not number > 0 or number == float("inf"):
                raise ValueError
            return number
    except ValueError:
        raise error("{name}: {value!r} is not a positive number", name=name, value=value) from None
    if error is UsageError and name in ("telegram.owner", "telegram.users"):
        words = [word.strip() for word in str(value).split(",")] if name.endswith("users") else [str(value)]
        if wrong := next((word for word in words if not re.fullmatch(r"[1-9][0-9]{0,19}", word)), None):
            raise error("{name}: {word!r} is not a user id (a number)", name=name, word=wrong[:40])
    if key.choices and value not in key.choices:
        raise error(
            "{name}: {value!r} is not valid; choose one of {choices}",
            name=name,
            value=value,
            choices=", ".join(key.choices),
        )
    return str(value)


def _convert_price(name: str, value: Value, error: type[ConfigError] | type[UsageError]) -> Value:
    if value is None:
        return None
    try:
        number = float(str(value))
        if not 0 <= number < 1e9:
            raise ValueError
    except ValueError:
        raise error("{name}: {value!r} is not a valid price per million tokens", name=name, value=value) from None
    return number


def _load_tree(load: Callable[[str, str], object], text: str) -> Any:
    """Return config.yaml as `load` reads it; {} for an empty one. raises ConfigError."""
    try:
        tree = load(text, "config.yaml")
    except BadData as exc:
        if "line" in exc.params:
            raise ConfigError("config.yaml:{line}: not valid YAML", line=exc.params["line"]) from None
        raise ConfigError("config.yaml: a value does not match its type") from None
    if tree is not None and not isinstance(tree, dict):
        raise ConfigError("config.yaml:1: settings must be `key: value` lines")
    return {} if tree is None else tree


def _flatten_tree(tree: Mapping[str, object], prefix: str = "") -> dict[str, Value]:
    """Return `{"market": {"adapter": "csv"}}` as `{"market.adapter": "csv"}`; a list of words is a comma list.

    raises  ConfigError for what no setting can be: structures in a list, or nested without end (YAML's aliases).
    """
    out: dict[str, Value] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and prefix.count(".") < 4:
            out |= _flatten_tree(value, name + ".")
        elif isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
            out[name] = ",".join(map(str, value))
        elif isinstance(value, str | int | float | bool) or value is None:
            out[name] = value
        else:
            raise ConfigError("config.yaml: {name} is not a valid setting", name=name[:80])
    return out


def _load_file() -> dict[str, Value]:
    """Return config.yaml as dotted keys; {} where there is none. It is read only when the file has changed."""
    path = os.path.join(home(), "config.yaml")
    try:
        stat = os.stat(path)
    except OSError:
        return {}
    if not S_ISREG(stat.st_mode) or stat.st_size > MAX_FILE:
        raise ConfigError("config.yaml is not a valid settings file")
    return dict(_load_stamped(path, *files.stamp_of(stat)))


@lru_cache(maxsize=4)
def _load_stamped(path: str, *stamp: int) -> dict[str, Value]:
    """Return config.yaml as dotted keys, as it was parsed in this process or in an earlier one."""

    def parse_file() -> Json:
        from ia.kernel.formats.yaml import load_yaml

        try:
            with open(path, encoding="utf-8") as file:
                return {"values": _flatten_tree(_load_tree(load_yaml, file.read()))}
        except UnicodeDecodeError:
            raise ConfigError("config.yaml is not UTF-8") from None
        except OSError as exc:
            raise ConfigError("config.yaml: {reason}", reason=exc.strerror) from None

    cache = os.path.join(os.path.dirname(path), ".ia", "cache", "config.json")
    return files.load_cached(cache, list(stamp), parse_file, lambda kept: dict(kept["values"]))


def locale_lang() -> str:
    """Return `zh` or `en`: `IA_LANG`, config, else the locale."""
    chosen = env("IA_LANG")
    if chosen is None:
        try:
            stored = _load_file().get("lang")
        except ConfigError:  # what is wrong with the file must be told in some language
            stored = None
        chosen = str(stored) if stored else None
    if chosen is None:
        chosen = env("LC_ALL") or env("LC_MESSAGES") or env("LANG") or ""
    return "zh" if chosen.lower().startswith("zh") else "en"
