"""Chinese for what ia says: one module an organ, each with a CATALOG of English templates and their Chinese."""

import importlib
import pkgutil


def catalog() -> dict[str, str]:
    """Return all catalogs as one."""
    merged: dict[str, str] = {}
    for module in pkgutil.iter_modules(__path__):
        merged |= importlib.import_module(f"{__name__}.{module.name}").CATALOG
    return merged
