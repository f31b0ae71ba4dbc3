"""Ask a model for JSON of a given form: one question, one answer, below the caps on spending."""

import json
import time
from typing import Any

from ia.agent.tools.time_limit import LONGEST, limit_time
from ia.agent.turns import models
from ia.kernel import config
from ia.kernel.errors import TryLater, Unavailable
from ia.kernel.jsontypes import Json
from ia.organs import sessions
from ia.organs.spending import Meter

RETRIES = 2
MAX_ANSWER = 200_000
"""Characters of an answer."""


class StructuredModel:
    """A model that is asked for JSON.

    raises  Unavailable for a model that is unknown or has no key
    """

    def __init__(self, name: str, meter: Meter) -> None:
        self.name, self.meter = name, meter
        self.model = models.load_model(name)
        meter.adopt_price(str(getattr(self.model, "model_id", name)))
        self.patience = min(float(config.get_setting("turn.timeout")), LONGEST)

    def ask_json(self, system: str, prompt: str, schema: Json) -> Any:
        """Return what the model answers; None where that is no JSON. Temperature 0 where the model has one.

        raises  Unavailable, TryLater (the model), Refused (a cap)
        """
        for attempt in range(RETRIES + 1):
            self.meter.reserve_call(sessions.estimate_tokens(system + prompt))
            try:
                text, usage = self._ask_once(system, prompt, schema)
            except Exception as exc:
                failure = models.explain_failure(exc, self.name)
                self.meter.release_call()
                pause = models.wait_before_retry(exc, attempt)
                if not isinstance(failure, TryLater) or attempt == RETRIES or pause > self.patience:
                    raise failure from exc
                time.sleep(pause)
            except BaseException:  # Ctrl-C
                self.meter.settle_call(None, None)
                raise
            else:
                told = [getattr(usage, side, None) for side in ("input", "output")]
                known = [each if type(each) is int and each >= 0 else None for each in told]
                self.meter.settle_call(known[0], sessions.estimate_tokens(text) if known[1] is None else known[1])
                return parse_json(text)
        raise AssertionError("unreachable")

    def _ask_once(self, system: str, prompt: str, schema: Json) -> tuple[str, object]:
        known = getattr(getattr(self.model, "Options", None), "model_fields", {})
        options: Json = {"temperature": 0} if "temperature" in known else {}
        if getattr(self.model, "supports_schema", False):
            options["schema"] = schema
        else:
            system = f"{system}\nThe JSON schema of the answer: {json.dumps(schema)}"
        with limit_time(self.patience, lambda: models.silence_error(self.name, self.patience)):
            response = self.model.prompt(prompt, system=system, stream=False, **options)
            text = str(response.text())
            if len(text) > MAX_ANSWER:
                raise Unavailable("{model}: the answer is too long", model=self.name)
            return text, response.usage()


def parse_json(text: str) -> Any:
    """Return the JSON of an answer, also between code fences; None for none.

    >>> parse_json('```json\\n{"a": 1}\\n```'), parse_json("no")
    ({'a': 1}, None)
    """
    plain = text.strip()
    if plain.startswith("```"):
        plain = plain.strip("`").removeprefix("json")
    try:
        return json.loads(plain)
    except (ValueError, RecursionError):
        return None
