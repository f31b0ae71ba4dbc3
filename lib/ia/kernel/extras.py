"""The packages of the optional extras of pyproject.toml, imported where they are needed."""

import importlib
from typing import Any

from ia.kernel.errors import ConfigError


def load_extra(extra: str, module: str) -> Any:
    """Return a module of an optional extra.

    raises  ConfigError that names the extra and says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ConfigError(
            "this needs the extra `{extra}`: the package {package} is not installed",
            extra=extra,
            package=module.partition(".")[0],
            hint="run `pip install '.[{extra}]'` in the clone of ia; if pipx installed ia:"
            " `pipx install --force '.[{extra}]'`",
        ) from None
