"""The recording of a run, `calls.jsonl`: every question to the model with its answer, in order.

Its first line holds what all questions share: model, options, system prompt, tools. Each further line holds what is new
in a question since the one before it in the same turn. The key of a question is the SHA-256 of all of it as canonical
JSON, and of how often this question came before: a repeated question wants an answer of its own.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ia.kernel.digest import sha256
from ia.kernel.errors import BadData, Unavailable
from ia.kernel.files import make_folders, name_file
from ia.kernel.jsontypes import Json

FILE = "calls.jsonl"


class Recording:
    """Answers by their place in the run: those that are recorded are given again, new ones are appended."""

    def __init__(
        self, path: str, recorded: list[Json], *, own: bool = False, closed: bool = False, shared: Sequence[Json] = ()
    ) -> None:
        """Begin at the first question.

        Args:
            path: the file to append to.
            recorded: lines of a recording.
            own: whether they are in the file already.
            closed: whether nothing but what is recorded may be answered.
            shared: lines of another run, whose answers are taken as long as the questions are the same.
        """
        self.path, self.recorded, self.own, self.closed = path, recorded, own, closed
        self._shared = shared
        self.asked = 0
        self.replayed = 0
        self._setup = ""
        self._seen: dict[str, int] = {}
        self._turn: list[str] = []
        self._file: Any = None

    def begin(self, setup: Json) -> None:
        """Take what all questions share.

        raises  Unavailable where another setup was recorded.
        """
        self._setup = canonical_json({"setup": setup})
        if self.recorded:
            before = canonical_json(self.recorded[0])
            if before != self._setup:
                raise _miss_error(0, before, self._setup)
        self._append(self._setup)

    def begin_turn(self) -> None:
        """Begin a question that nothing was said before."""
        self._turn = []

    def find_answer(self, messages: list[Json]) -> Json | None:
        """Return the recorded answer to a question whose new messages these are; None where it must be asked.

        raises  Unavailable where another question was recorded in its place, or nothing where nobody may be asked.
        """
        self._turn += map(canonical_json, messages)
        self.asked += 1
        line = self.recorded[self.asked] if self.asked < len(self.recorded) else None
        if line is None:
            if self.closed:
                raise Unavailable(
                    "call {number} is not recorded: the recording ends after {count} calls",
                    number=self.asked,
                    count=max(len(self.recorded) - 1, 0),
                    code="replay-miss",
                )
            return self._find_shared()
        key, ordinal = self._key()
        if (line.get("key"), line.get("ordinal")) != (key, ordinal):
            before = [canonical_json(message) for message in line.get("messages", [])]
            new = self._turn[len(self._turn) - len(messages) :]
            raise _miss_error(self.asked, "\n".join(before), "\n".join(new))
        answer: Json = line["answer"]
        return answer

    def _find_shared(self) -> Json | None:
        if self.asked < len(self._shared):
            line = self._shared[self.asked]
            if (line.get("key"), line.get("ordinal")) == self._key():
                answer: Json = line["answer"]
                return answer
            self._shared = ()
        return None

    def keep(self, day: str, messages: list[Json], answer: Json) -> None:
        """Append a question with its answer."""
        key, ordinal = self._key()
        self._seen[key] = ordinal + 1
        self._turn.append(canonical_json({"role": "assistant", **answer}))
        line = {"n": self.asked, "day": day, "key": key, "ordinal": ordinal, "messages": messages, "answer": answer}
        self._append(canonical_json(line))

    def _key(self) -> tuple[str, int]:
        found = sha256(self._setup.encode())
        for text in self._turn:
            found.update(b"\n" + text.encode())
        key = found.hexdigest()
        return key, self._seen.get(key, 0)

    def _append(self, line: str) -> None:
        if self.own and self.asked < len(self.recorded):
            return
        left = line.encode() + b"\n"
        try:
            if self._file is None:
                make_folders(os.path.dirname(self.path))
                mode: Literal["ab", "wb"] = "ab" if self.own or self.asked else "wb"
                self._file = open(self.path, mode, buffering=0)  # noqa: SIM115
            while left:
                left = left[self._file.write(left) :]
        except OSError as exc:
            raise name_file(exc, self.path) from exc

    def sync(self) -> None:
        """Make what was appended survive a power cut."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def load_recording(path: str, *, mend: bool = False) -> list[Json]:
    """Return the lines of a recording; none where there is no file.

    mend     remove from the file a last line that a kill or a full disk has cut off; it never counts
    raises  BadData for a line before it that is no JSON object.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return []
    lines = data.split(b"\n")
    found: list[Json] = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise BadData("{path}, line {line}: not a JSON object", path=os.path.basename(path), line=number)
        found.append(row)
    if mend and lines[-1]:
        os.truncate(path, len(data) - len(lines[-1]))
    return found


def canonical_json(value: Mapping[str, Any] | Json) -> str:
    """Return a value as JSON that is the same everywhere: keys sorted, no spaces, no escapes.

    >>> canonical_json({"b": 1.5, "a": "é"})
    '{"a":"é","b":1.5}'
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _miss_error(number: int, before: str, now: str) -> Unavailable:
    """Return the failure of a question that differs from the recorded one, naming the first byte that does."""
    old, new = before.encode(), now.encode()
    at = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    around = slice(max(at - 20, 0), at + 20)
    return Unavailable(
        "call {number} differs from the recorded one at byte {byte}: {recorded!r} was recorded, now {now!r}",
        number=number,
        byte=at,
        recorded=old[around].decode(errors="replace"),
        now=new[around].decode(errors="replace"),
        code="replay-miss",
    )
