"""Which model a turn uses where it names none: the setting, the default of `llm`, or the embedded analyst."""

import os
import sys

from ia.kernel import config

OFFLINE = "ia-offline"


def llm_folder() -> str:
    """Return the folder of llm's settings: `llm.user_dir()`, without loading llm and without making the folder."""
    if named := config.env("LLM_USER_PATH"):
        return named
    mac = os.path.expanduser("~/Library/Application Support")
    base = mac if sys.platform == "darwin" else config.env("XDG_CONFIG_HOME", os.path.expanduser("~/.config")) or ""
    return os.path.join(base, "io.datasette.llm")


def choose_model(name: str | None) -> str:
    """Return the model that a turn uses.

    It is the one named, else the setting `model`, else the default of `llm models default`, else the embedded analyst.
    A key in the environment alone sends nobody's notes anywhere.
    """
    asked = name or config.get_setting("model")
    if asked:
        return str(asked)
    path = os.path.join(llm_folder(), "default_model.txt")
    if not os.path.exists(path):
        return OFFLINE
    with open(path, encoding="utf-8") as file:
        return file.read().strip() or OFFLINE
