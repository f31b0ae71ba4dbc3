"""Checklists: what must hold before something is done, from knowledge/checks.yaml of the skills.

A list is judged as a whole: each item passes, fails or is unknown, and an unknown item has not passed.
"""

from ia.faculties.checklists.items import CheckItem, Checklist, find_checklist, list_checklists, read_checklists
from ia.faculties.checklists.judging import CheckRequest, run_checklist

__all__ = [
    "CheckItem",
    "CheckRequest",
    "Checklist",
    "find_checklist",
    "list_checklists",
    "read_checklists",
    "run_checklist",
]
