"""Messages to the user at a terminal: two lines a message, of whole words."""

import sys
from typing import TYPE_CHECKING

from ia_cli.terminal.output import escape_controls
from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from ia.organs.channels.notices import Notice


def print_messages(found: "list[Notice]") -> None:
    """Print two lines a message, no word broken; a third one says why it could not be delivered."""
    from ia.kernel import config
    from ia.kernel.text_width import wrap_lines
    from ia.organs.channels import inbox as messages
    from ia_cli.terminal.output import terminal_width

    width = terminal_width()
    bold = ("", "") if config.env("NO_COLOR") else ("\x1b[1m", "\x1b[0m")
    for notice in found:
        title, lines = _split_message(notice)
        unread = messages.is_unread(notice)
        head = f"{'*' if unread else ' '} {notice.id}  {format_time(notice)}  "
        if notice.state != "sent":
            head += f"{notice.channel} {tr(notice.state)}  "
        elif notice.channel != "cli":
            head += f"{notice.channel}  "
        if title:
            first, rest = fit_line(head + title, width), " ".join(lines)
        else:  # its text goes on in the second line
            first, *more = wrap_lines(head + " ".join(lines), width)
            rest = " ".join(more)
        sys.stdout.write(f"{bold[0]}{first}{bold[1]}\n" if unread else f"{first}\n")
        sys.stdout.write("    " + fit_line(rest, width - 4) + "\n" if rest else "\n")
        if notice.error:
            sys.stdout.write("".join(f"    {line}\n" for line in wrap_lines(escape_controls(notice.error), width - 4)))


def _split_message(notice: "Notice") -> tuple[str, list[str]]:
    """Return the title of a message, "" for none, and its lines without Markdown's marks."""
    from ia.organs.channels.previews import preview_lines

    lines = [escape_controls(line) for line in preview_lines(notice.text)]
    return escape_controls(notice.title) or (lines.pop(0) if len(lines) > 1 else ""), lines


def fit_line(line: str, width: int) -> str:
    """Return the beginning of a line that fits, cut between words."""
    from ia.kernel.text_width import display_width, wrap_lines

    if display_width(line) <= width:
        return line
    return wrap_lines(line, width - 2)[0] + " …"


def format_time(notice: "Notice") -> str:
    """Return when a message was made, in local time."""
    from ia.kernel.workspace import to_local
    from ia.organs.channels import inbox as messages

    return f"{to_local(messages.notice_time(notice)):%Y-%m-%d %H:%M}"
