"""The packages of the extra `cluster`, imported where they are needed."""

import importlib
from typing import Any

from ia.kernel.errors import ConfigError


def load_package(name: str) -> Any:
    """Return a module of the extra `cluster`.

    raises  ConfigError that says what to install.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigError(
            "this needs the package {package}",
            package=name.partition(".")[0],
            hint="`pipx inject ia dask distributed obstore blosc2` if pipx installed ia, else"
            " `pip install '.[cluster]'` in its clone",
        ) from None


def first_line(error: BaseException) -> str:
    """Return the first line of what a package says of its failure."""
    return (str(error).splitlines() or [""])[0]
