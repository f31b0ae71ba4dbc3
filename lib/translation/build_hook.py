"""Compile the catalog of translations: into the wheel, or beside its source where ia is installed in place."""

import io
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CATALOG = "ia/kernel/i18n/zh_CN/LC_MESSAGES/ia"


class CatalogHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `ia.mo` to what is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        from babel.messages.mofile import write_mo
        from babel.messages.pofile import read_po

        source = Path(self.root, "lib", f"{CATALOG}.po")
        with source.open("rb") as file:
            catalog = read_po(file, locale="zh_CN")
        compiled = io.BytesIO()
        write_mo(compiled, catalog)
        target = source.with_suffix(".mo") if version == "editable" else Path(self.directory, "ia.mo")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(compiled.getvalue())
        if version != "editable":
            build_data["force_include"][str(target)] = f"{CATALOG}.mo"
