"""A tool: a function with a name, a risk and a schema. One registry holds those of ia and those of the providers."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ia.kernel.jsontypes import Json

READ, WRITE, CONFIRM = "read", "write", "confirm"
"""Looks; writes into the workspace where the gate lets it; only ever makes a proposal."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """One thing that can be done.

    name      `organ.verb`; on the wire of a model the dot is an underscore
    risk      READ, WRITE or CONFIRM
    run       called with the Scope and the arguments by name; returns what JSON can hold
    schema    JSON Schema of the arguments: an object, nothing but its properties allowed
    origin    where it comes from: `ia`, `skill:NAME` or `provider:NAME`
    together  whether calls of one reply may run at the same time
    seconds   time limit
    local     a function of an installed package runs it, and no provider
    private   its arguments are the user's own affair: the audit trail does not keep them, and no provider runs it
    figures   a person approved its provider as one that answers with figures: they do not taint
    skill     the skill that brings it; active_only: a model reaches it while that skill is active, and not before
    bare      its name in the skill, where another tool has that name too
    about     what else `ia tool show` says of it
    """

    name: str
    risk: str
    run: Callable[..., Any]
    description: str
    schema: Json
    origin: str = "ia"
    together: bool = False
    seconds: float = 60.0
    local: bool = False
    private: bool = False
    figures: bool = False
    skill: str = ""
    active_only: bool = False
    bare: str = ""
    about: Json = field(default_factory=dict)

    @property
    def organ(self) -> str:
        """The organ that it belongs to: `notebook` of `notebook.write`."""
        return self.name.split(".", 1)[0]

    @property
    def outside(self) -> bool:
        """Whether somebody else's program runs it: what it is given leaves ia, what it returns came from outside."""
        return self.origin != "ia" and not self.local

    @property
    def wire_name(self) -> str:
        """Its name as models take it: letters, digits, `_` and `-`."""
        return self.name.replace(".", "_")


def tool(
    name: str, risk: str, *, together: bool = False, seconds: float = 60.0, private: bool = False, card: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as a tool. Its first parameter is the Scope; the others, by type, are the schema.

    The first paragraph of the docstring is what a model reads; `Annotated[str, "…"]` describes a parameter.

    card  the type of the card that it returns
    """

    def mark_function(function: Callable[..., object]) -> Callable[..., object]:
        function.__tool__ = (name, risk, together, seconds, private, card)  # type: ignore[attr-defined]
        return function

    return mark_function


def declared_tools(module: Any) -> list[Tool]:
    """Return the tools that a module declares, in its order."""
    return [
        describe_tool(function)
        for function in vars(module).values()
        if getattr(function, "__tool__", None) is not None and function.__module__ == module.__name__
    ]


def describe_tool(function: Callable[..., Any]) -> Tool:
    """Return the tool that a function marked by `tool` is."""
    from ia.agent.tools.schema import function_schema

    name, risk, together, seconds, private, card = function.__tool__  # type: ignore[attr-defined]
    text = inspect.cleandoc(function.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    return Tool(
        name=name,
        risk=risk,
        run=function,
        description=text,
        schema=function_schema(function),
        origin="ia",
        together=together,
        seconds=seconds,
        private=private,
        about={"card_type": card} if card else {},
    )
