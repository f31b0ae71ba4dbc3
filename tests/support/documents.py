"""Documents made from nothing: PDF, DOCX, EPUB and their broken forms, as tests of `ia knowledge` need them."""

import io
import random
import zipfile
import zlib

from ia.faculties.knowledge import library
from ia.faculties.knowledge.conversion_process import Converter

WIDTH, HEIGHT, LEFT, TOP, LINE = 595, 842, 60, 770, 16


def _pdf_text(text, chinese):
    if chinese:
        return f"<{text.encode('utf-16-be').hex()}> Tj"
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"({escaped}) Tj"


def pdf(pages, *, outline=(), labels=(), info=None, compress=True, image_pages=()):
    """Return a PDF. A page is a list of lines, or of (size, line); Chinese is written in a font that is not embedded.

    outline   (title, page from 0, level from 0). labels: (page from 0, style) such as (0, "r"), (2, "D")
    """
    objects = []

    def add(body):
        objects.append(body if isinstance(body, bytes) else body.encode("latin-1"))
        return len(objects)

    catalog, tree = add(""), add("")
    latin = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    han = add(
        "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts"
        f" [{latin + 2} 0 R] >>"
    )
    add(
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo"
        " << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /DW 1000 /FontDescriptor"
        f" {latin + 3} 0 R >>"
    )
    add(
        "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0"
        " /Ascent 800 /Descent -200 /CapHeight 800 /StemV 80 >>"
    )
    kids = []
    for number, lines in enumerate(pages):
        parts, y = [], TOP
        for line in lines:
            size, text = line if isinstance(line, tuple) else (11, line)
            chinese = not text.isascii()
            font = "F2" if chinese else "F1"
            parts.append(f"BT /{font} {size} Tf {LEFT} {y} Td {_pdf_text(text, chinese)} ET")
            y -= max(LINE, size + 5)
        resources = f"/Font << /F1 {latin} 0 R /F2 {han} 0 R >>"
        if number in image_pages:
            raw = zlib.compress(bytes(16 * 16))
            head = (
                f"<< /Type /XObject /Subtype /Image /Width 16 /Height 16 /ColorSpace /DeviceGray /BitsPerComponent 8"
                f" /Filter /FlateDecode /Length {len(raw)} >>\nstream\n"
            )
            picture = add(head.encode() + raw + b"\nendstream")
            resources += f" /XObject << /I {picture} 0 R >>"
            parts.append(f"q {WIDTH} 0 0 {HEIGHT} 0 0 cm /I Do Q")
        data = "\n".join(parts).encode("latin-1")
        if compress:
            data = zlib.compress(data)
        filters = "/Filter /FlateDecode " if compress else ""
        content = add(f"<< {filters}/Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream")
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {content} 0 R"
                f" /Resources << {resources} >> >>"
            )
        )
    more = ""
    if outline:
        more += f" /Outlines {_add_outline(add, objects, outline, kids)} 0 R"
    if labels:
        more += " /PageLabels << /Nums [" + " ".join(f"{at} << /S /{style} >>" for at, style in labels) + "] >>"
    told = add(
        "<< "
        + " ".join(f"/{key} <feff{value.encode('utf-16-be').hex()}>" for key, value in (info or {}).items())
        + " >>"
    )
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R{more} >>".encode()
    objects[tree - 1] = (
        f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>".encode()
    )
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for at, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{at} 0 obj\n".encode() + body + b"\nendobj\n")
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.write("".join(f"{place:010} 00000 n \n" for place in places).encode())
    out.write(f"trailer\n<< /Size {len(objects) + 1} /Root {catalog} 0 R /Info {told} 0 R >>\n".encode())
    out.write(f"startxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def _add_outline(add, objects, entries, kids):
    root = add("")
    numbers = [add("") for _ in entries]
    parents, stack = [], []
    for at, (_, _, level) in enumerate(entries):
        del stack[level:]
        parents.append(stack[-1] if stack else None)
        stack.append(at)
    for at, (title, page, _) in enumerate(entries):
        siblings = [each for each in range(len(entries)) if parents[each] == parents[at]]
        place = siblings.index(at)
        children = [each for each in range(len(entries)) if parents[each] == at]
        body = f"<< /Title <feff{title.encode('utf-16-be').hex()}> /Dest [{kids[page]} 0 R /Fit]"
        body += f" /Parent {numbers[parents[at]] if parents[at] is not None else root} 0 R"
        body += f" /Prev {numbers[siblings[place - 1]]} 0 R" if place else ""
        body += f" /Next {numbers[siblings[place + 1]]} 0 R" if place + 1 < len(siblings) else ""
        if children:
            body += f" /First {numbers[children[0]]} 0 R /Last {numbers[children[-1]]} 0 R /Count {len(children)}"
        objects[numbers[at] - 1] = (body + " >>").encode()
    tops = [numbers[at] for at in range(len(entries)) if parents[at] is None]
    objects[root - 1] = f"<< /Type /Outlines /First {tops[0]} 0 R /Last {tops[-1]} 0 R /Count {len(tops)} >>".encode()
    return root


def archive(members, *, stored=False):
    """Return a zip file of (name → text or bytes)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return out.getvalue()


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(body, *, styles="", footnotes="", core=""):
    """Return a DOCX file with this XML inside w:body."""
    members = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
    }
    if styles:
        members["word/styles.xml"] = f"<w:styles {W}>{styles}</w:styles>"
    if footnotes:
        members["word/footnotes.xml"] = f"<w:footnotes {W}>{footnotes}</w:footnotes>"
    if core:
        members["docProps/core.xml"] = core
    return archive(members)


def paragraph(text, properties=""):
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}<w:r><w:t>{text}</w:t></w:r></w:p>"


CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
)


def epub(chapters, *, title="A book", date="2015-04-01", extra=None, ncx=""):
    """Return an EPUB file of (file name → XHTML body), in this order, with a nav that is to be skipped."""
    items = "".join(
        f'<item id="c{at}" href="{name}" media-type="application/xhtml+xml"/>' for at, name in enumerate(chapters)
    )
    items += '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if ncx else ""
    spine = '<itemref idref="nav"/>' + "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>{title}</dc:title><dc:creator>Somebody</dc:creator><dc:date>{date}</dc:date></metadata>"
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OEBPS/content.opf": package}
    members["OEBPS/nav.xhtml"] = "<html><body><nav>THE NAVIGATION</nav></body></html>"
    members |= {"OEBPS/toc.ncx": ncx} if ncx else {}
    members |= {f"OEBPS/{name}": f"<html><body>{body}</body></html>" for name, body in chapters.items()}
    return archive(members | (extra or {}))


PLACES = [
    "Lisbon", "Turin", "Bergen", "Quito", "Osaka", "Dakar", "Perth", "Malmo", "Cusco", "Tunis", "Hobart", "Ghent",
    "Riga", "Porto", "Lyon", "Kyoto", "Accra", "Davos", "Bonn", "Sofia",
]  # fmt: skip
THINGS = [
    "ledger", "anchor", "lantern", "harvest", "orchard", "granary", "foundry", "bridge", "canal", "archive", "beacon",
    "quarry", "stable", "bakery", "tannery", "mill", "vault", "pier", "dairy", "loom",
]  # fmt: skip
ACTS = [
    "measured",
    "repaired",
    "inherited",
    "rented",
    "insured",
    "painted",
    "auctioned",
    "surveyed",
    "guarded",
    "rebuilt",
]
城 = [
    "洛阳",
    "扬州",
    "泉州",
    "敦煌",
    "大理",
    "平遥",
    "徽州",
    "苏州",
    "泸州",
    "绍兴",
    "景德镇",
    "喀什",
    "丽江",
    "开封",
    "承德",
]
物 = [
    "账簿",
    "船锚",
    "灯笼",
    "粮仓",
    "果园",
    "铸坊",
    "石桥",
    "运河",
    "书库",
    "烽台",
    "采石场",
    "马厩",
    "染坊",
    "水磨",
    "码头",
]
事 = ["丈量", "修缮", "继承", "租赁", "投保", "粉刷", "拍卖", "勘测", "看守", "重建"]


def book(pages=120, seed=7):
    """Return (PDF bytes, questions): a book in two languages, and (question, sentence, page from 1) of its facts."""
    rng = random.Random(seed)
    facts, out, outline = [], [], []
    seen = set()
    for number in range(pages):
        chinese = number % 2
        title = f"{rng.choice(城)}卷第{number + 1}节" if chinese else f"Section {number + 1} on {rng.choice(PLACES)}"
        lines = ["A Book of Facts", (16, title)]
        outline.append((title, number, 0))
        for _ in range(7):
            fact = (
                rng.choice(城 if chinese else PLACES),
                rng.choice(物 if chinese else THINGS),
                rng.choice(事 if chinese else ACTS),
            )
            if fact in seen:
                continue
            seen.add(fact)
            place, thing, act = fact
            amount = rng.randint(1200, 98000)
            if chinese:
                sentence = f"{place}的{thing}当年{act}一共花费{amount}两银子，此事记在县志的附录之中。"
                question = f"{place}的{thing}{act}花了多少两银子"
                lines += [sentence[at : at + 30] for at in range(0, len(sentence), 30)]
                filler = "凡事预则立，不预则废，掌柜每逢月底必定核对一遍。"
            else:
                sentence = f"In {place} the {thing} was {act} for {amount} ducats, as the annals of the town report."
                question = f"for how many ducats was the {thing} in {place} {act}"
                cut = sentence.rfind(" ", 0, 60)
                lines += [sentence[:cut], sentence[cut + 1 :]]
                filler = "The clerk checked every entry at the end of the month."
            lines.append(filler)
            facts.append((question, sentence, number + 1))
        lines.append(f"- {number + 1} -")
        out.append(lines)
    return pdf(out, outline=outline, info={"Title": "A Book of Facts", "CreationDate": "D:20120304000000Z"}), facts


def add_document(ws, name, data, theme="risk", **options):
    """Return a document after `ia knowledge add` has put it into a theme. options: those of AddOptions"""
    with Converter() as converter:
        document = library.NewDocument(name, data)
        return library.add_document(ws, document, library.AddOptions(theme, **options), converter).document
