"""The packages of the extra `life`, imported where they are needed."""

import importlib
from typing import Any

from ia.kernel.errors import ConfigError


def load_package(name: str) -> Any:
    """Return a module of the extra `life`.

    raises  ConfigError that says what to install.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigError(
            "this calculation needs the package {package}",
            package=name.partition(".")[0],
            hint="`pipx inject ia tyme4py ephem` if pipx installed ia, else `pip install '.[life]'` in its clone",
        ) from None
