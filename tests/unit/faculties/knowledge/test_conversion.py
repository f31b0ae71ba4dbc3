"""Documents become text: every sentence on its page, nothing lost without a word, nothing hostile let through."""

import json
import random

import pytest

from ia.faculties.knowledge.conversion_process import Converter
from ia.kernel.errors import BadData, IaError, Refused
from ia.organs.recall.documents import page_at, split_document, strip_marks
from support import documents
from support.program import SHARED

CASES = SHARED / "knowledge" / "convert_cases"


@pytest.fixture(scope="module")
def converter():
    with Converter() as made:
        yield made


def squeeze(text):
    return "".join(text.split())


def find(extract, sentence):
    """Return (page, headings) of a sentence in a converted document; None where it is not whole."""
    wanted = squeeze(sentence)
    for chunk in split_document(extract.text):
        places = [at for at, char in enumerate(chunk.text) if not char.isspace()]
        at = "".join(chunk.text[place] for place in places).find(wanted)
        if at >= 0:
            page = page_at(chunk.pages, places[at])
            return (page.page if page else 0), [squeeze(part) for part in chunk.heading.split(" › ") if part]
    return None


@pytest.mark.soak
@pytest.mark.skipif(not CASES.is_dir(), reason="the shared conversion cases are not beside this checkout")
def test_the_shared_cases_convert_with_page_and_headings(converter):
    told = json.loads((CASES / "truth.json").read_text(encoding="utf-8"))
    right = total = headed = 0
    for name, truth in told.items():
        data = (CASES / name).read_bytes()
        if truth.get("status"):
            with pytest.raises(IaError) as caught:
                converter.convert(data, name)
            assert caught.value.status == truth["status"], name
            continue
        extract = converter.convert(data, name)
        assert truth.get("pages", extract.pages) == extract.pages, name
        for sentence in truth.get("sentences", ()):
            total += 1
            found = find(extract, sentence["text"])
            good = found is not None and sentence.get("page", found[0]) == found[0]
            right += good
            headed += good and [squeeze(each) for each in sentence.get("headings", found[1])] == found[1]
        assert all(text in extract.text for text in truth.get("must_contain", ())), name
        assert not any(text in extract.text for text in truth.get("must_not_contain", ())), name
        assert truth.get("date", extract.date) == extract.date, name
        for row in truth.get("rows", ()):
            assert squeeze("".join(row)) in squeeze(extract.text), row
        for title, level in truth.get("headings", ()):
            assert f"\n{'#' * level} {title}\n" in "\n" + extract.text, title
    assert total > 100 and right >= 0.99 * total and headed == right
    assert converter.convert((CASES / "sizing_mixed.pdf").read_bytes(), "m.pdf").skipped == ((2, "scan"),)


def test_pages_labels_heads_hyphens_and_paragraphs(converter):
    pages = [
        ["Head 1", "Preface of the book."],
        [(18, "Chapter One"), "The plan of the book is long and goes over the whole of the line for a mo-", "ment."],
        ["Head 3", "It goes on until the very end of this line where a sentence is cut in two"],
        ["Head 4", "in the middle of the page.", "- 4 -"],
    ]
    extract = converter.convert(documents.pdf(pages, labels=[(0, "r"), (2, "D")]), "x.pdf")
    assert "<!-- page 1 label i -->" in extract.text and "<!-- page 3 label 1 -->" in extract.text
    assert "# Chapter One" in extract.text and "Head 3" not in extract.text
    assert "cut in two <!-- page 4 label 2 -->in the middle" in extract.text
    assert find(extract, "The plan of the book is long and goes over the whole of the line for a moment.")[0] == 2
    assert find(extract, "where a sentence is cut in two in the middle of the page.")[0] == 3
    assert extract.pages == 4 and extract.skipped == ()


def test_a_word_that_is_divided_by_the_end_of_a_page_is_one_word(converter):
    line = "Some body text stands here before the end of the page and goes on until the her-"
    for first, second, whole in (
        (line, "on never hunts at noon.", "until the heron never hunts at noon."),
        (line[:-4] + "1990-", "2000 was dry.", "until the 1990- 2000 was dry."),
        (line[:-4] + "A-", "Shares are traded.", "until the A- Shares are traded."),
    ):
        extract = converter.convert(documents.pdf([[first], [second]]), "x.pdf")
        assert find(extract, whole)[0] == 1


def test_an_outline_gives_the_headings(converter):
    outline = [("Part I", 0, 0), ("Of words", 0, 1), ("Part II", 1, 0), ("Nowhere written", 1, 1)]
    pages = [["Part I", "Of words", "Words are short."], ["Part II", "More follows here."]]
    text = converter.convert(documents.pdf(pages, outline=outline), "x.pdf").text
    for line in ("# Part I", "## Of words", "# Part II", "## Nowhere written"):
        assert f"\n{line}\n" in text


def test_a_page_without_text_is_always_told(converter):
    data = documents.pdf([["Some words."], [], [], ["The end."]], image_pages={2})
    assert converter.convert(data, "x.pdf").skipped == ((2, "empty"), (3, "scan"))
    with pytest.raises(BadData) as caught:
        converter.convert(documents.pdf([[], []], image_pages={0, 1}), "scan.pdf")
    assert caught.value.code == "no-text" and caught.value.hint == "--ocr reads the pages with tesseract"


def test_docx_levels_tables_notes_insertions_and_boxes(converter):
    styles = (
        '<w:style w:styleId="H"><w:name w:val="heading 2"/></w:style>'
        '<w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="H"/></w:style>'
    )
    body = (
        documents.paragraph("Top", '<w:outlineLvl w:val="0"/>')
        + documents.paragraph("Named", '<w:pStyle w:val="H"/>')
        + documents.paragraph("Based", '<w:pStyle w:val="Own"/>')
        + "<w:p><w:r><w:t>Kept </w:t></w:r><w:ins><w:r><w:t>inserted</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc>"
        "<w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
        "<w:p><w:r><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></w:r></w:p>"
    )
    notes = '<w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote>'
    core = (
        '<c xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/"><dc:title>T</dc:title>'
        "<t:created>2017-05-06T00:00:00Z</t:created></c>"
    )
    extract = converter.convert(documents.docx(body, styles=styles, footnotes=notes, core=core), "x.docx")
    assert extract.text == ("# Top\n\n## Named\n\n## Based\n\nKept inserted\n\nA note.\n\n| a |  | c |\n\nboxed\n")
    assert (extract.title, extract.date, extract.date_from) == ("T", "2017-05-06", "metadata")


def test_epub_follows_the_spine_without_its_contents(converter):
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Untitled two</text></navLabel>'
        '<content src="b.xhtml"/></navPoint></navMap></ncx>'
    )
    chapters = {"a.xhtml": "<h1>One</h1><p>First.</p><h2>Deep</h2><p>Second.</p>", "b.xhtml": "<p>Third.</p>"}
    extract = converter.convert(documents.epub(chapters, ncx=ncx), "x.epub")
    assert extract.text == "# One\n\nFirst.\n\n## Deep\n\nSecond.\n\n# Untitled two\n\nThird.\n"
    assert (extract.title, extract.author, extract.date, extract.date_from) == (
        "A book", "Somebody", "2015-04-01", "book",
    )  # fmt: skip
    locked = {
        "META-INF/encryption.xml": '<e><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></e>'
    }
    with pytest.raises(Refused) as caught:
        converter.convert(documents.epub(chapters, extra=locked), "x.epub")
    assert "DRM" in str(caught.value)
    fonts = {"META-INF/encryption.xml": '<e><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></e>'}
    assert converter.convert(documents.epub(chapters, extra=fonts), "x.epub").title == "A book"


def test_html_reads_the_article_in_its_charset(converter):
    page = (
        '<html><head><meta charset="gb2312"><title>T - site</title>'
        '<meta property="article:published_time" content="2018-02-03T10:00:00+08:00"></head><body><nav>菜单</nav>'
        "<article><header><h1>止损</h1></header><p>先定<b>止损</b>。</p><script>x</script><ul><li>一</li></ul>"
        "<table><tr><th>甲</th><th>乙</th></tr><tr><td>1</td><td></td></tr></table><p>" + "字" * 60 + "</p></article>"
        "<footer>版权</footer></body></html>"
    )
    extract = converter.convert(page.encode("gb18030"), "x.html")
    assert extract.text.startswith("# 止损\n\n先定止损。\n\n- 一\n\n| 甲 | 乙 |\n| 1 |  |\n")
    assert (extract.title, extract.date, extract.date_from) == ("止损", "2018-02-03", "page")
    assert "菜单" not in extract.text and "版权" not in extract.text


def test_text_and_markdown(converter):
    note = "---\ntitle: My paper\ndate: 2016-07-08\nauthor: A\n---\n# Head\n\nBody <!-- page 9 --> end.\n"
    extract = converter.convert(note.encode(), "x.md")
    assert (extract.title, extract.author, extract.date, extract.date_from) == (
        "My paper", "A", "2016-07-08", "front matter",
    )  # fmt: skip
    assert split_document(extract.text)[0].pages == []  # a mark of its own is none of ours
    assert strip_marks(converter.convert("止损\r\n#1".encode("gbk"), "x.txt").text) == "止损\n\\#1\n"


def hostile_files(count, seed=11):
    """Yield (name, bytes): truncated, flipped, nested, oversized and mislabelled documents."""
    rng = random.Random(seed)
    good = {
        "a.pdf": documents.pdf([["Words on a page."], ["More words."]], outline=[("A", 0, 0)], labels=[(0, "r")]),
        "b.pdf": documents.pdf([["Words on a page."]], compress=False),
        "c.docx": documents.docx(documents.paragraph("Words")),
        "d.epub": documents.epub({"a.xhtml": "<p>Words</p>"}),
        "e.html": b"<html><body><p>Words on a page</p></body></html>",
        "f.md": b"# Words\n\ntext\n",
    }
    for at in range(count):
        name = rng.choice(sorted(good))
        data = bytearray(good[name])
        kind = at % 4
        if kind == 0:
            data = data[: rng.randrange(len(data))]
        elif kind == 1:
            for _ in range(rng.randint(1, 40)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        elif kind == 2:
            cut = rng.randrange(len(data))
            data[cut:cut] = rng.randbytes(rng.randint(1, 3000))
        else:
            name = f"x{rng.choice(['.pdf', '.docx', '.epub', '.html', '.md', '.txt', '.exe', ''])}"
        yield name, bytes(data)


MADE = {
    "bomb.epub": lambda: documents.archive({"META-INF/container.xml": b"0" * 30_000_000}),
    "dots.docx": lambda: documents.archive({"word/document.xml": "<a/>", "../../evil": "x"}),
    "root.epub": lambda: documents.archive({"META-INF/container.xml": "<a/>", "/etc/x": "x"}),
    "entities.docx": lambda: documents.archive(
        {
            "word/document.xml": '<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z SYSTEM "file:///etc/passwd">]><a>&x;&z;</a>',
        }
    ),
    "deep.html": lambda: b"<div>" * 20_000 + b"deep words",
    "deep.docx": lambda: documents.docx("<w:sdt>" * 3000 + documents.paragraph("x") + "</w:sdt>" * 3000),
    "loop.pdf": lambda: documents.pdf([["x"]]).replace(b"/Type /Pages /Count 1", b"/Type /Pages /Count 9"),
    "many.pdf": lambda: documents.pdf([["x"]]).replace(b"/Count 1", b"/Count 999999999"),
    "binary.txt": lambda: bytes(range(256)) * 10,
    "empty.pdf": lambda: b"",
    "picture.png": lambda: b"\x89PNG\r\n\x1a\n" + bytes(100),
    "list.zip": lambda: documents.archive({"a.txt": "x"}),
}


REFUSED = {
    "bomb.epub", "dots.docx", "root.epub", "entities.docx", "binary.txt", "empty.pdf", "picture.png", "list.zip"
}  # fmt: skip


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.soak)])
@pytest.mark.share(4)
def test_hostile_files_end_in_one_line_or_in_text(converter, count):
    refused = set()
    for name, data in [*hostile_files(count), *((name, make()) for name, make in MADE.items())]:
        try:
            extract = converter.convert(data, name)
        except IaError as exc:
            assert exc.status in (65, 77, 124), (name, exc)
            assert "\n" not in str(exc) and name in str(exc), (name, exc)
            refused |= {name} if isinstance(exc, BadData) else set()
        else:
            assert extract.text.strip() and all(1 <= page <= extract.pages for page, _ in extract.skipped)
    assert refused >= REFUSED
    assert converter.convert(b"# still\n\nalive", "x.md").title == "still"


def test_the_process_is_locked(converter):
    process = converter._start()
    with open(f"/proc/{process.pid}/status") as file:
        assert "Seccomp:\t2" in file.read()
