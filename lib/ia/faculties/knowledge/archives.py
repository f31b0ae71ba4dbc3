"""Files that are archives of XML: what may be unpacked, and XML without entities."""

import io
import zipfile
import zlib
from typing import Any

from ia.faculties.knowledge.extract import ConversionError

MAX_MEMBERS = 10_000
MAX_UNPACKED = 200_000_000
MAX_RATIO = 100
_SMALL = 1_000_000
"""Bytes below which a ratio means nothing."""
_DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError)
"""What zipfile raises for a file that it cannot read. RuntimeError: a password, or a compression that it lacks."""


class Archive:
    """A zip file whose members have harmless names and sizes; raises ConversionError for another."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            members = self._zip.infolist()
        except _DAMAGED:
            raise ConversionError("damaged") from None
        if len(members) > MAX_MEMBERS or sum(each.file_size for each in members) > MAX_UNPACKED:
            raise ConversionError("bomb")
        for each in members:
            if each.file_size > _SMALL and each.file_size > MAX_RATIO * max(each.compress_size, 1):
                raise ConversionError("bomb")
            name = each.filename.replace("\\", "/")
            if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":":
                raise ConversionError("unsafe-name")
        self.names = {each.filename for each in members}
        self._left = MAX_UNPACKED

    def read(self, name: str) -> bytes | None:
        """Return a member, None where there is none."""
        if name not in self.names:
            return None
        try:
            with self._zip.open(name) as file:
                data = file.read(self._left + 1)
        except _DAMAGED:
            raise ConversionError("damaged") from None
        self._left -= len(data)
        if self._left < 0:
            raise ConversionError("bomb")
        return data


def parse_xml(data: bytes) -> Any:
    """Return the root of an XML document; one that declares entities is refused."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_pis=True)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise ConversionError("damaged") from None
    tree = root.getroottree()
    if tree.docinfo.internalDTD is not None and [*tree.docinfo.internalDTD.iterentities()]:
        raise ConversionError("entities")
    return root


def local_name(element: Any) -> str:
    """Return the name of an element without its namespace, "" for a comment."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
