"""Saved conditions: strategies/NAME.yaml of the workspace, which `ia scan` and `ia screen` take by name.

    about, about_en    one line: what it looks for
    expr               an expression of `ia scan`
    where              a condition of `ia screen`
    columns            further expressions to print, a list

`expr` or `where` may be left out.
"""

import os
from typing import NamedTuple

from ia.kernel import config
from ia.kernel.errors import BadData, IaError, NotFound
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace

FOLDER = "strategies"
_NAME = pattern(r"[\w][\w.-]{0,63}")
_TEXTS = ("about", "about_en", "expr", "where")


class ScanStrategy(NamedTuple):
    """A saved condition; `problem` says why it cannot be used."""

    name: str
    about: str = ""
    expression: str = ""
    where: str = ""
    columns: tuple[str, ...] = ()
    problem: IaError | None = None

    def narrow_expression(self, further: str | None) -> str | None:
        """Return its expression and a further one as one; None where there is neither."""
        both = [each for each in (self.expression, further) if each]
        return (both[0] if len(both) == 1 else " & ".join(f"({each})" for each in both)) if both else None

    def narrow_condition(self, further: str | None) -> str | None:
        """Return its condition of `ia screen` and a further one as one; None where there is neither."""
        both = [each for each in (self.where, further) if each]
        return (both[0] if len(both) == 1 else " and ".join(f"({each})" for each in both)) if both else None


def list_strategies(ws: Workspace) -> list[ScanStrategy]:
    """Return the saved conditions by name, also those that cannot be used."""
    folder = os.path.join(ws.root, FOLDER)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = []
    for name in (each.removesuffix(".yaml") for each in names if each.endswith(".yaml")):
        try:
            found.append(_read_strategy(ws, name))
        except IaError as error:
            found.append(ScanStrategy(name, problem=error))
    return found


def load_strategy(ws: Workspace, name: str) -> ScanStrategy:
    """Return the saved condition of a name.

    Raises:
        NotFound: there is none.
        BadData: its file cannot be read, or its conditions do not parse.
    """
    if not (_NAME.fullmatch(name) and os.path.isfile(_path(ws, name))):
        known = ", ".join(each.name for each in list_strategies(ws))
        hint = (
            "available: {known}"
            if known
            else "`ia profile use invest` brings some; write your own in strategies/NAME.yaml"
        )
        raise NotFound("no saved condition is named {name!r}", name=name[:60], known=known, hint=hint)
    return _read_strategy(ws, name)


def _path(ws: Workspace, name: str) -> str:
    return os.path.join(ws.root, FOLDER, f"{name}.yaml")


def _read_strategy(ws: Workspace, name: str) -> ScanStrategy:
    told = f"{FOLDER}/{name}.yaml"
    try:
        with open(_path(ws, name), encoding="utf-8") as file:
            tree = load_yaml(file.read(), told)
    except (OSError, UnicodeDecodeError) as error:
        raise BadData("{path}: cannot be read", path=told) from error
    if not isinstance(tree, dict):
        raise BadData("{path}: not a mapping of {keys}", path=told, keys=", ".join((*_TEXTS, "columns")))
    for key, value in tree.items():
        if key not in (*_TEXTS, "columns"):
            raise BadData(
                "{path}: unknown key {key!r}; use {keys}",
                path=told,
                key=str(key)[:40],
                keys=", ".join((*_TEXTS, "columns")),
            )
        if key != "columns" and not isinstance(value, str):
            raise BadData("{path}: {key} is not a text", path=told, key=key)
    columns = tree.get("columns", [])
    if not isinstance(columns, list) or not all(isinstance(each, str) for each in columns):
        raise BadData("{path}: columns is not a list of expressions", path=told)
    expression, where = str(tree.get("expr", "")).strip(), str(tree.get("where", "")).strip()
    if not (expression or where):
        raise BadData("{path}: neither expr nor where is given", path=told)
    _check_conditions(told, [*([expression] if expression else []), *columns], where)
    about = tree.get("about_en" if config.locale_lang() == "en" else "about") or tree.get("about", "")
    return ScanStrategy(name=name, about=str(about), expression=expression, where=where, columns=tuple(columns))


def _check_conditions(path: str, expressions: list[str], where: str) -> None:
    """Raise BadData that names the file where a condition does not parse, or looks ahead."""
    from ia.faculties.lab.scan_expressions import ScanExpression
    from ia.organs.market.screen_conditions import parse_condition

    try:
        for each in expressions:
            ScanExpression(each)
        if where:
            parse_condition(where)
    except IaError as error:
        raise BadData("{path}: {problem}", path=path, problem=error, hint=error.hint) from None
