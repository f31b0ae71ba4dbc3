"""A person's consent given in a chat: what would change is shown, and a code that works once is typed back.

A code is bound to the proposal and to all that was shown of it, lives five minutes, and is void after three wrong ones.
It holds in this process alone and stands in no session, so that no model sees it. What installs code, calls tools or
changes settings is approved at a terminal only, and so is what is too long to be read in a chat.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ia import clock, pipes, proposals
from ia.errors import Message, Notify, Refused, silent
from ia.proposals import Proposal
from ia.workspace import Workspace

IN_CHAT = ("soul", "preferences", "memory", "belief", "trust", "task")
"""Kinds of proposals that may be approved in a chat. Any other needs a terminal."""
LIFE = 300.0  # seconds
TRIES = 3
MAX_SHOWN = 12_000
"""Characters of a proposal that a chat shows: nobody agrees to what was not there to be read."""


class Voice(NamedTuple):
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
        self, voice: Voice, *, aside: Notify | None = None, stays: bool = True, notify: Notify = silent,
        now: Callable[[], float] = lambda: clock.wall().timestamp(),
    ) -> None:  # fmt: skip
        self.voice, self.aside, self.stays, self.notify, self.now = voice, aside, stays, notify, now
        self._codes: dict[int, _Code] = {}

    def shown(self, ws: Workspace, number: int) -> str:
        """Return what a proposal would change, cut where it is too long for a chat.

        raises  NotFound; Refused where it is decided already, or out of date.
        """
        text = self._looked_at(ws, number)[3]
        if len(text) <= MAX_SHOWN:
            return text
        more = Message("… {count} more characters: `ia pending {number}`", count=len(text) - MAX_SHOWN, number=number)
        return text[:MAX_SHOWN] + "\n" + self.voice.say(more)

    def ask(self, ws: Workspace, number: int, chat: str) -> str:
        """Return what a proposal would change and the code to approve it with; the one given out before is void.

        raises  NotFound; Refused where it is decided, out of date, or not to be approved in a chat.
        """
        self._codes.pop(number, None)
        proposal, _, digest, text = self._looked_at(ws, number)
        if proposal.kind not in IN_CHAT or proposal.path.startswith(".") or proposal.path == "config.yaml":
            raise Refused(
                "proposal {number} ({kind}) is approved at a terminal only: `ia approve {number}`",
                number=number, kind=proposal.kind,
            )  # fmt: skip
        if len(text) > MAX_SHOWN:
            raise Refused(
                "proposal {number} is too long to be read here; at a terminal: `ia approve {number}`", number=number
            )
        if not self.stays:
            raise Refused(
                "approving takes a listener that stays (`ia listen telegram`), or a terminal: `ia approve {number}`",
                number=number,
            )  # fmt: skip
        code = f"{secrets.randbelow(10**6):06d}"
        self._codes[number] = _Code(code, digest, chat, self.now() + LIFE)
        if self.aside is not None:
            self.aside(Message("the code that approves proposal {number}: {code}", number=number, code=code))
            how = Message(
                "to approve it, send within 5 minutes: /approve {number} CODE (the code stands in the terminal of "
                "`ia listen`)", number=number,
            )  # fmt: skip
        else:
            how = Message("to approve it, send within 5 minutes: /approve {number} {code}", number=number, code=code)
        return f"{text.rstrip()}\n\n{self.voice.say(how)}"

    def confirm(self, ws: Workspace, number: int, code: str, chat: str, by: str) -> Proposal:
        """Carry out a proposal whose code was typed back, and return it.

        by      who decides, and how, for the record.
        raises  NotFound; Refused where it is decided, out of date, changed since it was shown, or the code is wrong.
        """
        with ws.lock():
            proposal, after, digest, _ = self._looked_at(ws, number)
            self._checked(number, code, chat, digest)
            if proposal.kind != "task":
                return pipes.consented(ws, number, by=by, notify=self.notify)
        from ia.tasks import book  # which writes the crontab, and must not hold the workspace meanwhile

        book.approve(ws, number, by=by, notify=self.notify, expect=after)
        return proposals.get(ws, number)

    def _looked_at(self, ws: Workspace, number: int) -> tuple[Proposal, str, str, str]:
        """Return a proposal, what would be there, a digest of all that it is and would do now, and how it is shown."""
        proposal = proposals.undecided(ws, number)
        before, after = proposals.outcome(ws, proposal)
        told = [number, proposal.kind, proposal.path, before, after, proposal.because, proposal.origin, proposal.actor]
        digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()
        return proposal, after, digest, self.voice.shown(ws, proposal, before, after)

    def _checked(self, number: int, code: str, chat: str, digest: str) -> None:
        """Use up the code of a proposal, or raise Refused."""
        out = self._codes.get(number)
        if out is None or out.chat != chat:
            raise Refused("no code is out for proposal {number}; look at it first: /approve {number}", number=number)
        if self.now() > out.until:
            del self._codes[number]
            raise Refused("the code of proposal {number} is no longer valid: /approve {number}", number=number)
        if not hmac.compare_digest(out.text.encode(), code.encode()):
            out.tries -= 1
            if out.tries:
                raise Refused("that is not the code; tries left: {count}", count=out.tries)
            del self._codes[number]
            raise Refused(
                "that is not the code, for the third time: it is void. Look again: /approve {number}", number=number
            )
        del self._codes[number]
        if out.digest != digest:
            raise Refused("proposal {number} has changed since it was shown: /approve {number}", number=number)
