"""The type of a JSON object whose shape others decide: a server, a file, a model."""

from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
"""Whoever reads one checks what it holds. What ia makes itself has a TypedDict or a dataclass."""
