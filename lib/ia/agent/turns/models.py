"""Which model answers, with which key and patience, and what its failures mean.

Everything that `llm` leaves open is closed here: a request has a time limit, a key goes to nobody but the one it was
stored for, and whatever a plugin raises becomes one of our errors. The providers' libraries are never imported: their
exceptions are told by name and status.
"""

import sys
from typing import Any, NamedTuple

from ia.agent.model_choice import OFFLINE, choose_model, llm_folder
from ia.agent.tools.time_limit import LONGEST
from ia.kernel import config, faults
from ia.kernel.errors import DEBUG, ConfigError, IaError, InternalError, TimedOut, TryLater, Unavailable

__all__ = ["OFFLINE", "choose_model", "llm_folder"]

LENGTH, FILTER, BROKEN = "length", "filter", "broken"
"""How an answer ends that is not whole: at the model's limit, at the provider's filter, or the stream just stopped."""
_ENDS = {
    "length": LENGTH,
    "max_tokens": LENGTH,
    "max_output_tokens": LENGTH,
    "model_context_window_exceeded": LENGTH,
    "content_filter": FILTER,
    "safety": FILTER,
    "prohibited_content": FILTER,
    "recitation": FILTER,
}

_SECRET: set[str] = set()
"""Keys in use: a server that repeats one in its error has it neither printed nor kept."""
_LATER = (
    "Timeout",
    "ConnectError",
    "ConnectionError",
    "RateLimit",
    "InternalServer",
    "ServiceUnavailable",
    "Overload",
    "ReadError",
    "RemoteProtocol",
    "ProtocolError",
    "IncompleteRead",
    "Disconnected",
)


_BUGS = (
    TypeError,
    AttributeError,
    LookupError,
    NameError,
    AssertionError,
    ImportError,
    RecursionError,
    ArithmeticError,
)


def import_llm() -> Any:
    """Import llm without pandas and numpy, which sqlite-utils would load below it only to register types."""
    if "llm" in sys.modules:
        return sys.modules["llm"]
    from ia.kernel.store import import_sqlite_utils

    import_sqlite_utils()
    import llm

    return llm


class MessageTypes(NamedTuple):
    """The classes of what a model is told."""

    tool: Any
    tool_result: Any
    message: Any
    text_part: Any


def message_types(name: str) -> MessageTypes:
    """Return the classes of what a model is told: those of llm, which is not loaded for the embedded analyst."""
    if name == OFFLINE:
        from ia.agent.turns import embedded

        return MessageTypes(embedded.EmbeddedTool, embedded.EmbeddedResult, embedded.EmbeddedMessage, embedded.TextPart)
    llm = import_llm()
    from llm.parts import Message, TextPart

    return MessageTypes(llm.Tool, llm.ToolResult, Message, TextPart)


def load_model(name: str) -> Any:
    """Return the model, ready to be asked.

    raises  Unavailable for a name that no plugin knows, for a model without tools, or one whose key is not there;
            ConfigError where llm's own configuration is broken.
    """
    if name == OFFLINE:
        from ia.agent.turns.embedded import EmbeddedAnalyst

        return EmbeddedAnalyst()
    llm = import_llm()
    try:
        model = llm.get_model(name)
    except llm.UnknownModelError:
        raise Unavailable(
            "{model}: no such model", model=name, hint="`llm models` lists all models; llm plugins add more"
        ) from None
    except Exception as exc:  # a plugin, or extra-openai-models.yaml, that llm stumbles over
        raise ConfigError(
            "llm cannot list its models: {reason}",
            reason=faults.clean_line(str(exc))[:200] or "no reason was given",
            hint="check {folder}: extra-openai-models.yaml, aliases.json",
            folder=str(llm.user_dir()),
        ) from None
    if not model.supports_tools:
        raise Unavailable("{model} cannot call tools", model=name, hint="`llm models --tools` lists models that can")
    _settle_key(llm, model)
    _settle_client(model)
    return model


def _settle_key(llm: Any, model: Any) -> None:
    """Give a model its own stored key, never one that llm would borrow for a server it was not made for."""
    if not model.needs_key:
        return
    stored = llm.load_keys()
    own = "" if getattr(model, "api_base", None) else config.env(model.key_env_var or "") or ""
    if model.key is None and model.needs_key in stored:
        model.key = stored[model.needs_key]
    _SECRET.update(key for key in (model.key, own) if key and len(key) > 7)
    if model.key is None and not own:
        variable = "" if getattr(model, "api_base", None) else model.key_env_var or ""
        raise Unavailable(
            "{model}: the API key is missing",
            model=model.model_id,
            alias=model.needs_key,
            variable=variable,
            hint="`llm keys set {alias}`" + (", or export {variable}" if variable else ""),
        )


def _settle_client(model: Any) -> None:
    """Give the OpenAI-compatible clients, which would wait for ten minutes, our patience; retries are the turn's."""
    make = getattr(model, "get_client", None)
    if make is None:
        return
    seconds = min(float(config.get_setting("turn.timeout")), LONGEST)

    def get_client(key: object, **kwargs: object) -> object:
        return make(key, **kwargs).with_options(timeout=seconds, max_retries=0)

    model.get_client = get_client


def explain_failure(exc: Exception, model: str) -> IaError:
    """Return the failure that a plugin's exception stands for: 75 for what may pass, 69 for what will not."""
    if isinstance(exc, IaError):
        return exc
    kinds = [kind.__name__ for kind in type(exc).__mro__]
    status = _http_status(exc)
    reason = str(getattr(exc, "message", None) or exc)
    for key in _SECRET:
        reason = reason.replace(key, "***")
    reason = faults.clean_line(reason)[:200] or "no reason was given"
    if "NeedsKeyException" in kinds:
        return Unavailable("{model}: the API key is missing", model=model, hint="store one with `llm keys set`")
    if model == OFFLINE:  # no provider behind it: what is raised here is our own doing
        return InternalError("the embedded analyst")
    if status == 401:
        return Unavailable(
            "{model}: the provider rejected the API key ({status})",
            model=model,
            status=status,
            hint="store another key with `llm keys set`",
        )
    if status == 429:
        return TryLater(
            "{model}: too many requests, or no credit left: {reason}",
            model=model,
            reason=_prefix_status(status, reason),
            hint="wait and try again, or check your account with the provider",
        )
    if status in (408, 409, 425) or (status is not None and status >= 500):
        return TryLater("{model}: provider error: {reason}", model=model, reason=_prefix_status(status, reason))
    if status is not None and status >= 400:
        hint = "`llm models` lists all models; llm plugins add more" if status == 404 else None
        return Unavailable("{model}: {reason}", model=model, reason=_prefix_status(status, reason), hint=hint)
    if isinstance(exc, TimeoutError | ConnectionError) or any(word in kind for kind in kinds for word in _LATER):
        return TryLater("{model}: cannot reach the provider: {reason}", model=model, reason=reason)
    if isinstance(exc, _BUGS):  # of the plugin: its text is for developers
        return Unavailable("{model}: the answer is unreadable", model=model, hint=DEBUG)
    return Unavailable("{model}: the answer is unreadable: {reason}", model=model, reason=reason)


def detect_ending(response: object, model: object) -> str:
    """Return how an answer ended: "" for a whole one, else LENGTH, FILTER or BROKEN.

    Each plugin of llm keeps what its provider said in `response_json`, under the provider's own name.
    """
    told = getattr(response, "response_json", None)
    told = told if isinstance(told, dict) else {}
    nested = [first for key in ("choices", "candidates") for first in (told.get(key) or [])[:1]]
    details = told.get("incomplete_details")
    reasons = [
        str(holder[key])
        for holder in (told, *nested, {"finish_reason": details.get("reason")} if isinstance(details, dict) else {})
        if isinstance(holder, dict)
        for key in ("finish_reason", "stop_reason", "finishReason", "done_reason")
        if holder.get(key)
    ]
    if reasons:
        return next((_ENDS[reason.lower()] for reason in reasons if reason.lower() in _ENDS), "")
    # What llm makes of an OpenAI-compatible stream names its end, and the usage comes after it.
    streamed = hasattr(model, "get_client") and "content" in told
    return BROKEN if streamed and not told.get("usage") else ""


def broken_stream_error(model: str) -> TryLater:
    """The failure of a stream that stopped without saying that the answer is at its end."""
    return TryLater("{model}: the answer ended before it was complete", model=model)


def wait_before_retry(exc: Exception, attempt: int) -> float:
    """Return the seconds to wait: what the server asked for, else 0.5, 1, 2 and so on."""
    headers = getattr(getattr(exc, "response", None), "headers", None) or {}
    try:
        asked = float(headers.get("retry-after", ""))
    except (TypeError, ValueError):  # none, or a date
        asked = -1.0
    return asked if asked >= 0 else 0.5 * 2.0**attempt


def silence_error(model: str, seconds: float) -> TryLater:
    """The failure of a model that sends nothing for `seconds`."""
    return TryLater(
        "{model}: no data for {seconds:g} s",
        model=model,
        seconds=seconds,
        hint="`ia config set turn.timeout` changes this limit",
    )


def turn_timeout_error(seconds: float) -> TimedOut:
    """The failure of a turn that took longer than `seconds` in all."""
    return TimedOut(
        "the turn timed out after {seconds:g} s",
        seconds=seconds,
        hint="`ia config set turn.deadline` changes this limit",
    )


def _http_status(exc: Exception) -> int | None:
    for holder in (exc, getattr(exc, "response", None)):
        code = getattr(holder, "status_code", None) or getattr(holder, "status", None)
        if isinstance(code, int):
            return code
    return None


def _prefix_status(status: int, reason: str) -> str:
    return reason if str(status) in reason else f"{status}: {reason}"
