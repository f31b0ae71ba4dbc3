"""`make translate`: bring the texts of the source into the catalog of translations.

New texts come without Chinese, changed ones keep the Chinese of the nearest text that went and are marked `fuzzy`, and
texts that are gone leave the catalog. What is left to do is printed, and the status is 1 while there is any.
"""

import ast
import io
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from extract_texts import Found, find_speakers, find_texts

from ia.kernel.collection import pause_collection
from ia.kernel.errors import PluralText

ROOT = Path(__file__).parent.parent.parent
CATALOG = ROOT / "lib/ia/kernel/i18n/zh_CN/LC_MESSAGES/ia.po"
WORDS = Path(__file__).parent / "words.txt"
DATED = tuple(
    f'"{name}:'.encode()
    for name in (
        "Project-Id-Version",
        "Report-Msgid-Bugs-To",
        "POT-Creation-Date",
        "PO-Revision-Date",
        "Last-Translator",
        "Language-Team",
        "Generated-By",
    )
)
"""Lines of the head that change with every run, or say nothing."""


def collect_texts(root: Path = ROOT) -> list[Found]:
    """Return every text below `lib` and `cli`."""
    files = [file for part in ("lib/ia", "cli") for file in sorted((root / part).rglob("*.py"))]
    with pause_collection():
        trees = {file: ast.parse(file.read_text("utf-8"), str(file)) for file in files}
        speakers = find_speakers(trees.values())
        return [found for tree in trees.values() for found in find_texts(tree, speakers)] + _summaries() + _words()


def _summaries() -> list[Found]:
    """Return what is said of each function and indicator, mostly the first sentence of its documentation."""
    from ia.organs.compute.functions import FUNCTIONS
    from ia.organs.compute.indicators import REGISTRY

    texts = [function.summary for function in FUNCTIONS.values()]
    return [(0, text, "") for text in (*texts, *(each.description for each in REGISTRY.values()))]


def _words() -> list[Found]:
    lines = (line for line in WORDS.read_text("utf-8").splitlines() if not line.startswith("#"))
    return [(0, word.strip(), "") for line in lines for word in line.split(",") if word.strip()]


def load_catalog() -> Catalog:
    """Return the catalog as it is stored."""
    with CATALOG.open("rb") as file:
        return read_po(file, locale="zh_CN")


def update_catalog(catalog: Catalog, texts: list[Found]) -> None:
    """Add the texts that a catalog lacks, and take out those that are gone."""
    template = Catalog()
    for _, text, context in texts:
        forms = (str(text), text.plural) if isinstance(text, PluralText) else text
        template.add(forms, context=context or None)
    catalog.update(template)


def render_catalog(catalog: Catalog) -> bytes:
    """Return a catalog as it is stored: in the order of the texts, without places, which any edit would change."""
    for message in catalog:
        message.flags.discard("python-format")  # Babel takes "5 % of" for a field
    out = io.BytesIO()
    write_po(out, catalog, width=None, no_location=True, sort_output=True, ignore_obsolete=True)
    return b"".join(line for line in out.getvalue().splitlines(keepends=True) if not line.startswith(DATED))


def untranslated(catalog: Catalog) -> list[str]:
    """Return what is left to do: the texts without a translation, and those whose translation may be out of date."""
    return [
        f"{'fuzzy' if message.fuzzy else 'untranslated'}: {forms_of(message.id)[0]}"
        for message in catalog
        if message.id and (message.fuzzy or not all(forms_of(message.string or "")))
    ]


def forms_of(text: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the forms of an entry of the catalog: one, or singular and plural in English."""
    return (text,) if isinstance(text, str) else tuple(text)


def main() -> int:
    catalog = load_catalog()
    update_catalog(catalog, collect_texts())
    CATALOG.write_bytes(render_catalog(catalog))
    todo = untranslated(catalog)
    sys.stdout.write("".join(f"{line}\n" for line in todo))
    return 1 if todo else 0


if __name__ == "__main__":
    sys.exit(main())
