"""Messages of the Telegram Bot API as plain data: which were typed by whom, and what came with them.

Read from the JSON itself, field by field, so that a message of a kind that nobody knows yet is still a message.
"""

from typing import NamedTuple

from ia.kernel.errors import Message
from ia.kernel.jsontypes import Json
from ia.reach.bridges.chat import Incoming

Raw = Json
MAX_FILE = 100_000  # bytes
MAX_QUOTED = 4_000  # characters
TEXTS = (".txt", ".md", ".markdown", ".csv", ".tsv", ".json", ".log", ".yaml", ".yml")
KINDS: dict[str, Message] = {
    "photo": Message("I cannot view pictures yet; I read only the text."),
    "voice": Message("I cannot listen to recordings yet; please send text."),
    "audio": Message("I cannot listen to recordings yet; please send text."),
    "video": Message("I cannot watch videos yet; I read only the text."),
    "video_note": Message("I cannot watch videos yet; I read only the text."),
    "animation": Message("I cannot watch videos yet; I read only the text."),
    "sticker": Message("I cannot view pictures yet; I read only the text."),
    "document": Message("I can read text files of up to 100 kB (.txt, .md, .csv, .json); I did not read this file."),
}
OTHER = Message("I cannot read this kind of message yet; please send text.")


class Sender(NamedTuple):
    """Who sent a message: numbers as text, and whether it came in a private chat of that very user."""

    chat: str
    user: str
    private: bool
    at: float


def parse_sender(message: Raw) -> Sender | None:
    """Return who sent a message; None where that cannot be told."""
    chat, user = message.get("chat"), message.get("from")
    if not isinstance(chat, dict) or not isinstance(chat.get("id"), int):
        return None
    number = user.get("id") if isinstance(user, dict) and not user.get("is_bot") else None
    private = chat.get("type") == "private" and number == chat["id"] and "sender_chat" not in message
    date = message.get("date")
    return Sender(str(chat["id"]), str(number or ""), private, _parse_timestamp(date))


def _parse_timestamp(date: object) -> float:
    return float(date) if isinstance(date, int) and 0 <= date < 1 << 33 else 0.0


def read_button(query: Raw, at: float) -> Raw | None:
    """Return a pressed button as a message of who pressed it; None for one that cannot be told."""
    message, data = query.get("message"), query.get("data")
    if not isinstance(message, dict) or not isinstance(data, str) or "from" not in query:
        return None
    return {
        "message_id": query.get("id"),
        "date": int(at),
        "chat": message.get("chat"),
        "from": query["from"],
        "button": data,
    }


def is_typed(message: Raw) -> bool:
    """Whether the sender typed a message: not passed on, not written by another bot, not edited since."""
    return not any(
        key.startswith("forward") or key in ("via_bot", "sender_business_bot", "is_automatic_forward", "edit_date")
        for key in message
    )


def find_document(message: Raw) -> tuple[str, str] | None:
    """Return (file id, name) of a text file that is small enough to be read."""
    file = message.get("document")
    if not isinstance(file, dict) or not isinstance(file.get("file_id"), str):
        return None
    name, size = clean_text(file.get("file_name") or "file"), file.get("file_size")
    readable = name.lower().endswith(TEXTS) or str(file.get("mime_type") or "").startswith("text/")
    return (file["file_id"], name) if readable and isinstance(size, int) and size <= MAX_FILE else None


def parse_message(message: Raw, channel: str, file: tuple[str, str] | None) -> Incoming:
    """Return a message as a conversation understands it. `file`: name and text of its document, where it was read."""
    who = parse_sender(message)
    assert who is not None
    if "button" in message:
        return Incoming(who.chat, who.user, button=clean_text(message["button"]) or "?")
    origin = f"{channel} {who.user}"
    words = clean_text(message.get("text") or message.get("caption") or "").strip()
    passed: list[tuple[str, str]] = []
    own = is_typed(message)
    if words and not own:
        passed.append((f"{origin} forwarded", words))
    quoted = _quoted_text(message)
    if quoted:
        passed.append((f"{origin} quoted", quoted[:MAX_QUOTED]))
    if file is not None:
        passed.append((f"{origin} file", f"{file[0]}\n{file[1]}"))
    unread = [said for kind, said in KINDS.items() if kind in message and not (kind == "document" and file)]
    if not words and not passed and not unread:
        unread = [OTHER]
    return Incoming(who.chat, who.user, words if own else "", tuple(passed), tuple(unread[:1]))


def _quoted_text(message: Raw) -> str:
    """Return what a message quotes or replies to."""
    quote, reply = message.get("quote"), message.get("reply_to_message")
    if isinstance(quote, dict) and quote.get("text"):
        return clean_text(quote["text"])
    return clean_text(reply.get("text") or reply.get("caption") or "") if isinstance(reply, dict) else ""


def clean_text(text: object) -> str:
    """Return a text that can be stored: JSON may hold halves of characters, and NUL."""
    return str(text).replace("\0", "").encode("utf-8", "replace").decode() if isinstance(text, str) else ""
