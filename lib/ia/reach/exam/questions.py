"""The questions of the exam, as `questions.yaml` holds them."""

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ia.kernel.formats.yaml import load_yaml
from ia.kernel.jsontypes import Json

CHECKS = ("number", "date", "securities", "says", "avoids", "proposal", "no_proposal", "file")
"""Kinds of checks: what the answer must hold or must not, and what must stand in the workspace afterwards."""


@dataclass(frozen=True, kw_only=True)
class ExamQuestion:
    """A question, its group, and the checks that all of its answer must pass: each a mapping with one key of CHECKS."""

    id: str
    group: str
    ask: str
    checks: tuple[Json, ...]


def load_questions() -> list[ExamQuestion]:
    """Return the questions, in the order in which they are asked."""
    document = load_exam_file("questions.yaml")
    return [
        ExamQuestion(id=row["id"], group=group, ask=row["ask"], checks=tuple(row["checks"]))
        for group, rows in document["questions"].items()
        for row in rows
    ]


def load_patterns() -> dict[str, list[str]]:
    """Return the named lists of patterns that checks refer to: how people decline, deny, and so on."""
    return dict(load_exam_file("questions.yaml")["patterns"])


def load_exam_file(name: str) -> Any:
    """Return a YAML file of the exam."""
    return load_yaml(files(__package__).joinpath(name).read_text(encoding="utf-8"), name)
