"""What a provider's process is started with: its program, the environment that it declares, settings with secrets.

Secrets stand in the environment and are referred to as `${NAME}`. They go to the process and nowhere else: whatever
comes back is searched for them before anybody sees it.
"""

import os
import re
import shutil
import sys
from typing import Any, NamedTuple

from ia.faculties.providers.manifest import Manifest
from ia.kernel import config
from ia.kernel.errors import ConfigError
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

FORMER = {"ia.providers.trading_calendar": "ia.faculties.providers.trading_calendar"}
"""Modules under the names that the PROVIDER.md of an earlier ia starts."""

MINIMUM = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
"""What every process gets, as the user has it, else this; in a task's run also `IA_RUN`. No HOME: nothing is found in
it by accident."""
HIDDEN = "***"
SHORTEST = 4
"""Characters from which on a value is looked for in answers: a shorter one stands in half of them."""
_REFERENCE = pattern(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET = pattern(r"TOKEN|SECRET|PASS|KEY|AUTH|CREDENTIAL|COOKIE", re.I)


class ProcessStart(NamedTuple):
    """How to start a provider: argv, its folder (the working directory), environment, settings, and the secrets."""

    argv: list[str]
    folder: str
    env: dict[str, str]
    config: Json
    secrets: tuple[str, ...]


def prepare_start(manifest: Manifest, folder: str, more: tuple[str, ...] = ()) -> ProcessStart:
    """Return how to start a provider that lies in `folder`, with more words behind its command.

    raises  ConfigError where the program is not there, or a setting refers to a variable that is not set.
    """
    secrets: set[str] = set()
    settings = _fill_variables(manifest.config, manifest.name, secrets)
    env = {name: config.env(name, default) or default for name, default in MINIMUM.items()}
    if config.run_number() is not None:  # what it calls of ia is part of the run too, and no person's act
        env["IA_RUN"] = str(config.run_number())
    for name in manifest.env:
        value = config.env(name)
        if value is not None:
            env[name] = value
            if _SECRET.search(name):
                secrets.add(value)
    argv = [_find_program(manifest, folder, env["PATH"]), *(_expand_word(item) for item in manifest.command[1:]), *more]
    return ProcessStart(argv=argv, folder=folder, env=env, config=settings, secrets=_secret_spellings(secrets))


def scrub_secrets(value: object, secrets: tuple[str, ...]) -> Any:
    """Return a value of JSON with every secret in it, also as part of a text, replaced."""
    if not secrets:
        return value
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, HIDDEN)
        return value
    if isinstance(value, dict):
        return {scrub_secrets(key, secrets): scrub_secrets(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [scrub_secrets(item, secrets) for item in value]
    return HIDDEN if str(value) in secrets else value


def _secret_spellings(secrets: set[str]) -> tuple[str, ...]:
    """Return the secrets as they may come back, longest first: plain, in an address, in JSON."""
    if not secrets:
        return ()
    import json
    from urllib.parse import quote, quote_plus

    forms = {
        form
        for secret in secrets
        if len(secret) >= SHORTEST
        for form in (secret, quote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1])
    }
    return tuple(sorted(forms, key=len, reverse=True))


def _fill_variables(value: object, name: str, secrets: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _fill_variables(item, name, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill_variables(item, name, secrets) for item in value]
    if not isinstance(value, str):
        return value

    def fill_variable(found: re.Match[str]) -> str:
        text = config.env(found[1])
        if text is None:
            raise ConfigError(
                "provider {name} refers to ${{{variable}}}, which is not set",
                name=name,
                variable=found[1],
                hint="export {variable}=…",
            )
        secrets.add(text)
        return text

    return _REFERENCE.sub(fill_variable, value)


def _expand_word(word: str) -> str:
    return sys.executable if word == "{python}" else FORMER.get(word, word)


def _find_program(manifest: Manifest, folder: str, path: str) -> str:
    """Return the program's absolute path: the provider's own file first, then a command of the system."""
    word = _expand_word(manifest.command[0])
    if os.path.isabs(word):
        return word
    own = os.path.join(folder, word)
    if os.path.isfile(own):
        if not os.path.realpath(own).startswith(os.path.realpath(folder) + os.sep):
            raise ConfigError(
                "provider {name}: {program} is outside the provider's folder", name=manifest.name, program=word
            )
        if not os.access(own, os.X_OK):
            raise ConfigError(
                "provider {name}: {program} is not executable",
                name=manifest.name,
                program=word,
                path=own,
                hint="chmod +x {path}, or begin the command with its interpreter",
            )
        return own
    found = None if "/" in word else shutil.which(word, path=path)
    if found is None:
        raise ConfigError(
            "provider {name}: {program} not found",
            name=manifest.name,
            program=word,
            hint="ia looks in the provider's folder, then in PATH",
        )
    return os.path.abspath(found)
