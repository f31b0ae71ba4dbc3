"""The library: what is kept of a document, when it can be seen, and how it is found again."""

import os
import re

import pytest

from ia.faculties.knowledge import library
from ia.faculties.knowledge.conversion_process import Converter
from ia.faculties.knowledge.library import AddOptions, NewDocument
from ia.kernel import config
from ia.kernel.errors import BadData, NotFound, Refused, Unavailable, UsageError
from ia.kernel.workspace import Workspace
from ia.organs.recall.documents import split_front, strip_marks
from ia.organs.recall.passages import count_undated, search_passages
from ia.organs.recall.search import recall_notes
from support import documents

BOOK = documents.pdf(
    [["A stop loss ends a losing position early."], ["Size a position by the distance of its stop."]],
    info={"Title": "On stops"},
)


@pytest.fixture(scope="module")
def converter():
    with Converter() as made:
        yield made


@pytest.fixture
def ws(tmp_path):
    return Workspace(str(tmp_path))


def add(ws, converter, data=BOOK, name="stops.pdf", notify=lambda message: None, **options):
    return library.add_document(ws, NewDocument(name, data), AddOptions(**options), converter, notify=notify)


def files(ws):
    return {
        os.path.relpath(os.path.join(folder, name), ws.root): os.stat(os.path.join(folder, name)).st_mtime_ns
        for folder, _, names in os.walk(os.path.join(ws.root, "knowledge"))
        for name in names
    }


def test_the_source_is_kept_as_given_and_the_text_with_its_front_matter(ws, converter):
    added = add(ws, converter, theme="risk", date="2019-06-30")
    assert added.outcome == "added"
    assert ws.read_bytes("knowledge/risk/source/stops.pdf", 1 << 30) == BOOK
    front, body = split_front(ws.read("knowledge/risk/converted/stops.md"))
    assert list(front) == [
        "id", "title", "author", "date", "date_from", "source", "sha256", "pages", "ocr", "untrusted",
    ]  # fmt: skip
    assert (front["title"], front["date"], front["date_from"], front["pages"]) == (
        "On stops",
        "2019-06-30",
        "given",
        "2",
    )
    assert body.startswith("<!-- page 1 -->\n\nA stop loss")
    before = files(ws)
    assert add(ws, converter, theme="risk").outcome == "unchanged" and files(ws) == before
    changed = add(ws, converter, theme="risk", title="Stops", date="2020-01-01")
    assert (changed.outcome, changed.document.title, changed.document.date) == ("updated", "Stops", "2020-01-01")


def test_two_documents_of_one_name_keep_their_own_files(ws, converter):
    add(ws, converter)
    other = add(ws, converter, documents.pdf([["Something else."]]))
    assert other.document.path == "knowledge/library/converted/stops-2.md"
    assert other.document.source == "knowledge/library/source/stops-2.pdf"
    assert len(library.list_documents(ws)) == 2


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../evil.md", "evil.md"),
        (".hidden.md", "hidden.md"),
        ("a<!--b-->.md", "a_!-b-_.md"),
        ("月" * 200 + ".md", "月" * 50 + ".md"),
    ],
)
def test_a_name_never_leads_outside(ws, converter, name, shown):
    added = add(ws, converter, b"# A\n\nwords\n", name)
    assert added.document.source == f"knowledge/library/source/{shown}"


def test_nothing_is_left_of_a_document_that_fails(ws, converter):
    told = []
    for data, error in ((b"%PDF-1.4 nothing", BadData), (documents.pdf([[]]), BadData)):
        with pytest.raises(error):
            add(ws, converter, data)
    assert files(ws) == {}
    with pytest.raises(UsageError):
        add(ws, converter, theme="../x")
    add(ws, converter, documents.pdf([["Words."], [], ["More."]]), notify=told.append)
    assert "empty pages: 2" in str(told[0])


@pytest.mark.parametrize(
    ("name", "data", "date", "origin"),
    [
        ("a.md", b"---\ndate: 2015-01-02\n---\ntext\n", "2015-01-02", "front matter"),
        ("a 2014-03-04.md", b"text\n", "2014-03-04", "name"),
        ("a.pdf", documents.pdf([["x y"]], info={"CreationDate": "D:20130506070809Z"}), "2013-05-06", "metadata"),
        ("a.epub", documents.epub({"a.xhtml": "<p>x</p>"}, date="2012"), "2012-12-31", "book"),
        ("a.txt", b"published on 2011-01-01\n", "", ""),
    ],
)
def test_where_a_date_comes_from(ws, converter, name, data, date, origin):
    told = []
    document = add(ws, converter, data, name, told.append).document
    assert (document.date, document.date_from) == (date, origin)
    assert (
        [str(message) for message in told if "date" in str(message)] != [] if origin in ("metadata", "") else not told
    )


def test_the_publication_date_decides_what_a_past_now_sees(ws, converter):
    add(ws, converter, theme="a", date="2019-06-30")
    add(ws, converter, b"# Undated\n\nA stop loss of nobody knows when.\n", "undated.md", theme="a")

    def seen():
        told = []
        found = {hit.title for hit in search_passages(ws, "stop loss")}
        assert found == {each.title for each in library.list_documents(ws, notify=told.append)}
        assert {hit.source for hit in recall_notes(ws, "stop loss", areas=("knowledge",))} == {
            each.path for each in library.list_documents(ws)
        }
        return found, len(told)

    assert seen() == ({"On stops", "Undated"}, 0)
    for now, expected in (("2019-06-29", set()), ("2019-06-30", {"On stops"}), ("2023-01-01", {"On stops"})):
        with config.replace_environment({"IA_NOW": f"{now}T12:00+08:00"}, keep=None):
            assert seen() == (expected, 1)
            assert count_undated(ws) == 1
    assert seen() == ({"On stops", "Undated"}, 0)


def test_what_is_changed_by_hand_is_found_and_what_is_removed_is_not(ws, converter):
    document = add(ws, converter).document
    place = os.path.join(ws.root, document.path)
    with open(place, encoding="utf-8") as file:
        text = file.read()
    with open(place, "w", encoding="utf-8") as file:
        file.write(text.replace("losing position", "wobbly marmalade"))
    assert search_passages(ws, "marmalade")[0].page == 1
    library.remove_document(ws, document)
    assert search_passages(ws, "marmalade") == [] and files(ws) == {}
    ws.undo(document.path)
    assert search_passages(ws, "marmalade")[0].title == "On stops"
    with pytest.raises(NotFound):
        library.convert_again(ws, document, converter)
    assert add(ws, converter).outcome == "updated" and ws.read_bytes(document.source, 1 << 30) == BOOK
    assert add(ws, converter).outcome == "unchanged"


def test_converting_again_keeps_what_the_user_said(ws, converter):
    document = add(ws, converter, title="Mine", date="2018-01-01").document
    again = library.convert_again(ws, document, converter)
    assert again.outcome == "unchanged" and again.document == document


def test_documents_are_found_by_id_title_and_name(ws, converter):
    document = add(ws, converter).document
    for name in (document.id, document.id[:6], "on STOPS", "stops", "stops.pdf", document.path, "n stop"):
        assert library.find_document(ws, name) == document
    with pytest.raises(NotFound):
        library.find_document(ws, "bonds")
    assert strip_marks(library.read_document(ws, document, (2, 2))).strip().startswith("Size a position")
    with pytest.raises(NotFound):
        library.read_document(ws, document, (2, 3))


def test_sources_are_not_searched(ws, converter):
    add(ws, converter, b"# Once\n\nunrepeatable words\n", "once.md")
    assert len(search_passages(ws, "unrepeatable")) == 1
    assert len(recall_notes(ws, "unrepeatable")) == 1


FAKE = """#!/bin/sh
case "$1" in --list-langs) printf 'List of available languages (2):\\nchi_sim\\neng\\n';; *) head -c 2 | grep -q P5 && echo 'Words of a picture.';; esac
"""


def test_scans_are_read_by_tesseract_where_it_is_there(ws, converter, tmp_path, monkeypatch):
    scan = documents.pdf([["Text that is text."], []], image_pages={1})
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(Unavailable):
        add(ws, converter, scan, ocr=True)
    assert files(ws) == {}
    told = []
    plain = add(ws, converter, scan, notify=told.append).document
    assert plain.skipped == "2" and any("images without text: pages 2" in str(message) for message in told)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "tesseract"
    program.write_text(FAKE)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    document = add(ws, converter, scan, ocr=True).document
    assert (document.ocr, document.skipped) == (True, "")
    found = search_passages(ws, "words of a picture")[0]
    assert (found.page, found.ocr) == (2, True)
    whole = documents.pdf([[], []], image_pages={0, 1})
    assert add(ws, converter, whole, "scan.pdf", ocr=True).document.pages == 2


@pytest.mark.soak
def test_a_generated_book_is_searched_well(ws, converter):
    data, facts = documents.book(100)
    document = add(ws, converter, data, "facts.pdf").document
    pages = {
        number: "".join(strip_marks(library.read_document(ws, document, (number, number))).split())
        for number in range(1, document.pages + 1)
    }
    asked = facts[::4]
    hits = cited = 0
    from contextlib import closing

    from ia.organs.recall import index
    from ia.organs.recall.passages import find_passages
    from ia.organs.recall.terms import parse_query

    with closing(index.open_index(ws)) as conn:
        for question, sentence, page in asked:
            found = find_passages(conn, parse_query(question).tokens, 5)
            amount = re.search(r"\d{4,}", sentence)[0]
            at = next((each for each in found if amount in each.text), None)
            hits += at is not None
            cited += at is not None and at.page == page
            for each in found:
                assert 1 <= each.page <= each.last_page <= document.pages
                assert "".join(each.text.split()) in pages[each.page]
                assert "".join(each.quote.split()) in pages[each.page]
    assert hits >= 0.98 * len(asked) and cited >= 0.96 * len(asked), (hits, cited, len(asked))
    assert search_passages(ws, "A Book of Facts")[0].title == "A Book of Facts"


def test_encrypted_needs_its_password(ws, converter):
    from support.program import SHARED

    case = SHARED / "knowledge" / "convert_cases" / "sizing_password.pdf"
    if not case.exists():
        pytest.skip("the shared conversion cases are not beside this checkout")
    for password in (None, "wrong"):
        with pytest.raises(Refused) as caught:
            add(ws, converter, case.read_bytes(), "p.pdf", password=password)
        assert "--password-file" in caught.value.hint
