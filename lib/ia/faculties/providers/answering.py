"""What the programs of the shipped providers have in common: one call in, one answer or one complaint out."""

import json
import sys
from collections.abc import Callable

from ia.kernel import config
from ia.kernel.errors import BadData, IaError, UsageError
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json


def answer_one_call(answer: Callable[[str, Json], object]) -> int:
    """Answer one call from standard input and return the exit status; complaints go to standard error.

    answer  returns what a tool, by its name, answers to its arguments. It may raise IaError, whose field `quoted`, the
            words of another program, is said instead of ia's own; ValueError, KeyError, TypeError and AttributeError
            say that the call has not the form of one.
    """
    try:
        call = json.load(sys.stdin)
        told = answer(str(call["tool"]), dict(call["arguments"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        sys.stderr.write('a call is {"tool", "arguments", "config"}\n')
        return BadData.status
    except IaError as exc:
        speak = Voice(config.locale_lang())
        said = str(exc.params.get("quoted") or "") or speak.say(exc)
        sys.stderr.write("; ".join(filter(None, (said, speak.say_hint(exc)))) + "\n")
        return BadData.status if isinstance(exc, UsageError) else exc.status
    json.dump(told, sys.stdout)
    return 0
