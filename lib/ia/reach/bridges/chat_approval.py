"""A person's consent given in a chat: what would change is shown, and a code that works once is typed back.

A code is bound to the command and to all that was shown of its proposal or task, lives five minutes, and is void after
three wrong ones. It holds in this process alone and stands in no session, so that no model sees it. What installs code,
calls tools or changes settings is approved at a terminal only, and so is what is too long to be read in a chat.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ia.kernel import audit, clock, proposals, untrusted
from ia.kernel.errors import Message, NotFound, Notify, PluralText, Refused, drop_message
from ia.kernel.proposals import Proposal
from ia.kernel.workspace import Workspace
from ia.wiring.approvals import approve_proposal

IN_CHAT = ("soul", "preferences", "memory", "belief", "trust", "task", "trade")
"""Kinds of proposals that may be approved in a chat. Any other needs a terminal."""
LIFE = 300.0  # seconds
TRIES = 3
MAX_WRONG = 10
"""Wrong codes within REST, of whatever command, after which no code is taken."""
REST = 3600.0  # seconds
MAX_SHOWN = 12_000
"""Characters of a proposal that a chat shows: nobody agrees to what was not there to be read."""


class ListenerVoice(NamedTuple):
    """How a listener speaks: sentences in the user's language, and a proposal as a person reads it at a terminal."""

    say: Callable[[Message], str]
    shown: Callable[[Workspace, Proposal, str, str], str]


@dataclass
class _Code:
    text: str
    digest: str
    chat: str
    until: float
    tries: int = TRIES


class Approving:
    """The codes that are out, and what they are for.

    aside   where a code goes instead of the chat (`telegram.codes terminal`); None: into the chat
    stays   whether this process will still be there when a code is typed back
    now     seconds of the real time
    """

    def __init__(
        self,
        voice: ListenerVoice,
        *,
        aside: Notify | None = None,
        stays: bool = True,
        notify: Notify = drop_message,
        now: Callable[[], float] = lambda: clock.wall_time().timestamp(),
    ) -> None:
        self.voice, self.aside, self.stays, self.notify, self.now = voice, aside, stays, notify, now
        self._wrong: list[float] = []
        self._codes: dict[str, _Code] = {}  # by the command that they complete

    def show_proposal(self, ws: Workspace, number: int) -> str:
        """Return what a proposal would change, cut where it is too long for a chat.

        raises  NotFound; Refused where it is decided already, or out of date.
        """
        text = self._inspect_proposal(ws, number)[3]
        if len(text) <= MAX_SHOWN:
            return text
        more = Message(
            PluralText(
                "… {count} more character; see `ia pending {number}`",
                "… {count} more characters; see `ia pending {number}`",
            ),
            count=len(text) - MAX_SHOWN,
            number=number,
        )
        return text[:MAX_SHOWN] + "\n" + self.voice.say(more)

    def request_code(self, ws: Workspace, number: int, chat: str) -> str:
        """Return what a proposal would change and the code to approve it with; the one given out before is void.

        raises  NotFound; Refused where it is decided, out of date, or not to be approved in a chat.
        """
        proposal, _, digest, text = self._inspect_proposal(ws, number)
        if proposal.kind not in IN_CHAT or proposal.path.startswith(".") or proposal.path == "config.yaml":
            raise Refused(
                "you can approve proposal {number} ({kind}) only at a terminal: `ia approve {number}`",
                number=number,
                kind=proposal.kind,
            )
        return self._issue_code(f"approve {number}", f"approve {number}", text, digest, chat)

    def request_task_code(self, ws: Workspace, act: str, name: str, chat: str) -> str:
        """Return what a task says and the code to `resume` or `remove` it with.

        raises  NotFound, as the command at a terminal does; Refused where it is too long to be read in a chat.
        """
        name, text = _find_task_text(ws, act, name)
        seen = untrusted.escape_unseen(text)
        return self._issue_code(f"{act} {name}", f"task {act} {name}", seen, _compute_digest([text]), chat)

    def confirm_task(self, ws: Workspace, act: str, name: str, code: str, chat: str) -> str:
        """Resume or remove a task whose code was typed back, and return its name.

        raises  what `ask_task` raises; Refused where the task changed since it was shown, or the code is wrong.
        """
        from ia.reach.tasks import decisions

        name, text = _find_task_text(ws, act, name)
        self._use_code(ws, f"{act} {name}", code, chat, _compute_digest([text]))
        if act == "remove":
            return decisions.remove_task(ws, name, notify=self.notify)
        return decisions.resume_task(ws, name, notify=self.notify).name

    def request_undo_code(self, ws: Workspace, path: str, chat: str) -> str:
        """Return what undoing the last change of a file ("": of all files) would do, and the code to do it with.

        Preferences and soul change by proposal: the code is that of the proposal.
        raises  what `ia memory undo` raises; Refused for what is installed, which is undone at a terminal only.
        """
        from ia.organs.memory import changes

        undo = changes.find_undo(ws, path or None)
        if undo.path.startswith("."):
            raise Refused("undo {path} at a terminal: `ia memory undo {path}`", path=undo.path)
        if undo.proposed:
            proposal = changes.undo_change(ws, undo.path)
            assert isinstance(proposal, Proposal)
            return self.request_code(ws, proposal.id, chat)
        text = proposals.render_diff(undo.before, undo.after, undo.path)
        command = f"undo {path}".rstrip()
        return self._issue_code(command, f"memory {command}", text, _compute_digest([*undo]), chat)

    def confirm_undo(self, ws: Workspace, path: str, code: str, chat: str, by: str) -> list[str]:
        """Undo the change whose code was typed back, and return the paths that were written.

        raises  as `request_undo_code`; Refused where something else changed last since it was shown, or the code is
                wrong.
        """
        from ia.organs.memory import changes

        with ws.lock():
            undo = changes.find_undo(ws, path or None)
            self._use_code(ws, f"undo {path}".rstrip(), code, chat, _compute_digest([*undo]))
            undone = changes.undo_change(ws, undo.path)
            assert isinstance(undone, list)
            audit.record(ws.db, "undo.chat", undo.path, by)
        return undone

    def _issue_code(self, command: str, at_terminal: str, text: str, digest: str, chat: str) -> str:
        """Return a text and the code that completes a command; the one given out before is void."""
        self._codes.pop(command, None)
        self._require_tries_left()
        if len(text) > MAX_SHOWN:
            raise Refused("this is too long to show here; use a terminal: `ia {command}`", command=at_terminal)
        if not self.stays:
            raise Refused(
                "a code requires a running `ia listen telegram`; or use a terminal: `ia {command}`",
                command=at_terminal,
            )
        code = f"{secrets.randbelow(10**6):06d}"
        self._codes[command] = _Code(code, digest, chat, self.now() + LIFE)
        if self.aside is not None:
            self.aside(Message("code for /{command}: {digits}", command=command, digits=code))
            how = Message(
                "to confirm, send within 5 minutes: /{command} CODE (the code is in the terminal of `ia listen`)",
                command=command,
            )
        else:
            how = Message("to confirm, send within 5 minutes: /{command} {digits}", command=command, digits=code)
        return f"{text.rstrip()}\n\n{self.voice.say(how)}"

    def confirm_proposal(self, ws: Workspace, number: int, code: str, chat: str, by: str) -> Proposal:
        """Carry out a proposal whose code was typed back, and return it.

        by      who decides, and how, for the record.
        raises  NotFound; Refused where it is decided, out of date, changed since it was shown, or the code is wrong.
        """
        with ws.lock():
            proposal, after, digest, _ = self._inspect_proposal(ws, number)
            self._use_code(ws, f"approve {number}", code, chat, digest)
            if proposal.kind != "task":
                return approve_proposal(ws, number, by=by, notify=self.notify)
        from ia.reach.tasks import decisions  # which writes the crontab, and must not hold the workspace meanwhile

        decisions.approve_task(ws, number, by=by, notify=self.notify, expect=after)
        return proposals.get_proposal(ws, number)

    def _inspect_proposal(self, ws: Workspace, number: int) -> tuple[Proposal, str, str, str]:
        """Return a proposal, what would be there, a digest of all that it is and would do now, and how it is shown."""
        proposal = proposals.get_undecided(ws, number)
        before, after = proposals.compute_outcome(ws, proposal)
        told = [number, proposal.kind, proposal.path, before, after, proposal.because, proposal.origin, proposal.actor]
        return proposal, after, _compute_digest(told), self.voice.shown(ws, proposal, before, after)

    def _require_tries_left(self) -> None:
        """Raise Refused where somebody seems to guess."""
        self._wrong = [when for when in self._wrong if self.now() - when < REST]
        if len(self._wrong) >= MAX_WRONG:
            raise Refused("too many wrong codes: approvals are blocked here for an hour; use a terminal")

    def _record_wrong_code(self, ws: Workspace, command: str) -> None:
        self._wrong.append(self.now())
        audit.record(ws.db, "approval.wrong", command, "user", count=len(self._wrong))
        if len(self._wrong) == MAX_WRONG:
            self.notify(Message("{count} wrong codes within an hour: approvals are blocked for now", count=MAX_WRONG))

    def _use_code(self, ws: Workspace, command: str, code: str, chat: str, digest: str) -> None:
        """Use up the code of a command, or raise Refused."""
        self._require_tries_left()
        out = self._codes.get(command)
        if out is None or out.chat != chat:
            raise Refused("there is no valid code; get one with /{command}", command=command)
        if self.now() > out.until:
            del self._codes[command]
            raise Refused("this code has expired; get a new one with /{command}", command=command)
        if not hmac.compare_digest(out.text.encode(), code.encode()):
            out.tries -= 1
            self._record_wrong_code(ws, command)
            if out.tries:
                raise Refused("wrong code; attempts left: {count}", count=out.tries)
            del self._codes[command]
            raise Refused("wrong code for the third time; get a new one with /{command}", command=command)
        del self._codes[command]
        if out.digest != digest:
            raise Refused("the content has changed since you saw it; review it again: /{command}", command=command)


def _compute_digest(told: list[object]) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _find_task_text(ws: Workspace, act: str, name: str) -> tuple[str, str]:
    """Return a task's name and the text that runs, or would.

    raises  NotFound where there is none that could be resumed or removed.
    """
    from ia.faculties.taskbook import approved_tasks

    name = approved_tasks.name_of(name)
    found = next((each for each in approved_tasks.list_tasks(ws) if each.name == name), None)
    if act == "resume" or (found is not None and found.task is not None):
        return name, approved_tasks.get_task(ws, name).text
    text = ws.read(f"tasks/{name}.md") if found is not None else None
    if text is None:
        raise NotFound("{name}: no such task", name=name, hint="`ia task list` shows all tasks")
    return name, text
