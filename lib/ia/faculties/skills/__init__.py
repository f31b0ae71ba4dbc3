"""Skills: folders of instructions and knowledge below .claude/skills/, compatible with Claude Code's SKILL.md.

Only this package reads them. A context holds one line a skill; its body is loaded when it is called, its knowledge when
it is asked for. Nothing in a skill is executed, but for the conditions of its rules, which the sandbox evaluates.
"""

from ia.faculties.skills.conditions import Finding, check, texts
from ia.faculties.skills.expertise import Knowledge, knowledge
from ia.faculties.skills.model import Skill
from ia.faculties.skills.registry import FOLDER, Loaded, files, find, listed, load, resource, summaries

__all__ = [
    "FOLDER", "Finding", "Knowledge", "Loaded", "Skill", "check", "files", "find", "knowledge", "listed", "load",
    "resource", "summaries", "texts",
]  # fmt: skip
