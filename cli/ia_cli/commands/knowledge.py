"""`ia knowledge`: documents of your own, searched with the page of each answer."""

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import BadData, IaError, NotFound, Refused, UsageError
from ia_cli.commands import knowledge_index, knowledge_research, knowledge_rules
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import Row, emit_json, emit_rows, emit_text, escape_controls, notify, tell_error

if TYPE_CHECKING:
    from ia.faculties.knowledge.conversion_process import Converter
    from ia.faculties.knowledge.library import AddedDocument, AddOptions, Document, NewDocument
    from ia.faculties.skills.references import Reference
    from ia.kernel.workspace import Workspace

LISTED = ("id", "title", "author", "date", "date_from", "theme", "pages", "skipped", "ocr", "path", "shipped")
BRIEF = ("id", "title", "date", "theme", "pages", "shipped")
ADDED = ("outcome", "id", "title", "pages", "date", "date_from", "path")
FOUND = ("text", "title", "page", "label", "heading", "date", "relevance", "citation", "source", "ocr", "shipped")

_MAKE = r"printf '# Stops\n\nA stop limits a loss.\n' > stops.md; ia knowledge add stops.md --theme risk --date 2019"
_theme_option = click.option("--theme", metavar="T", help="Only documents of this theme.")
_password_option = click.option("--password-file", metavar="FILE", help="File whose first line is the password.")
_ocr_option = click.option("--ocr", is_flag=True, help="Read pages that are images with the program tesseract.")


@click.group(
    cls=CommandGroup,
    example=f"{_MAKE}; ia knowledge search 'limit a loss'",
)
def knowledge() -> None:
    """Add documents of your own and search them with citations.

    A document is PDF, DOCX, EPUB, HTML, Markdown or text. ia keeps it as it was given in knowledge/THEME/source/, and
    its text in knowledge/THEME/converted/, which you may edit. With --now ia sees the documents that were published by
    then. Answers of `ia turn` cite title and page; `ia recall --in knowledge` searches the same index.

    Texts that ship with the skills of your profile (how verdicts, sizes and checklists come about) are listed and
    searched, too, marked `shipped`. They stay in the folders of their skills, and leave with them.
    """


knowledge.add_command(knowledge_index.index)
knowledge.add_command(knowledge_research.research)
for _command in knowledge_rules.COMMANDS:
    knowledge.add_command(_command)


@knowledge.command(example=_MAKE)
@click.argument("sources", nargs=-1, required=True, metavar="FILE|URL|FOLDER...")
@click.option("--theme", metavar="T", help="Theme to put them in, a folder of knowledge/ (default: library).")
@click.option("--title", metavar="TITLE", help="Title of the document (default: what the file tells, else its name).")
@click.option(
    "--date", "day", metavar="DATE", help="Publication date; of a month or a year the last day (default: as told)."
)
@_password_option
@_ocr_option
@rows_options
@click.pass_context
def add(
    ctx: click.Context,
    sources: tuple[str, ...],
    theme: str | None,
    title: str | None,
    day: str | None,
    password_file: str | None,
    ocr: bool,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Add documents: convert each to text, keep both, and make it searchable.

    Of a FOLDER ia adds every PDF, DOCX, EPUB, HTML, Markdown and text file. A URL must be a public http or https
    address. The same bytes a second time change nothing but --title and --date. Conversion runs in a locked process
    without files and network. Pages without text (scans, unreadable fonts, empty pages) are named on standard error;
    if no page has a text, ia adds nothing: use --ocr. If the publication date is unknown, the document is not visible
    with a past --now; a date from the file's metadata may be that of its making.

    Status 65 for a damaged or unsupported document, 66 if it does not exist, 77 if it needs a password or has DRM.
    """
    from ia.faculties.knowledge import library
    from ia.faculties.knowledge.conversion_process import Converter
    from ia.kernel.workspace import Workspace

    options = library.AddOptions(
        theme=library.check_theme(theme or library.DEFAULT_THEME),
        title=title or "",
        date=library.parse_date(day) if day else "",
        password=_read_password(password_file),
        ocr=ocr,
    )
    several = len(sources) > 1 or os.path.isdir(sources[0])
    if title and several:
        raise UsageError("--title is for one document")
    ws = Workspace()
    rows: list[Row] = []
    failures: list[IaError] = []
    with Converter(notify) as converter:
        for source in sources:
            try:
                for name in _list_files(source):
                    try:
                        rows.append(_row_of(_add_one(ws, name, options, converter)))
                    except IaError as exc:
                        if not several:
                            raise
                        failures.append(exc)
                        tell_error(exc)
            except IaError as exc:
                if not several:
                    raise
                failures.append(exc)
                tell_error(exc)
    if rows or not failures:
        emit_rows(rows, ADDED, as_json=as_json, as_jsonl=as_jsonl)
    if failures:
        ctx.exit(failures[0].status)


def _row_of(added: "AddedDocument") -> Row:
    return {"outcome": added.outcome, **_document_row(added.document)}


def _document_row(document: "Document") -> Row:
    row = document._asdict()
    return {**row, "date": document.date or None, "pages": document.pages or None, "shipped": None}


def _reference_row(reference: "Reference") -> Row:
    """Return a text that ships with a skill, as the documents are listed."""
    told = {"id": reference.id, "title": reference.title, "theme": reference.skill, "path": reference.path}
    return {**dict.fromkeys(LISTED), **told, "shipped": reference.profile}


def _list_files(source: str) -> list[str]:
    """Return the files that a source names: itself, or those of a folder that can be converted."""
    from ia.faculties.knowledge.conversion import SUFFIXES

    if not os.path.isdir(source):
        return [source]
    found = []
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not name.startswith(".") and name.lower().endswith(SUFFIXES) and not os.path.islink(path):
                found.append(path)
    if not found:
        raise NotFound("{folder}: no document that ia can read", folder=source)
    return found


def _add_one(ws: "Workspace", source: str, options: "AddOptions", converter: "Converter") -> "AddedDocument":
    from ia.faculties.knowledge import library
    from ia_cli.terminal.progress import show_progress

    new = _read_source(source)
    with show_progress(least=20, step=1) as progress:
        return library.add_document(ws, new, options, converter, notify=notify, progress=progress)


def _read_source(source: str) -> "NewDocument":
    from ia.faculties.knowledge import library, web_fetch

    if web_fetch.is_url(source):
        fetched = web_fetch.fetch_document(source)
        return library.NewDocument(fetched.name, fetched.data, fetched.url, fetched.charset)
    return library.NewDocument(os.path.basename(os.path.abspath(source)), _read_file(source))


def _read_file(path: str) -> bytes:
    """Return the bytes of a regular file; raises NotFound, BadData."""
    import stat

    from ia.faculties.knowledge.conversion_process import MAX_INPUT

    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):  # a FIFO would be waited for
            raise BadData("{path} is not a regular file", path=path)
        with open(path, "rb") as file:
            data = file.read(MAX_INPUT + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound("{path}: no such file", path=path) from None
    except (OSError, ValueError) as exc:
        raise BadData("{path}: {reason}", path=path, reason=getattr(exc, "strerror", None) or "not a file") from None
    if len(data) > MAX_INPUT:
        raise BadData("{name}: larger than {limit} MB", name=path, limit=MAX_INPUT // 1_000_000)
    return data


def _read_password(path: str | None) -> str | None:
    if path is None:
        return None
    lines = _read_file(path)[:10_000].decode("utf-8", "replace").splitlines()
    if not lines or not lines[0]:
        raise BadData("{path}: the first line holds no password", path=path)
    return lines[0]


@knowledge.command("list", example=f"{_MAKE}; ia knowledge list --theme risk")
@_theme_option
@rows_options
@click.pass_context
def list_(ctx: click.Context, theme: str | None, as_json: bool, as_jsonl: bool) -> None:
    """List your documents, then the texts that ship with the skills of your profile.

    date_from says who told the date: given (--date), front matter, page, book, metadata of the file or its name.
    skipped are pages without text. shipped names the profile that a text comes with; its theme is the skill. With --now
    ia lists what was published by then. Status 1 if there is none.
    """
    from ia.faculties.knowledge import library
    from ia.faculties.skills import references
    from ia.kernel import config
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    rows = [_document_row(each) for each in library.list_documents(ws, theme or "", notify)]
    shipped = references.list_references(ws, config.locale_lang())
    rows += [_reference_row(each) for each in shipped if theme in (None, each.skill)]
    columns = BRIEF if sys.stdout.isatty() and not as_json and not as_jsonl else LISTED
    empty = NotFound("no documents", hint="add one with `ia knowledge add FILE --theme T`")
    emit_list(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl)


@knowledge.command(example=f"{_MAKE}; ia knowledge show stops")
@click.argument("document", metavar="DOCUMENT")
@click.option("--page", "pages", metavar="N[-M]", help="Only these pages, counted from 1 (default: all).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def show(document: str, pages: str | None, as_json: bool) -> None:
    """Print the text of a document.

    DOCUMENT is an id, a title, a path or the name of a file. Pages are those of the file, not printed numbers.
    """
    from ia.faculties.knowledge import library
    from ia.kernel.workspace import Workspace
    from ia.organs.recall.documents import strip_marks

    ws = Workspace()
    if shipped := _find_reference(ws, document):
        if pages is not None:
            raise NotFound("{title} has no pages", title=shipped.title)
        if as_json:
            emit_json({**_reference_row(shipped), "text": shipped.text})
        else:
            emit_text(shipped.text)
        return
    found = library.find_document(ws, document)
    text = strip_marks(library.read_document(ws, found, _parse_pages(pages))).strip("\n") + "\n"
    if as_json:
        emit_json({**_document_row(found), "text": text})
    else:
        emit_text(text)


def _find_reference(ws: "Workspace", name: str) -> "Reference | None":
    """Return the text of this name that ships with a skill, if the user has no document that is called so."""
    from ia.faculties.knowledge import library
    from ia.faculties.skills import references

    try:
        library.find_document(ws, name)
    except NotFound:
        return next(iter(references.find_references(ws, name)), None)
    return None


def _find_own(ws: "Workspace", name: str) -> "Document":
    """Return the document of the user that a text names; raises Refused for one that ships with a skill."""
    from ia.faculties.knowledge import library

    if shipped := _find_reference(ws, name):
        raise Refused(
            "{title} ships with the skill {skill}",
            title=shipped.title,
            skill=shipped.skill,
            path=shipped.path,
            hint="edit it in {path}; it leaves with its skill",
        )
    return library.find_document(ws, name)


def _parse_pages(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, dash, last = text.partition("-")
    if not first.strip().isdecimal() or (dash and not last.strip().isdecimal()) or len(text) > 12:
        raise UsageError("--page: {value!r} is not a page", value=text[:40], hint="write 12 or 12-13")
    return int(first), int(last) if dash else int(first)


@knowledge.command(example=f"{_MAKE}; ia knowledge remove stops --yes")
@click.argument("documents", nargs=-1, required=True, metavar="DOCUMENT...")
@click.option("-y", "--yes", is_flag=True, help="Remove without asking.")
@rows_options
def remove(documents: tuple[str, ...], yes: bool, as_json: bool, as_jsonl: bool) -> None:
    """Remove documents with their sources.

    `ia memory undo PATH` brings a text back; its source comes back only when you add the file again.
    """
    from ia.faculties.knowledge import library
    from ia.kernel.errors import Message
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.text import say

    ws = Workspace()
    found = list({each.path: each for each in (_find_own(ws, name) for name in documents)}.values())
    if not yes:
        from ia_cli.terminal.confirmation import ask_consent

        names = ", ".join(escape_controls(each.title) for each in found)
        if not ask_consent(say("Remove {names} with the source files?", names=names)):
            raise Refused("nothing was removed")
    for each in found:
        library.remove_document(ws, each)
        notify(
            Message(
                "`ia memory undo {path}` brings the text back; its source comes back only when you add the file again",
                path=shlex.quote(each.path),
            )
        )
    rows = [{"outcome": "removed", **_document_row(each)} for each in found]
    emit_rows(rows, ADDED, as_json=as_json, as_jsonl=as_jsonl)


@knowledge.command(example="ia knowledge convert --all")
@click.argument("documents", nargs=-1, metavar="DOCUMENT...")
@click.option("--all", "every", is_flag=True, help="Convert all documents again.")
@_password_option
@_ocr_option
@rows_options
@click.pass_context
def convert(
    ctx: click.Context,
    documents: tuple[str, ...],
    every: bool,
    password_file: str | None,
    ocr: bool,
    as_json: bool,
    as_jsonl: bool,
) -> None:
    """Convert documents again from their sources.

    Title and a date that you gave stay; what you changed in the text is lost (`ia memory undo PATH` brings it back).
    """
    from ia.faculties.knowledge import library
    from ia.faculties.knowledge.conversion_process import Converter
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.progress import show_progress

    if bool(documents) == every:
        raise UsageError("give either DOCUMENT or --all")
    ws = Workspace()
    chosen = library.list_documents(ws) if every else [_find_own(ws, name) for name in documents]
    password = _read_password(password_file)
    rows: list[Row] = []
    failures: list[IaError] = []
    with Converter(notify) as converter:
        for each in chosen:
            try:
                with show_progress(least=20, step=1) as progress:
                    added = library.convert_again(
                        ws, each, converter, password=password, ocr=ocr, notify=notify, progress=progress
                    )
                rows.append(_row_of(added))
            except IaError as exc:
                if len(chosen) == 1:
                    raise
                failures.append(exc)
                tell_error(exc)
    emit_rows(rows, ADDED, as_json=as_json, as_jsonl=as_jsonl)
    if failures:
        ctx.exit(failures[0].status)


@knowledge.command(example=f"{_MAKE}; ia knowledge search 'what limits a loss' -n 3")
@click.argument("query", nargs=-1, required=True)
@_theme_option
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=5, help="Maximum number of passages (default: 5).")
@rows_options
@click.pass_context
def search(
    ctx: click.Context, query: tuple[str, ...], theme: str | None, limit: int, as_json: bool, as_jsonl: bool
) -> None:
    """Search your documents and the texts that ship with skills; the passage that answers best comes first.

    page is the page of the file that the best sentence stands on, label its printed number where that differs.
    relevance is the share of the query that the passage holds, rare words counting more. With --now ia searches what
    was published by then. If an embeddings service is configured (`ia config list embedding.`), it gets the query, and
    passages without its words are found, too; if it is down, words alone decide. shipped marks passages that ship with
    a skill: their citation names the section. Status 1 if nothing is found.
    """
    from ia.faculties.knowledge import library
    from ia.faculties.skills import references
    from ia.kernel.workspace import Workspace
    from ia.organs.recall.passages import count_undated, search_passages
    from ia.organs.recall.vectors import find_meaning
    from ia.wiring.indexing import notice_changes

    ws = Workspace()
    if theme:
        library.check_theme(theme)
    look = notice_changes(ws)
    meaning = find_meaning(ws, notify)
    text = " ".join(query)
    found = search_passages(
        ws,
        text,
        limit=limit,
        theme=theme or "",
        notify=notify,
        look=look,
        meaning=meaning,
        shipped=references.shipped_texts(ws, text, theme or ""),
    )
    library.tell_undated(count_undated(ws), notify)
    told = {"vectors": meaning.used is True} if meaning else {}
    rows = [
        {**each._asdict(), "citation": each.citation, "page": each.page or None, "date": each.date or None, **told}
        for each in found
    ]
    empty = NotFound("no passage of your documents matches", hint="try fewer or other words")
    emit_list(ctx, rows, FOUND, empty, as_json=as_json, as_jsonl=as_jsonl, emit=_emit_passages)


def _emit_passages(rows: list[Row], columns: tuple[str, ...], *, as_json: bool = False, as_jsonl: bool = False) -> None:
    """Write passages: at a terminal the citation on one line, and the text below it."""
    if as_json or as_jsonl or not sys.stdout.isatty():
        emit_rows(rows, columns, as_json=as_json, as_jsonl=as_jsonl)
        return
    from ia.kernel.text_width import wrap_lines
    from ia_cli.terminal.output import terminal_width

    width = terminal_width()
    for row in rows:
        told: list[Any] = [f"[{row['citation']}]", row["date"], f"{row['relevance']:.2f}", "OCR" if row["ocr"] else ""]
        head = "  ".join(str(each) for each in told if each)
        for line in wrap_lines(escape_controls(head), width):
            sys.stdout.write(f"{line}\n")
        for quoted in escape_controls(row["text"]).splitlines():
            for line in wrap_lines(quoted, width - 2):
                sys.stdout.write(f"  {line}".rstrip() + "\n")
