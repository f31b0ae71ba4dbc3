"""`ia chat`: questions and answers at a terminal, line by line, in one session."""

import gc
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ia.kernel import config
from ia.kernel.errors import IaError, InternalError, Message, NotFound, UsageError
from ia.kernel.i18n import mark_text
from ia_cli.terminal.group import Command
from ia_cli.terminal.line_editor import LineEditor
from ia_cli.terminal.output import escape_controls, notify, tell_error, tell_simulated
from ia_cli.terminal.text import tr
from ia_cli.terminal.turn_output import choose_session

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace

PROMPT = "ia> "
WORDS = {
    "help": ("/help", mark_text("list the commands")),
    "skills": ("/skills", mark_text("list the skills; /NAME runs one")),
    "new": ("/new", mark_text("start a new session")),
    "sessions": ("/sessions [ID]", mark_text("list the newest sessions, or continue one")),
    "title": ("/title TEXT", mark_text("give this session a title")),
    "pending": ("/pending [N]", mark_text("list the pending proposals, or show one")),
    "approve": ("/approve N", mark_text("show proposal N and approve it")),
    "reject": ("/reject N", mark_text("reject proposal N")),
    "undo": ("/undo [NAME]", mark_text("show the last change, or that of a file, and undo it")),
    "quit": ("/quit", mark_text("end the chat (or Ctrl-D)")),
}
"""The chat's own words, how each is typed, and what it does."""
ALIASES = {
    "帮助": "help", "?": "help", "h": "help", "commands": "help",
    "技能": "skills", "skill": "skills",
    "新会话": "new", "clear": "new", "reset": "new",
    "会话": "sessions", "session": "sessions", "resume": "sessions",
    "标题": "title", "rename": "title", "name": "title",
    "提案": "pending", "proposals": "pending", "show": "pending",
    "批准": "approve", "accept": "approve",
    "拒绝": "reject",
    "撤销": "undo", "撤回": "undo",
    "退出": "quit", "exit": "quit", "q": "quit", "bye": "quit",
}  # fmt: skip
"""What else people type, with a slash in front."""
LEAVING = frozenset({"quit", *(word for word, meant in ALIASES.items() if meant == "quit")})
"""What ends a chat also without a slash."""
SHOWN = 10
"""Sessions that /sessions lists."""
_WORD = re.compile(r"/(\S*)(?:\s+(.*))?\Z", re.S)
_COMMAND_LINE = re.compile(r"`?ia (approve|reject|pending)((?: \d+)?)`?\Z")
"""What an answer says about proposals is often typed back as it stands there."""


@click.command(cls=Command, example="IA_MARKET_ADAPTER=demo ia chat")
@click.option("-s", "--session", metavar="ID", default="", help="Session to continue or to start.")
@click.option("-c", "--continue", "again", is_flag=True, help="Continue the session of the last question.")
@click.option("-m", "--model", metavar="MODEL", help="Model to use: any that `llm models` lists, or ia-offline.")
@click.pass_context
def chat(ctx: click.Context, session: str, again: bool, model: str | None) -> None:
    """Ask and be answered line by line, in one session.

    Each line is a turn, as `ia turn` takes it; a text pasted in several lines is one. /help lists the commands of the
    chat, /NAME runs a skill; TAB completes both. Ctrl-C ends the turn under way and keeps the chat, Ctrl-D or /quit
    ends the chat. If a turn fails, ia says why in one line and the chat goes on.

    Needs a terminal; in a pipe or script, use `ia turn -s ID MESSAGE`. The lines that you type are kept in
    $XDG_STATE_HOME/ia/chat_history (default: ~/.local/state), readable only by you.
    """
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stdout.isatty():
        raise UsageError("a chat needs a terminal", hint="in a pipe or script, use `ia turn -s ID MESSAGE`")
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    config.require_home()
    session = choose_session(ws, session, again)
    gc.enable()  # start.py turns it off for short processes
    Chat(ctx, session or _new_session(), model).run()


def _fill_open_form(ws: "Workspace", session: str, name: str) -> str:
    """Ask the fields of a form that a turn has opened, and return what they say; "" where the user leaves it."""
    from ia.faculties.skills import forms
    from ia.organs import sessions
    from ia_cli.terminal.form_prompts import ask_fields
    from ia_cli.terminal.text import lang

    form = forms.find_form(ws, name, sessions.list_active_skills(ws, session))
    slots = sessions.load_slots(ws, session)
    try:
        answers = ask_fields(form, slots, set(slots), from_stdin=False)
    except click.Abort:
        click.echo(err=True)
        return ""
    sessions.fill_slots(ws, session, answers)
    return forms.narrate_form(form, {**slots, **answers}, lang())


class Chat:
    """A chat under way: its session, and what its words do."""

    def __init__(self, ctx: click.Context, session: str, model: str | None) -> None:
        self.ctx, self.session, self.model = ctx, session, model
        history = os.path.join(config.user_state(), "chat_history")
        self.editor = LineEditor(history, lambda line: list(complete_line(line)))
        self._words = {
            "help": self._tell_help, "skills": self._list_skills, "new": self._start_session,
            "sessions": self._choose_session, "pending": self._show_pending, "approve": self._approve_proposal,
            "reject": self._reject_proposal, "title": self._title_session,
            "undo": self._undo_change,
        }  # fmt: skip

    def run(self) -> None:
        """Read lines and answer them until the user leaves."""
        self._tell_session()
        notify(Message("/help lists the commands; Ctrl-D ends the chat"))
        while True:
            try:
                line = self.editor.read_line(PROMPT).strip()
            except EOFError:
                click.echo()
                return
            except KeyboardInterrupt:  # the line is dropped, as in a shell
                click.echo()
                continue
            except UnicodeDecodeError:
                tell_error(UsageError("the line is not valid UTF-8"))
                continue
            if not line:
                continue
            self.editor.keep_line(line)
            if not self._handle_line(line):
                return

    def _handle_line(self, line: str) -> bool:
        """Answer a line, and return False where it ends the chat. What goes wrong is told, and the chat goes on."""
        try:
            if typed := _COMMAND_LINE.match(line):
                line = f"/{typed[1]}{typed[2]}"
            if line.casefold() in LEAVING:
                return False
            if not line.startswith("/"):
                self._take_turn(line)
                return True
            return self._run_word(line)
        except click.exceptions.Exit:
            return True
        except KeyboardInterrupt:
            click.echo(err=True)
            notify(Message("interrupted; the chat goes on"))
        except Exception as exc:
            _tell_failure(exc)
        finally:
            tell_simulated()
        return True

    def _run_word(self, line: str) -> bool:
        found = _WORD.match(line)
        typed, rest = (found[1], (found[2] or "").strip()) if found else ("", "")
        name = ALIASES.get(typed.casefold(), typed.casefold())
        if name == "quit":
            return False
        if name in WORDS:
            self._words[name](rest)
        elif _is_skill(typed):
            self._take_turn(line)
        else:
            raise _unknown_word_error(typed)
        return True

    def _take_turn(self, line: str) -> None:
        from ia.agent.turns.turn import take_turn
        from ia.kernel.workspace import Workspace
        from ia_cli.terminal.turn_output import refuse_missing_prices, stream_turn, tell_pending

        ws = Workspace()
        done = stream_turn(
            lambda write: take_turn(ws, line, session=self.session, model=self.model, notify=notify, write=write),
            as_json=False,
        )
        tell_pending(done, line)
        refuse_missing_prices(done)
        if done.form and sys.stdin.isatty() and (told := _fill_open_form(ws, self.session, done.form["form"])):
            self._take_turn(told)

    def _tell_session(self) -> None:
        from ia.kernel.workspace import Workspace
        from ia.organs import sessions

        known = next((each for each in sessions.list_sessions(Workspace()) if each.id == self.session), None)
        if known is None:
            notify(Message("new session {id}", id=self.session))
        else:
            notify(Message("session {id}: {title}", id=known.id, title=known.title))

    def _tell_help(self, _rest: str) -> None:
        forms = [form for form, _ in WORDS.values()]
        width = max(map(len, forms)) + 2
        click.echo(tr("Ask in your own words, in Chinese or English."))
        for form, about in WORDS.values():
            click.echo(f"{form:{width}}{tr(about)}")

    def _list_skills(self, _rest: str) -> None:
        from ia.faculties import skills
        from ia.kernel.workspace import Workspace

        usable = [s for s in skills.list_skills(Workspace()) if s.enabled and s.user_invocable and s.problem is None]
        for skill in usable:
            click.echo(escape_controls(f"/{skill.name}  {skill.description()}"))
        if not usable:
            notify(Message("no skills are available here"))

    def _start_session(self, _rest: str) -> None:
        self.session = _new_session()
        self._tell_session()

    def _choose_session(self, rest: str) -> None:
        from ia.kernel.workspace import Workspace
        from ia.organs import sessions

        if rest:
            ws = Workspace()
            self.session = sessions.find_session(ws, sessions.resolve_session(ws, rest)).id
            self._tell_session()
            return
        listed = sessions.list_sessions(Workspace())[:SHOWN]
        for each in listed:
            mark = "*" if each.id == self.session else " "
            click.echo(escape_controls(f"{mark} {each.id}  {each.title}"))
        if not listed:
            notify(Message("no sessions yet"))

    def _title_session(self, rest: str) -> None:
        from ia.kernel.workspace import Workspace
        from ia.organs import sessions

        try:
            sessions.title_session(Workspace(), self.session, rest)
        except NotFound:
            raise UsageError("this session has no question yet", hint="ask first, then give it a title") from None
        self._tell_session()

    def _show_pending(self, rest: str) -> None:
        self._invoke("pending", number=_parse_number(rest) if rest else None, as_json=False, as_jsonl=False)

    def _approve_proposal(self, rest: str) -> None:
        number = _parse_number(rest)
        self._invoke("approve", which=(str(number),), yes=False, as_json=False)

    def _reject_proposal(self, rest: str) -> None:
        first, _, because = rest.partition(" ")
        self._invoke("reject", number=_parse_number(first), because=because.strip(), as_json=False)

    def _undo_change(self, rest: str) -> None:
        from ia.kernel import proposals
        from ia.kernel.errors import Refused
        from ia.kernel.workspace import Workspace
        from ia.organs.memory import changes
        from ia_cli.terminal.confirmation import ask_consent

        ws = Workspace()
        undo = changes.find_undo(ws, rest or None)
        if undo.proposed:
            proposal = changes.undo_change(ws, undo.path)
            assert isinstance(proposal, proposals.Proposal)
            self._approve_proposal(str(proposal.id))
            return
        click.echo(escape_controls(proposals.render_diff(undo.before, undo.after, undo.path)), nl=False)
        if not ask_consent(tr("Undo this change?")):
            raise Refused("{path} is unchanged", path=undo.path)
        with ws.lock():
            if changes.find_undo(ws, undo.path) != undo:
                raise Refused("the content has changed since you saw it; review it again: /{command}", command="undo")
            changes.undo_change(ws, undo.path)
        notify(Message("undone: {paths}", paths=undo.path))

    def _invoke(self, name: str, **params: Any) -> None:
        """Run another command as if it had been typed at the shell."""
        root = self.ctx.find_root()
        command = root.command.get_command(root, name) if isinstance(root.command, click.Group) else None
        if command is None:
            raise LookupError(name)
        with command.make_context(command.name, [], parent=self.ctx, resilient_parsing=True) as ctx:
            ctx.invoke(command, **params)


def complete_line(line: str) -> Iterator[str]:
    """Yield what the last word of a line may become: the chat's words and skills, then their arguments."""
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.completion_values import proposal_words, session_words, skill_words

    word, space, _ = line.lstrip().partition(" ")
    if not word.startswith("/"):
        return
    ws = Workspace()
    if not space:
        yield from (f"/{name}" for name in (*WORDS, *(each for each, _ in skill_words(ws))))
        return
    name = ALIASES.get(word[1:].casefold(), word[1:].casefold())
    if name in ("pending", "approve", "reject"):
        yield from (number for number, _ in proposal_words(ws))
    elif name == "sessions":
        yield from (each for each, _ in session_words(ws))


def _new_session() -> str:
    from ia.agent.turns.turn_id import new_turn_id

    return new_turn_id()


def _is_skill(name: str) -> bool:
    from ia.faculties import skills
    from ia.kernel.errors import NotFound
    from ia.kernel.workspace import Workspace

    try:
        skills.find(Workspace(), name)
    except NotFound:
        return False
    return True


def _unknown_word_error(typed: str) -> UsageError:
    """Return the error for `/typed`, with the nearest word or skill."""
    from ia.faculties import skills
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.hints import find_closest

    known = [*WORDS, *ALIASES, *(skill.name for skill in skills.list_skills(Workspace()))]
    near = find_closest(typed.casefold(), known)
    hint = "did you mean /{near}?" if near else "/help lists the commands, /skills the skills"
    return UsageError("no such command: /{typed}", typed=typed[:60], near=near, hint=hint)


def _parse_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise UsageError("{text!r} is not a proposal number", text=text, hint="/pending lists them")
    return int(text)


def _tell_failure(exc: Exception) -> None:
    """Tell in one line what went wrong with a line; a bug of ours goes into the audit trail, too."""
    from ia.kernel import faults

    error = faults.explain_exception(exc, "`ia chat`")
    if isinstance(error, InternalError) and not isinstance(exc, IaError):
        error = InternalError("`ia chat`", kept=faults.record_at_home("`ia chat`", exc))
    tell_error(error)
