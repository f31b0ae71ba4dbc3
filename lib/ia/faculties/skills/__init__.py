"""Skills: folders of instructions and knowledge below .claude/skills/, compatible with Claude Code's SKILL.md.

Only this package reads them. A context holds one line a skill; its body is loaded when it is called, its knowledge when
it is asked for. Nothing in a skill is executed, but for the conditions of its rules, which the sandbox evaluates.
"""

from ia.faculties.skills.conditions import RuleFinding, check, needs_bars, texts
from ia.faculties.skills.expertise import Knowledge, knowledge
from ia.faculties.skills.model import Skill
from ia.faculties.skills.registry import FOLDER, Loaded, files, find, list_skills, load, resource, summaries

__all__ = [
    "FOLDER",
    "Knowledge",
    "Loaded",
    "RuleFinding",
    "Skill",
    "check",
    "files",
    "find",
    "knowledge",
    "list_skills",
    "load",
    "needs_bars",
    "resource",
    "summaries",
    "texts",
]
