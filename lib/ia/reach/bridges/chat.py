"""A conversation in a chat, whatever the service: who may write, what a message is, and what is answered.

Everything that comes in is from outside: a turn is tainted from its first word, so what it writes goes into new notes
that are marked, and all else becomes proposals. The owner's own words may ask for such a proposal; what others wrote,
was passed on or stands in a file asks for nothing.
"""

import os
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ia.kernel import audit, clock, config, faults, proposals, untrusted
from ia.kernel.errors import IaError, InternalError, Message, Notify, drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs import notebook, sessions
from ia.organs.channels.plain_text import strip_markdown
from ia.reach.bridges import chat_forms
from ia.reach.bridges.chat_approval import Approving, ListenerVoice
from ia.reach.bridges.chat_commands import Commands

if TYPE_CHECKING:
    from ia.agent.turns.turn import Turn

RATE = 30
"""Messages a minute of one sender that are read."""
LONG, LINES = 1_500, 15
"""Characters, or lines, above which an answer becomes a note, and its beginning is sent."""
BEGINNING = 600
QUIET = 3600.0
"""Seconds before a stranger who keeps writing is told of again."""
MAX_STRANGERS = 20
"""Strangers an hour that are told of; who writes to a bot can be anybody, many times over."""

WRONG = Message("an error occurred; see the log of `ia listen`")


@dataclass(frozen=True)
class Incoming:
    """A message of somebody who may write.

    chat     the conversation; sender: who writes. Both by the service's own numbers
    text     what the sender typed; "" where nothing was
    button   what a button sent that the sender pressed; "" for none
    passed   what others wrote, or a file holds: (where from, text)
    unread   what cannot be read: kinds of attachments
    """

    chat: str
    sender: str
    text: str = ""
    passed: tuple[tuple[str, str], ...] = ()
    unread: tuple[Message, ...] = ()
    button: str = ""


@dataclass
class Door:
    """Who may write: the owner and the users that the owner named, by the service's numbers."""

    channel: str
    owner: str
    users: frozenset[str] = frozenset()
    notify: Notify = drop_message
    _strangers: dict[str, float] = field(default_factory=dict)
    _paces: dict[str, deque[float]] = field(default_factory=dict)
    _told: dict[str, float] = field(default_factory=dict)

    def is_listed(self, sender: str) -> bool:
        """Whether somebody is on the list."""
        return sender in (self.owner, *self.users)

    def admits(self, ws: Workspace, sender: str) -> bool:
        """Whether somebody may write. A stranger gets no answer; the owner is told how to let them in."""
        if self.is_listed(sender):
            return True
        now = clock.wall_time().timestamp()
        self._strangers = {who: when for who, when in self._strangers.items() if now - when < QUIET}
        if sender not in self._strangers and len(self._strangers) < MAX_STRANGERS:
            self._strangers[sender] = now
            audit.record(ws.db, "message.refused", f"{self.channel} {sender}", self.channel)
            self.notify(
                Message(
                    "{channel}: user {user} is not allowed and gets no answer; to allow the user, add {user} to "
                    "{channel}.users",
                    channel=self.channel,
                    user=sender,
                )
            )
        return False

    def check_pace(self, sender: str, sent: float) -> str:
        """Return "" where a message sent at that second is read; else "tell" once, then "drop"."""
        pace = self._paces.setdefault(sender, deque())
        while pace and sent - pace[0] >= 60:
            pace.popleft()
        if len(pace) < RATE:
            pace.append(sent)
            return ""
        told, self._told[sender] = self._told.get(sender, 0.0), sent
        return "drop" if sent - told < 60 else "tell"


class Conversation:
    """What is answered at once: commands. It keeps no state of its own but the codes that are out."""

    def __init__(
        self, channel: str, owner: str, voice: ListenerVoice, approving: Approving, *, notify: Notify = drop_message
    ) -> None:
        self.channel, self.owner, self.voice, self.notify = channel, owner, voice, notify
        self.commands = Commands(channel, voice, approving)

    def is_by_owner(self, message: Incoming) -> bool:
        """Whether the owner writes, in private."""
        return message.sender == self.owner and message.chat == message.sender

    def is_form_answer(self, ws: Workspace, message: Incoming) -> bool:
        """Return True if a message answers a form that is open, or comes from a button."""
        return chat_forms.is_answer(ws, self._session(message), message.text, message.button)

    def _session(self, message: Incoming) -> str:
        return f"{self.channel}-{message.chat}"

    def run_command(self, ws: Workspace, message: Incoming) -> "str | Incoming | None":
        """Return what a command says, "" for a message without words; None where a turn has to answer.

        A form that was sent returns the message that had opened it: that one is to be answered now.
        """
        if self.is_form_answer(ws, message):
            return self._answer_form(ws, message)
        if not message.text and not message.passed:
            return ""
        if not message.text.startswith("/"):
            return self._suggest_confirmation(ws, message) if _CONSENT.match(message.text) else None
        return _answer_safely(
            ws,
            self.voice,
            self.notify,
            lambda: self.commands.run_command(ws, message.chat, message.text, by_owner=self.is_by_owner(message)),
            exact=_DECIDED.match(message.text) is not None,
        )

    def _answer_form(self, ws: Workspace, message: Incoming) -> "str | Incoming":
        resumed: list[str] = []

        def take_answer() -> str:
            told = chat_forms.take_answer(ws, self._session(message), message.text, message.button, self.voice)
            if isinstance(told, str):
                return told
            resumed.append(told.question)
            return ""

        told = _answer_safely(ws, self.voice, self.notify, take_answer, exact=True) or ""
        return replace(message, text=resumed[0], button="") if resumed else told

    def _suggest_confirmation(self, ws: Workspace, message: Incoming) -> str | None:
        """Return how the owner, who says yes, confirms what the answer before proposed; None where it did not."""
        said = sessions.load_history(ws, f"{self.channel}-{message.chat}") if self.is_by_owner(message) else []
        turn = said[-1].turn if said else ""
        made = [proposal for proposal in proposals.pending_proposals(ws) if turn and proposal.origin.turn == turn]
        if not made:
            return None
        told = [
            Message("to approve proposal {number} ({path}): /approve {number}", number=each.id, path=each.path)
            for each in made
        ]
        return "\n".join(map(self.voice.say, told))

    def make_job(self, message: Incoming) -> Json:
        """Return what `turned` has to know of a message, as plain data."""
        return {
            "channel": self.channel,
            "chat": message.chat,
            "sender": message.sender,
            "text": message.text,
            "passed": message.passed,
            "by_owner": self.is_by_owner(message),
        }


def answer_job(ws: Workspace, job: Json, voice: ListenerVoice, notify: Notify) -> str:
    """Take a turn and return its answer; a failure is an answer of one line."""
    return _answer_safely(ws, voice, notify, lambda: _take_turn(ws, job, voice, notify)) or ""


def _answer_safely(
    ws: Workspace, voice: ListenerVoice, notify: Notify, work: Callable[[], str | None], *, exact: bool = False
) -> str | None:
    """Return what comes of it. exact: to the letter, since somebody decides by it."""
    try:
        text = work()
        if exact and text is not None:
            return text.strip()
    except InternalError as exc:
        text = _report_bug(ws, voice, notify, exc)
    except IaError as exc:
        text = voice.say(Message(exc.template, **exc.params))
    except Exception as exc:
        text = _report_bug(ws, voice, notify, exc)
    return None if text is None else _hide_paths(ws, text.strip())


def _report_bug(ws: Workspace, voice: ListenerVoice, notify: Notify, exc: Exception) -> str:
    """Return what is answered after a bug: it is told of where it can be mended, not to who writes."""
    if not getattr(exc, "kept", False):
        faults.record(ws.db, "chat", "an answer", exc)
    notify(Message("internal error in {what}; `ia log --kind fault` has the details", what="an answer"))
    return voice.say(WRONG)


def _take_turn(ws: Workspace, job: Json, voice: ListenerVoice, notify: Notify) -> str:
    from ia.agent.turns.context import Data
    from ia.agent.turns.turn import Heard, take_turn

    origin = f"{job['channel']} {job['sender']}"
    turn = take_turn(
        ws,
        job["text"] or voice.say(Message("(forwarded without a comment)")),
        session=f"{job['channel']}-{job['chat']}",
        data=tuple(Data(whence, words) for whence, words in job["passed"]),
        notify=notify,
        heard=Heard(origin, by_user=job["by_owner"] and bool(job["text"]), once=job.get("once", "")),
    )
    reply = _rewrite_commands(turn.reply.strip())
    if len(reply) > LONG or len(reply.splitlines()) > LINES:
        reply = _shorten_answer(ws, turn, reply, job, origin, voice)
    reply = strip_markdown(reply)
    question = ""
    if turn.form:
        question = chat_forms.begin_form(ws, turn.session, str(turn.form["form"]), job["text"], voice)
    if not job["by_owner"]:
        return reply + question
    told = [
        Message("proposal {number} is pending: /show {number}", number=each)
        for each in _unmentioned_proposals(turn.pending, reply)
    ]
    return "\n".join([reply, *map(voice.say, told)]) + question


def _unmentioned_proposals(pending: list[int], reply: str) -> list[int]:
    """Return the proposals that a reply does not say how to approve."""
    return [number for number in pending if not re.search(rf"/approve {number}(?!\d)", reply)]


def _shorten_answer(ws: Workspace, turn: "Turn", reply: str, job: Json, origin: str, voice: ListenerVoice) -> str:
    """Return how a long answer begins, and the note that has it all: the turn's own, else one that is kept here."""
    path = next((path for path in turn.artifacts if path.startswith("notebook/")), "")
    path = path or _keep_answer(ws, turn, reply, job["channel"], origin)
    more = Message("… the answer continues; full text: {path}", path=path)
    if job["by_owner"] and path == _newest_note(ws):
        more = Message("… the answer continues; full text: {path} (or send /notes 1)", path=path)
    return f"{shorten_text(reply)}\n\n{voice.say(more)}"


def _newest_note(ws: Workspace) -> str:
    return max(((entry.time, entry.path) for entry in notebook.list_notes(ws)), default=("", ""))[1]


def _keep_answer(ws: Workspace, turn: "Turn", reply: str, channel: str, origin: str) -> str:
    """Keep an answer as a note, marked with whatever the turn had read, and return its path."""
    said = [message for message in sessions.load_history(ws, turn.session) if message.turn == turn.id]
    origins = list(dict.fromkeys([origin, *(each for message in said for each in message.origins)]))
    text = untrusted.sanitize_text(reply + "\n", origins)
    with ws.lock():
        path = _free_note_path(ws, f"notebook/scratch/{channel}/{clock.now():%Y-%m-%d-%H%M%S}")
        ws.write(path, text, actor=f"model {turn.model}", event="note.untrusted", origins=origins)
    return path


def shorten_text(text: str, room: int = BEGINNING) -> str:
    """Return the first lines of a text that fit; of a line that does not, the first sentences."""
    kept, used = [], 0
    for line in text.splitlines()[: LINES - 3]:
        if used + len(line) > room:
            break
        kept.append(line)
        used += len(line) + 1
    while kept and (not kept[-1].strip() or kept[-1].startswith("#")):  # a heading with nothing below it
        kept.pop()
    if used >= room // 3 or len(kept) >= 3:
        return "\n".join(kept).rstrip()
    head = text[:room]
    end = max(head.rfind(mark) + len(mark) for mark in ("。", "！", "？", ". ", "! ", "? ", "；"))
    return head[:end].rstrip() if end > room // 3 else head.rstrip()


_CONSENT = re.compile(
    r"(?:好的?|可以|行|嗯)?[，, ]*(?:我?(?:确认|同意|批准)|可以执行|执行吧|就这么办)(?:执行|吧|了)?\W*\Z"
    r"|(?:yes\W*|ok(?:ay)?\W*)?(?:approved?|confirm(?:ed)?|go ahead|do it)(?: it)?\W*\Z",
    re.I,
)
_DECIDED = re.compile(r"/(?:show|approve|resume|remove)\b", re.I)
_COMMAND = re.compile(r"`ia (approve|reject|pending)(?: (\d+))?`")


def _rewrite_commands(text: str) -> str:
    """Return an answer that names the commands for proposals as they are typed in a chat."""

    def format_command(found: re.Match[str]) -> str:
        name = "show" if found[1] == "pending" and found[2] else found[1]
        return f"/{name} {found[2] or ''}".rstrip()

    return _COMMAND.sub(format_command, text)


def _free_note_path(ws: Workspace, stem: str) -> str:
    number, path = 1, f"{stem}.md"
    while ws.read(path) is not None:
        number += 1
        path = f"{stem}-{number}.md"
    return path


def _hide_paths(ws: Workspace, text: str) -> str:
    """Return a text without where on this machine the workspace and its user live."""
    text = text.replace(ws.root + os.sep, "").replace(ws.root, ".")
    home = config.env("HOME", "") or ""
    return text.replace(home, "~") if len(home) > 1 else text
