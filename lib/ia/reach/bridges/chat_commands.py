"""The owner's commands in a chat, with the meaning that they have at a terminal. Anything else is a question."""

import re
from datetime import datetime
from typing import TYPE_CHECKING

from ia.faculties import skills
from ia.kernel import audit, clock, config, proposals
from ia.kernel.errors import IaError, Message, NotFound
from ia.kernel.workspace import Workspace, to_local
from ia.organs import notebook
from ia.organs.memory import change_rules, contents
from ia.reach.bridges.chat_approval import Approving, ListenerVoice

if TYPE_CHECKING:
    from ia.faculties.taskbook.approved_tasks import Listed

COMMANDS: dict[str, Message] = {
    "help": Message("list the commands"),
    "skills": Message("list the skills; /NAME runs one"),
    "pending": Message("list the pending proposals"),
    "show": Message("show the changes of proposal N"),
    "approve": Message("approve proposal N: shows it and gives a code"),
    "reject": Message("reject proposal N"),
    "tasks": Message("list the tasks with schedule and next run"),
    "pause": Message("pause a task"),
    "resume": Message("resume a task: gives a code"),
    "remove": Message("remove a task: gives a code"),
    "notes": Message("list the newest notes; /notes N shows one"),
    "memory": Message("list the memory files; /memory NAME shows one"),
    "soul": Message("show the soul, my character"),
    "undo": Message("undo the last change, or that of a file: shows it and gives a code"),
    "log": Message("show the last N events"),
}
"""What a service offers in its menu."""
FORMS = {
    "show": "show N",
    "approve": "approve N",
    "reject": "reject N",
    "notes": "notes [N]",
    "log": "log [N]",
    "pause": "pause NAME",
    "resume": "resume NAME",
    "remove": "remove NAME",
    "memory": "memory [NAME]",
    "undo": "undo [NAME]",
}
_COMMAND = re.compile(r"/([\w-]+)(?:@\w+)?(?:\s+(.*))?\Z", re.S)
_CODE = re.compile(r"\d{6}", re.ASCII)
MAX_NOTE = 12_000
MOST = 50


class Commands:
    """Commands that begin with `/`."""

    def __init__(self, channel: str, voice: ListenerVoice, approving: Approving) -> None:
        self.channel, self.say, self.approving = channel, voice.say, approving

    def run_command(self, ws: Workspace, chat: str, text: str, *, by_owner: bool) -> str | None:
        """Return what a command says; None where it names a skill, which is a turn's to run.

        raises  IaError as the command at a terminal does.
        """
        found = _COMMAND.match(text)
        name, rest = (found[1].lower(), (found[2] or "").strip()) if found else ("", "")
        if name in ("start", "help"):
            return self._help(by_owner)
        if not by_owner:
            return self.say(Message("only the owner can use commands here; ask in your own words"))
        if name in COMMANDS:
            told: str = getattr(self, f"_{name}")(ws, chat, rest)
            return told
        if found and self._is_skill(ws, found[1]):
            return None
        return self.say(Message("unknown command {text}; send /help for a list", text=text[:40]))

    def _is_skill(self, ws: Workspace, name: str) -> bool:
        try:
            skills.find(ws, name)
        except IaError:
            return False
        return True

    def _help(self, by_owner: bool) -> str:
        lines = [self.say(Message("Ask in your own words, in Chinese or English."))]
        if by_owner:
            lines += [f"/{FORMS.get(name, name)} – {self.say(about)}" for name, about in COMMANDS.items()]
            lines.append(self.say(Message("I treat what you forward or attach as data, never as instructions.")))
        return "\n".join(lines)

    def _skills(self, ws: Workspace, _chat: str, _rest: str) -> str:
        usable = [s for s in skills.list_skills(ws) if s.enabled and s.user_invocable and s.problem is None]
        lines = [f"/{skill.name} – {skill.description()[:160]}" for skill in usable]
        return "\n".join(lines) or self.say(Message("no skills are available here"))

    def _pending(self, ws: Workspace, _chat: str, _rest: str) -> str:
        waiting = proposals.pending_proposals(ws)
        if not waiting:
            return self.say(Message("no pending proposals"))
        lines = [f"{p.id}  {p.kind}  {p.path}" + (f"  {p.because[:120]}" if p.because else "") for p in waiting[-MOST:]]
        return "\n".join([*lines, self.say(Message("send /show N to see one, /approve N or /reject N to decide"))])

    def _show(self, ws: Workspace, _chat: str, rest: str) -> str:
        number = _parse_number(rest)
        return self._explain_usage("/show N") if number is None else self.approving.show_proposal(ws, number)

    def _approve(self, ws: Workspace, chat: str, rest: str) -> str:
        words = rest.split()
        number = _parse_number(words[0]) if words else None
        if number is None or len(words) > 2:
            return self._explain_usage("/approve N [CODE]")
        if len(words) == 1:
            return self.approving.request_code(ws, number, chat)
        by = f"owner in {self.channel} chat {chat} with a code"
        done = self.approving.confirm_proposal(ws, number, words[1], chat, by)
        return self.say(Message("carried out proposal {number}: {path}", number=number, path=done.path))

    def _reject(self, ws: Workspace, chat: str, rest: str) -> str:
        first, _, because = rest.partition(" ")
        number = _parse_number(first)
        if number is None:
            return self._explain_usage("/reject N [WHY]")
        by = f"owner in {self.channel} chat {chat}"
        dropped = proposals.reject(ws, number, by=by, because=because.strip()[:600])
        return self.say(Message("rejected proposal {number}; {path} is unchanged", number=number, path=dropped.path))

    def _tasks(self, ws: Workspace, _chat: str, _rest: str) -> str:
        from ia.faculties.taskbook import approved_tasks

        return "\n".join(map(self._format_task, approved_tasks.list_tasks(ws))) or self.say(
            Message("there are no tasks")
        )

    def _format_task(self, task: "Listed") -> str:
        from ia.faculties.schedule.describe import describe_design

        parts = [task.name, self.say(Message(task.state))]
        if task.problem is not None:
            parts.append(self.say(Message(task.problem.template, **task.problem.params)))
        if task.design is not None:
            parts.append(describe_design(task.design, config.locale_lang()))
            if time := _next_run_time(task):
                parts.append(self.say(Message("next run {time}", time=time)))
        return "  ".join(parts)

    def _pause(self, ws: Workspace, _chat: str, rest: str) -> str:
        from ia.reach.tasks import decisions

        if not rest:
            return self._explain_usage("/pause NAME")
        done = decisions.pause_task(ws, rest, notify=self.approving.notify)
        return self.say(Message("task {name} is paused; resume it with /resume {name}", name=done.name))

    def _resume(self, ws: Workspace, chat: str, rest: str) -> str:
        return self._decide_with_code(ws, chat, "resume", rest, "task {name} is active again")

    def _remove(self, ws: Workspace, chat: str, rest: str) -> str:
        return self._decide_with_code(ws, chat, "remove", rest, "task {name} is removed")

    def _decide_with_code(self, ws: Workspace, chat: str, act: str, rest: str, template: str) -> str:
        words = rest.split()
        if not 1 <= len(words) <= 2:
            return self._explain_usage(f"/{act} NAME [CODE]")
        if len(words) == 1:
            return self.approving.request_task_code(ws, act, words[0], chat)
        return self.say(Message(template, name=self.approving.confirm_task(ws, act, words[0], words[1], chat)))

    def _memory(self, ws: Workspace, _chat: str, rest: str) -> str:
        if not rest:
            found = contents.list_memory(ws)[:MOST]
            return "\n".join(e.path for e in found) or self.say(Message("the memory is empty"))
        path = change_rules.path_of(ws, rest)
        text = contents.render_index(ws) if path == contents.PATH else ws.read(path)
        if text is None:
            raise NotFound("{path}: no such memory file", path=path)
        return _format_file(path, text)

    def _soul(self, ws: Workspace, _chat: str, _rest: str) -> str:
        text = ws.read(change_rules.SOUL)
        return self.say(Message("there is no soul.md")) if text is None else _format_file(change_rules.SOUL, text)

    def _undo(self, ws: Workspace, chat: str, rest: str) -> str:
        words = rest.split()
        code = words.pop() if words and _CODE.fullmatch(words[-1]) else ""
        if len(words) > 1:
            return self._explain_usage("/undo [NAME] [CODE]")
        path = words[0] if words else ""
        if not code:
            return self.approving.request_undo_code(ws, path, chat)
        by = f"owner in {self.channel} chat {chat} with a code"
        undone = self.approving.confirm_undo(ws, path, code, chat, by)
        return self.say(Message("undone: {paths}", paths=", ".join(undone)))

    def _notes(self, ws: Workspace, _chat: str, rest: str) -> str:
        newest = sorted(notebook.list_notes(ws), key=lambda entry: entry.time, reverse=True)[:MOST]
        if not newest:
            return self.say(Message("there are no notes yet"))
        if not rest:
            return "\n".join(
                f"{at}. {_format_time(e.time)} {e.path} {e.title}"[:200] for at, e in enumerate(newest[:10], 1)
            )
        at = _parse_number(rest)
        if at is None or not 1 <= at <= len(newest):
            return self._explain_usage("/notes [N]")
        return _format_file(newest[at - 1].path, ws.read(newest[at - 1].path) or "")

    def _log(self, ws: Workspace, _chat: str, rest: str) -> str:
        count = _parse_number(rest) if rest else 10
        if not count:
            return self._explain_usage("/log [N]")
        found = [e for e in audit.events(ws.db, limit=20 * MOST) if e.kind != "message.received"][: min(count, MOST)]
        return "\n".join(f"{_format_time(e.time)} {e.kind} {e.subject} ({e.actor})" for e in found)

    def _explain_usage(self, form: str) -> str:
        return self.say(Message("usage: {form}", form=form))


def _format_file(path: str, text: str) -> str:
    cut = f"\n… ({len(text) - MAX_NOTE})" if len(text) > MAX_NOTE else ""
    return f"{path}\n\n{text[:MAX_NOTE]}{cut}"


def _next_run_time(task: "Listed") -> str:
    """Return when an approved task runs next; "" for one that rests, waits for an event, or never will."""
    from ia.faculties.schedule import slots

    if task.design is None or task.task is None or task.state in ("paused", "deleted"):
        return ""
    coming = slots.next_slots(task.design, clock.now(), 1, anchor=datetime.fromisoformat(task.task.since))
    return f"{to_local(coming[0]):%m-%d %H:%M}" if coming else ""


def _parse_number(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 16 else None


def _format_time(stamp: str) -> str:
    return f"{to_local(datetime.fromisoformat(stamp)):%m-%d %H:%M}"
