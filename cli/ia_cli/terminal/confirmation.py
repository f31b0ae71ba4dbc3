"""Asking a person for consent: at the terminal, never by way of standard input alone."""

import sys
from typing import TextIO

import click


def ask_consent(question: str) -> bool:
    """Ask at the terminal, whatever standard input is; without a terminal the answer is no.

    raises  Refused without a terminal.
    """
    from ia.kernel.errors import Refused

    if sys.stdin is not None and sys.stdin.isatty():
        return _ask_yes_no(sys.stdin, question)
    try:
        with open("/dev/tty", encoding="utf-8") as terminal:
            return _ask_yes_no(terminal, question)
    except OSError:
        raise Refused("approval needs a terminal", hint="or give --yes yourself") from None


def _ask_yes_no(terminal: TextIO, question: str) -> bool:
    click.echo(f"{question} [y/N] ", err=True, nl=False)
    answer = terminal.readline()
    if not answer.endswith("\n"):  # end of input: what follows stands on a line of its own
        click.echo(err=True)
    return answer.strip().lower() in ("y", "yes", "是")
