"""Markdown and plain text: the text as it is, its front matter read."""

from typing import Any

from ia.faculties.knowledge.extract import ConversionError, Extract, clean_line, clean_text, parse_stamp


def read_text(data: bytes, *, markdown: bool) -> Extract:
    """Return a text file; raises ConversionError for bytes that are no text."""
    text = _decode(data)
    told: dict[str, Any] = {}
    if markdown:
        from ia.kernel.formats.frontmatter import find_block

        block = find_block(text)
        if block is not None and block.body:
            told = _read_front(text[: block.body])
            text = text[block.body :]
    lines = [clean_text(line).rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    if not markdown:
        lines = [f"\\{line}" if line.startswith("#") else line for line in lines]
    title = str(told.get("title") or "") or next((line.lstrip("# ") for line in lines if line.startswith("# ")), "")
    day = parse_stamp(str(told.get("date") or ""))
    return Extract(
        text="\n".join(lines).strip("\n") + "\n",
        title=clean_line(title)[:300],
        author=clean_line(str(told.get("author") or ""))[:300],
        date=day,
        date_from="front matter" if day else "",
    )


def _decode(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").lstrip("\ufeff")
    if b"\0" in data[:100_000]:
        raise ConversionError("unsupported")
    for name in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(name)
        except UnicodeError:
            continue
    raise ConversionError("unsupported")


def _read_front(head: str) -> dict[str, Any]:
    """Return the simple fields of a front matter: one `name: value` a line."""
    found: dict[str, Any] = {}
    for line in head.splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip().isidentifier():
            found.setdefault(name.strip().lower(), value.strip().strip("'\""))
    return found
