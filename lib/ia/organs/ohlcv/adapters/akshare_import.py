"""akshare without its 7,000-line `__init__`: one submodule at a time, for little more than pandas costs."""

import contextlib
import importlib.util
import io
import sys
import threading
import warnings
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from ia.kernel import config
from ia.kernel.errors import Unavailable

_changing = threading.RLock()
"""Held while standard output, the filters of warnings or the loaded modules are changed: all threads share them."""


def akshare_version() -> str:
    """Return akshare's version, "?" where it cannot be told."""
    try:
        return str(import_submodule("_version").__version__)
    except (ImportError, AttributeError, Unavailable):
        return "?"


def import_submodule(name: str) -> ModuleType:
    """Import one submodule of akshare through a bare package: nearly only pandas is paid for. Else all of akshare.

    raises  Unavailable where akshare is not installed.
    """
    full = f"akshare.{name}"
    with _changing:
        return sys.modules[full] if full in sys.modules else _import_alone(full)


def _import_alone(full: str) -> ModuleType:
    spec = None if "akshare" in sys.modules else importlib.util.find_spec("akshare")
    if spec is None and "akshare" not in sys.modules:
        raise Unavailable("akshare is not installed", hint="run `pip install akshare`")
    if spec is not None:
        bare = ModuleType("akshare")
        bare.__path__ = list(spec.submodule_search_locations or ())
        bare.__spec__ = spec
        sys.modules["akshare"] = bare
        try:
            with silence_output():
                return import_module(full)
        except (ImportError, AttributeError):
            pass
        finally:
            sys.modules.pop("akshare", None)
    with silence_output():
        import_module("akshare")
        return import_module(full)


@contextlib.contextmanager
def silence_output() -> Iterator[None]:
    """Keep progress bars, prints and warnings of a library away from the user: stdout is data. One thread at a time."""
    config.override_variable("TQDM_DISABLE", "1")
    with _changing, warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
