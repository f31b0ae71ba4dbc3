"""Click, adapted: commands that load when they are called, help in two languages, and a root that understands pipes."""

import importlib
import select
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import click

from ia.kernel import config
from ia.kernel.errors import IaError
from ia_cli.terminal.text import lang, tr
from ia_cli.terminal.wrap import Formatter


def _complete_value(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from ia_cli.terminal.completion_values import complete_value

    return complete_value(ctx, param, incomplete)


def _show_help(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


HELP = "_help"
"""Under this name the option of the help is parsed: an argument of a command may be called `help`."""
HEADINGS = ("Usage:", "Options:", "Commands:", "Arguments:", "Example:")


class _Context(click.Context):
    formatter_class = Formatter


class _Spoken(click.Command):
    """Help that speaks the user's language and ends with an example."""

    context_class = _Context

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        super().__init__(*args, **kwargs)
        self.example = example
        self._help: click.Option | None = None
        for param in self.params:
            if not isinstance(param.type, click.Choice) and param._custom_shell_complete is None:
                param._custom_shell_complete = _complete_value

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option of the help. Click's own looks for its catalog on the disk, in every command that runs."""
        if self._help is None:
            self._help = click.Option(
                [*self.get_help_option_names(ctx), HELP],
                is_flag=True,
                expose_value=False,
                is_eager=True,
                callback=_show_help,
                help="Show this message and exit.",
            )
        return self._help

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from ia_cli.terminal.synonyms import WORDS

        ctx.meta[WORDS] = list(args)  # for errors: click's tell what is wrong with a value, and not the value
        return super().parse_args(ctx, args)

    def make_parser(self, ctx: click.Context) -> Any:
        """Return click's parser, which here takes `- an item` and `-5 %` for the texts that they are."""
        from ia_cli.terminal.synonyms import FORMER

        parser = super().make_parser(ctx)
        options = parser._process_opts
        for old, new in FORMER.get(ctx.command_path.removeprefix("ia "), {}).items():
            parser._long_opt[old] = parser._long_opt[new]

        def process_word(word: str, state: Any) -> None:
            if word[1:2].isspace() or word[1:2].isdigit() or (word[1:2] != "-" and any(c.isspace() for c in word)):
                state.largs.append(word)
            else:
                options(word, state)

        parser._process_opts = process_word  # type: ignore[assignment,method-assign]
        return parser

    def get_help(self, ctx: click.Context) -> str:
        return _translate_headings(super().get_help(ctx))

    def get_usage(self, ctx: click.Context) -> str:
        return _translate_headings(super().get_usage(ctx))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(tr(part) for part in split_paragraphs(self.help)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and not isinstance(param, click.Argument):
                name, text = record
                own = getattr(param, "help", None) or ""
                rows.append((name, text.replace(own, tr(own), 1) if own else text))
        with formatter.section("Options"):
            formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.example:
            with formatter.section("Example"):
                for line in self.example.strip().splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line.strip()}\n")


class Command(_Spoken):
    """A command. `homeless`: it does not need the workspace that was named to be there."""

    def __init__(self, *args: Any, homeless: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.homeless = homeless

    def invoke(self, ctx: click.Context) -> Any:
        if not self.homeless:
            config.require_home()
        return super().invoke(ctx)


class CommandGroup(_Spoken, click.Group):
    """A noun with verbs below it. A first word that is no verb goes to the `fallback` verb, if there is one."""

    command_class = Command

    def __init__(self, *args: Any, fallback: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fallback = fallback

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[1:] == ["help"] and self._is_group(ctx, args[0]):
            args = [args[0], "--help"]
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            if args == ["help"]:
                click.echo(ctx.get_help())
                ctx.exit()
            if not self.fallback:
                from ia_cli.terminal.hints import unknown_command_error

                raise unknown_command_error(args[0], args[1:], ctx)
            args = [self.fallback, *args]
        return super().resolve_command(ctx, args)

    def _is_group(self, ctx: click.Context, name: str) -> bool:
        return isinstance(self.get_command(ctx, name), click.Group)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                rows.append((name, tr(first_line(command))))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class LazyGroup(CommandGroup):
    """A group whose commands are data: name -> ("module:attribute", one-line help). Its help imports none of them."""

    def __init__(
        self,
        *args: Any,
        lazy: dict[str, tuple[str, str]],
        groups: Mapping[str, tuple[str, ...]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy
        self.groups = groups or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lazy)

    def get_command(self, ctx: click.Context | None, name: str) -> click.Command | None:
        if name not in self.lazy:
            return None
        module, attribute = self.lazy[name][0].split(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        grouped = {name for names in self.groups.values() for name in names}
        others = tuple(name for name in self.lazy if name not in grouped)
        for heading, names in (*self.groups.items(), ("Commands", others)):
            rows = [(name, tr(self.lazy[name][1])) for name in names if name in self.lazy]
            if rows:
                with formatter.section(tr(heading)):
                    formatter.write_dl(rows, 14)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        names = [CompletionItem(n, help=tr(text)) for n, (_, text) in self.lazy.items() if n.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


class RootGroup(LazyGroup):
    """The root, which knows `ia help COMMAND` and `ia version` too.

    Click takes every EPIPE for "stdout was closed" and exits 1 without a word, also when it came from a
    child process or a socket. Here the two are told apart.
    """

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] == "help" and len(args) > 1 and not ctx.resilient_parsing:
            args = [*args[1:], "--help"]
        elif len(args) == 2 and args[1] == "help" and self._takes_no_words(ctx, args[0]):
            args = [args[0], "--help"]
        elif args in (["version"], ["-V"]):
            from ia import __version__

            click.echo(f"ia {__version__}")
            ctx.exit()
        return super().resolve_command(ctx, args)

    def _takes_no_words(self, ctx: click.Context, name: str) -> bool:
        """Whether a command has no argument that `help` could be the text of."""
        from ia_cli.terminal.hints import TEXTS

        command = self.get_command(ctx, name)
        return command is not None and not any(
            isinstance(param, click.Argument) and param.name in TEXTS for param in command.params
        )

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as exc:
            if has_reader_left():
                ctx.exit(141)
            raise IaError("a child process or a connection closed its input early") from exc


def has_reader_left() -> bool:
    """Whether the process that was reading our standard output has gone."""
    try:
        fd = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):
        return False
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    events = poll.poll(0)
    return bool(events and events[0][1] & (select.POLLERR | select.POLLHUP))


def first_line(command: click.Command) -> str:
    """Return the first line of a command's help: what stands beside its name in a list."""
    return (command.help or "").strip().split("\n\n")[0].split("\b")[0].replace("\n", " ").strip()


def split_paragraphs(help_text: str | None) -> Iterable[str]:
    """Yield a help text's paragraphs, unwrapped unless they begin with click's mark for text that stands as it is."""
    import inspect

    for part in inspect.cleandoc(help_text or "").split("\n\n"):
        yield part if part.startswith("\b") else part.replace("\n", " ")


def _translate_headings(text: str) -> str:
    """Translate the headings that click writes itself."""
    if lang() == "zh":
        for heading in HEADINGS:
            text = text.replace(f"\n{heading}", f"\n{tr(heading)}")
            if text.startswith(heading):
                text = tr(heading) + text[len(heading) :].lstrip(" ")
        text = text.replace("[default: ", f"[{tr('default: ')}").replace("[default:\n", f"[{tr('default: ')}\n")
    return text
