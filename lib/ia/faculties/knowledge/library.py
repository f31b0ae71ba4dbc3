"""The documents of knowledge/: added, converted, listed, shown and removed.

`knowledge/THEME/source/FILE` is a document as it was given, `knowledge/THEME/converted/NAME.md` its text. The SHA-256
of the bytes says which document it is; the text is an ordinary file of the workspace, which a person may edit.
"""

import contextlib
import json
import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from ia.faculties.knowledge.conversion_process import MAX_INPUT, Converter, NoText, Progress
from ia.faculties.knowledge.extract import Extract, clean_line
from ia.kernel import clock, dateforms
from ia.kernel.digest import sha256
from ia.kernel.errors import Message, NotFound, Notify, PluralText, Refused, UsageError, drop_message
from ia.kernel.i18n import mark_text
from ia.kernel.patterns import pattern
from ia.kernel.untrusted import clean_origin
from ia.kernel.workspace import Workspace
from ia.organs.recall.documents import ROOT, UNKNOWN_DATE, split_front

DEFAULT_THEME = "library"
GIVEN, NAME = "given", "name"
"""Where a date comes from: --date, the file name; else as in Extract.date_from."""
_PATH = pattern(r"knowledge/([^/]+)/converted/[^/]+\.md")
_THEME = pattern(r"[^\W_][\w-]{0,59}")
_DAY_IN_NAME = pattern(r"(?<!\d)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?!\d)")
HEAD = 16_000
"""Bytes of a text that its front matter stands within."""


class Document(NamedTuple):
    """A document of the library.

    date       when it was published, YYYY-MM-DD, "" where nobody knows; date_from: who says so
    pages      0 where the document has none. skipped: pages without text, as `2, 5-7`
    ocr        whether pages were read from images
    path       its text; source: the file as it was given, both relative to the workspace
    """

    id: str
    title: str
    author: str
    date: str
    date_from: str
    theme: str
    pages: int
    skipped: str
    ocr: bool
    url: str
    path: str
    source: str
    sha256: str

    @property
    def is_visible(self) -> bool:
        """Whether the document can be seen as of now(): it was published by then."""
        if not clock.is_simulated():
            return True
        return self.date <= clock.today() if self.date else not clock.is_past()

    @property
    def stem(self) -> str:
        """Its short name: that of its text, without the ending."""
        return os.path.splitext(os.path.basename(self.path))[0]

    def is_called(self, name: str) -> bool:
        """Return True if a name in small letters is its id, path, title or file name."""
        names = (self.id, self.path, self.title, os.path.basename(self.source), self.stem, os.path.basename(self.path))
        return name in {text.casefold() for text in names}


class AddedDocument(NamedTuple):
    """What came of adding a document: added, updated or unchanged."""

    document: Document
    outcome: str


class NewDocument(NamedTuple):
    """A document to add.

    name      its file name. url: where it was fetched; charset: what the server told
    """

    name: str
    data: bytes
    url: str = ""
    charset: str = ""


class AddOptions(NamedTuple):
    """What the user says of a document, and how it is converted."""

    theme: str = DEFAULT_THEME
    title: str = ""
    date: str = ""
    password: str | None = None
    ocr: bool = False


def check_theme(theme: str) -> str:
    """Return a theme that can be the name of a folder; raises UsageError."""
    if not _THEME.fullmatch(theme):
        raise UsageError(
            "{theme!r} is not a valid theme", theme=theme[:60], hint="use letters, digits, - and _: --theme investing"
        )
    return theme


def parse_date(text: str) -> str:
    """Return the day that --date means: of a month or a year the last, so that nothing is seen before it was there."""
    return dateforms.parse_day(text, clock.now().date(), option="--date", last=True)


def add_document(
    ws: Workspace,
    new: NewDocument,
    options: AddOptions,
    converter: Converter,
    *,
    notify: Notify = drop_message,
    progress: Progress = lambda done, total: None,
) -> AddedDocument:
    """Convert a document and keep it with its text. The same bytes a second time change only what is said of them.

    notify  is told of pages without text, and of a date that may be wrong or is unknown
    raises  what Converter.convert raises; nothing is written then.
    """
    theme = check_theme(options.theme)
    digest = sha256(new.data).hexdigest()
    known = next((each for each in read_all(ws) if each.sha256 == digest), None)
    if known is not None and not (options.ocr and known.skipped and not known.ocr):
        return _change_known(ws, known, new.data, theme, options, notify)
    name = _safe_name(new.name)
    extract = _convert(converter, new, name, options, notify, progress)
    if known is not None:
        document = _describe(known.path, known.source, known.theme, new, extract, options, digest, known)
    else:
        path, source = _choose_paths(ws, theme, name, new.data)
        document = _describe(path, source, theme, new, extract, options, digest, None)
    with ws.lock():
        is_new = ws.read_bytes(document.source, MAX_INPUT) is None
        if is_new:
            ws.store_bytes(document.source, new.data)
        try:
            _write(ws, document, extract.text, "knowledge.add")
        except BaseException:
            if is_new:
                ws.remove_bytes(document.source)
            raise
    _tell_date(document, notify)
    return AddedDocument(document, "updated" if known is not None else "added")


def _convert(
    converter: Converter,
    new: NewDocument,
    name: str,
    options: AddOptions,
    notify: Notify,
    progress: Progress,
) -> Extract:
    """Return the text of a document; pages that are images are read by OCR if that is wanted, else told."""
    pages: Sequence[int] = ()
    try:
        extract = converter.convert(new.data, name, password=options.password, charset=new.charset, progress=progress)
        pages = [page for page, reason in extract.skipped if reason in ("scan", "garbled")]
    except NoText as exc:
        if not options.ocr or not exc.pages:
            raise
        pages = range(1, exc.pages + 1)
    if pages and options.ocr:
        from ia.faculties.knowledge.ocr import read_pages

        texts = read_pages(converter, new.data, name, list(pages), options.password, progress)
        extract = converter.convert(
            new.data, name, password=options.password, charset=new.charset, ocr=texts, progress=progress
        )
    for reason in _SKIPPED:
        if numbers := [page for page, why in extract.skipped if why == reason]:
            notify(Message(_SKIPPED[reason], name=name, pages=format_pages(numbers)))
            if reason in ("scan", "garbled") and not options.ocr:
                notify(Message("--ocr reads them with tesseract"))
    return extract


_SKIPPED = {
    "scan": mark_text("{name}: left out as images without text: pages {pages}"),
    "garbled": mark_text("{name}: left out as unreadable, since the font does not tell its letters: pages {pages}"),
    "empty": mark_text("{name}: empty pages: {pages}"),
    "damaged": mark_text("{name}: left out as damaged: pages {pages}"),
}


def format_pages(numbers: Sequence[int]) -> str:
    """Return page numbers with their runs joined.

    >>> format_pages([2, 5, 6, 7, 9])
    '2, 5-7, 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _change_known(
    ws: Workspace, known: Document, data: bytes, theme: str, options: AddOptions, notify: Notify
) -> AddedDocument:
    """Take over what the user now says of a document that is there, and its source where that was removed."""
    changed = known
    restored = bool(known.source) and not os.path.lexists(ws.resolve(known.source))
    if restored:
        ws.store_bytes(known.source, data)
    if options.title and options.title != known.title:
        changed = changed._replace(title=clean_line(options.title)[:300])
    if options.date and options.date != known.date:
        changed = changed._replace(date=options.date, date_from=GIVEN)
    if theme != known.theme:
        notify(Message("{title} is already in the theme {theme}", title=known.title, theme=known.theme))
    if changed == known:
        return AddedDocument(known, "updated" if restored else "unchanged")
    _write(ws, changed, _read_body(ws, known), "knowledge.change")
    return AddedDocument(changed, "updated")


def _describe(
    path: str,
    source: str,
    theme: str,
    new: NewDocument,
    extract: Extract,
    options: AddOptions,
    digest: str,
    known: Document | None,
) -> Document:
    """Return what is known of a document: what the user says comes before what the file says."""
    day, day_from = extract.date, extract.date_from
    if options.date:
        day, day_from = options.date, GIVEN
    elif known is not None and known.date_from == GIVEN:
        day, day_from = known.date, GIVEN
    elif not day and (found := _DAY_IN_NAME.search(new.name)):
        day, day_from = "-".join(found.groups()), NAME
    stem = os.path.splitext(os.path.basename(source))[0]
    title = options.title or (known.title if known else "") or extract.title or _first_heading(extract.text) or stem
    return Document(
        id=digest[:12],
        title=clean_line(title)[:300] or stem,
        author=extract.author,
        date=day,
        date_from=day_from if day else "",
        theme=theme,
        pages=extract.pages,
        skipped=format_pages([page for page, _ in extract.skipped]),
        ocr=" ocr -->" in extract.text,
        url=new.url or (known.url if known else ""),
        path=path,
        source=source,
        sha256=digest,
    )


def _first_heading(text: str) -> str:
    """Return the first heading of the first level where it stands near the beginning, else ""."""
    found = re.search(r"^# (.+)$", text[:3000], re.M)
    return found[1] if found else ""


def _tell_date(document: Document, notify: Notify) -> None:
    if not document.date:
        notify(
            Message(
                "{title}: the publication date is unknown; with a past --now it is not visible. Set it with --date",
                title=document.title,
            )
        )
    elif document.date_from == "metadata":
        notify(
            Message(
                "{title}: the date {date} is from the metadata of the file, which often tell the day of its making;"
                " correct it with --date",
                title=document.title,
                date=document.date,
            )
        )


def _write(ws: Workspace, document: Document, body: str, event: str) -> None:
    """Write the text of a document with its front matter."""
    fields: dict[str, object] = {
        "id": document.id,
        "title": json.dumps(document.title, ensure_ascii=False),
        "author": json.dumps(document.author, ensure_ascii=False),
        "date": document.date or UNKNOWN_DATE,
        "date_from": document.date_from or UNKNOWN_DATE,
        "source": json.dumps("source/" + os.path.basename(document.source), ensure_ascii=False),
        "sha256": document.sha256,
        "pages": document.pages,
        "ocr": str(document.ocr).lower(),
    }
    if document.skipped:
        fields["skipped"] = json.dumps(document.skipped)
    if document.url:
        fields["url"] = json.dumps(document.url, ensure_ascii=False)
    fields["untrusted"] = json.dumps(clean_origin(f"knowledge {document.title}"), ensure_ascii=False)
    head = "".join(f"{name}: {value}\n" for name, value in fields.items())
    ws.write(document.path, f"---\n{head}---\n{body.lstrip()}", event=event, document=document.id)


def _read_body(ws: Workspace, document: Document) -> str:
    return split_front(ws.read_present(document.path) or "")[1]


def _safe_name(name: str) -> str:
    """Return a file name that can stand in the workspace."""
    name = "".join(c if c.isprintable() and c not in '\\/<>|"?*:' else "_" for c in os.path.basename(name))
    name = name.encode("utf-8", "replace").decode().strip().lstrip(".").replace("--", "-") or "document"
    stem, suffix = os.path.splitext(name)
    while len(stem.encode()) > 150:
        stem = stem[:-1]
    return stem.rstrip(". ") + suffix[:12].lower()


def _choose_paths(ws: Workspace, theme: str, name: str, data: bytes) -> tuple[str, str]:
    """Return the paths of a new document's text and source; another document of the same name keeps its own."""
    stem, suffix = os.path.splitext(name)
    for number in range(1, 10_000):
        chosen = stem if number == 1 else f"{stem}-{number}"
        path, source = f"{ROOT}{theme}/converted/{chosen}.md", f"{ROOT}{theme}/source/{chosen}{suffix}"
        there = ws.read_bytes(source, MAX_INPUT)
        if ws.read_present(path) is None and there in (None, data):
            return path, source
    raise Refused("too many documents of one name: {name}", name=name)


# what is there


def read_all(ws: Workspace) -> list[Document]:
    """Return all documents by path, also those that cannot be seen as of now()."""
    from ia.kernel.workspace import walk_files

    found = []
    for path, entry in sorted(walk_files(ws.root, ROOT.rstrip("/"), (".md",)), key=lambda item: item[0]):
        place = _PATH.fullmatch(path)
        if place:
            with contextlib.suppress(OSError), open(entry.path, "rb") as file:
                found.append(_parse_document(path, place[1], file.read(HEAD).decode("utf-8", "replace")))
    return found


def _parse_document(path: str, theme: str, text: str) -> Document:
    told, _ = split_front(text)
    name = told.get("source", "").rpartition("/")[2]
    pages = told.get("pages", "")
    day = told.get("date", "")
    return Document(
        id=told.get("id", "") or sha256(path.encode()).hexdigest()[:12],
        title=told.get("title", "") or os.path.splitext(os.path.basename(path))[0],
        author=told.get("author", ""),
        date=day if re.fullmatch(r"\d{4}-\d\d-\d\d", day) else "",
        date_from="" if told.get("date_from") == UNKNOWN_DATE else told.get("date_from", ""),
        theme=theme,
        pages=int(pages) if pages.isdecimal() and len(pages) < 7 else 0,
        skipped=told.get("skipped", ""),
        ocr=told.get("ocr") == "true",
        url=told.get("url", ""),
        path=path,
        source=f"{ROOT}{theme}/source/{name}" if name else "",
        sha256=told.get("sha256", ""),
    )


def list_documents(ws: Workspace, theme: str = "", notify: Notify = drop_message) -> list[Document]:
    """Return the documents that can be seen as of now(), by theme and title.

    notify  is told how many are hidden because nobody knows when they were published
    """
    every = [each for each in read_all(ws) if not theme or each.theme == theme]
    tell_undated(sum(not each.date and not each.is_visible for each in every), notify)
    return sorted((each for each in every if each.is_visible), key=lambda each: (each.theme, each.title, each.id))


def tell_undated(count: int, notify: Notify) -> None:
    """Say how many documents a past --now hides because nobody knows when they were published."""
    if count:
        notify(
            Message(
                PluralText(
                    "{count} document without a publication date is not visible under --now",
                    "{count} documents without a publication date are not visible under --now",
                ),
                count=count,
            )
        )


def list_themes(ws: Workspace) -> list[str]:
    """Return the folders of knowledge/ that hold texts."""
    return sorted({each.theme for each in read_all(ws)})


def find_document(ws: Workspace, name: str) -> Document:
    """Return the document that a text names: by id, path, title or file name; raises NotFound, UsageError."""
    every = [each for each in read_all(ws) if each.is_visible]
    folded = name.casefold().strip()
    exact = [each for each in every if each.is_called(folded)]
    near = exact or [each for each in every if len(folded) >= 4 and each.id.startswith(folded)]
    near = near or [each for each in every if folded and folded in each.title.casefold()]
    if len(near) == 1:
        return near[0]
    if near:
        raise UsageError(
            "{name}: several documents are called so: {ids}",
            name=name[:80],
            ids=", ".join(each.id for each in near[:5]),
            hint="name it by its id; see `ia knowledge list`",
        )
    raise NotFound("{name}: no such document", name=name[:80], hint="`ia knowledge list` lists the documents")


def read_document(ws: Workspace, document: Document, pages: tuple[int, int] | None = None) -> str:
    """Return the text of a document with its marks; of some pages only if that is asked for.

    raises  NotFound for pages that it does not have.
    """
    from ia.organs.recall.documents import MARK

    body = _read_body(ws, document)
    if pages is None:
        return body
    first, last = pages
    if not document.pages:
        raise NotFound("{title} has no pages", title=document.title)
    if not 1 <= first <= last <= document.pages:
        raise NotFound("{title} has pages 1 to {count}", title=document.title, count=document.pages)
    marks = [*MARK.finditer(body)]
    begin = next((mark.start() for mark in marks if int(mark[1]) >= first), len(body))
    end = next((mark.start() for mark in marks if int(mark[1]) > last), len(body))
    return body[begin:end]


def remove_document(ws: Workspace, document: Document) -> None:
    """Remove a document with its source. `ia memory undo` brings back its text, adding the file again its source."""
    with ws.lock():
        ws.remove(document.path, event="knowledge.remove", document=document.id)
        if document.source:
            ws.remove_bytes(document.source)


def convert_again(
    ws: Workspace,
    document: Document,
    converter: Converter,
    *,
    password: str | None = None,
    ocr: bool = False,
    notify: Notify = drop_message,
    progress: Progress = lambda done, total: None,
) -> AddedDocument:
    """Convert the source of a document anew; what the user said of it stays.

    raises  NotFound where the source is gone.
    """
    data = ws.read_bytes(document.source, MAX_INPUT) if document.source else None
    if data is None:
        raise NotFound("{title}: its source {path} is missing", title=document.title, path=document.source)
    new = NewDocument(os.path.basename(document.source), data, document.url)
    options = AddOptions(document.theme, password=password, ocr=ocr)
    extract = _convert(converter, new, new.name, options, notify, progress)
    digest = sha256(data).hexdigest()
    changed = _describe(document.path, document.source, document.theme, new, extract, options, digest, document)
    before = ws.read_present(document.path)
    _write(ws, changed, extract.text, "knowledge.convert")
    return AddedDocument(changed, "unchanged" if ws.read_present(document.path) == before else "updated")
