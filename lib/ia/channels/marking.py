"""What a message looks like whose author has read text from outside: it says so, and nothing in it is a link.

A service that previews a link, or a reader who touches it, would carry to a stranger's host what stands in it.
"""

import re
from collections.abc import Sequence

_MARK = {"zh": "【读过外部文本（{origins}）之后写的】", "en": "[written after reading text from outside: {origins}]"}
_SCHEME = re.compile(r"(?<!\w)([a-z][a-z0-9+.-]{1,30}):(?=//|[a-z+?][^\s]*[?&=@%/\\])", re.I)
_OWN = r"(?<![\w./:@-])(?:notebook|memory|skills|tasks)/[\w/-]{1,150}\.md(?![/?#:%@\\_-]|\.?[A-Za-z0-9])"
_CODE = r"(?<![\w./:@-])\d{4,6}\.(?:SH|SZ|BJ|SS|HK)(?![/?#%@\\_-]|[:.]?[A-Za-z0-9])"
_ADDRESS = r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)"
_DOT = r"(?<=[^\s.])[.\uff0e\uff61\u2024](?:(?=[^\W\d_])(?![A-Za-z](?![\w-]))|(?<=www.))"
"""Before letters: no host's name ends in a part that begins with a digit (3.14, SH.600519), or is one letter (U.S.)."""
_STOP = r"(?<=[A-Za-z0-9])。(?=[A-Za-z0-9])|(?<=\w)。(?=\w{1,24}[/?#:%\\])"
_JOINED = re.compile(
    f"(?P<kept>{_OWN}|{_CODE})|(?P<address>{_ADDRESS})|(?P<dot>{_DOT})|(?P<stop>{_STOP})"
)  # fmt: skip


def unlinked(text: str) -> str:
    """Return a text without links: the dots of hosts and the colons of schemes are put in brackets.

    Numbers, codes of securities and paths of the workspace stay as they are.
    """
    return _JOINED.sub(_apart, _SCHEME.sub(r"\1[:]", text))


def _apart(found: re.Match[str]) -> str:
    if found["kept"]:
        return found[0]
    return "。 " if found["stop"] else found[0].replace(".", "[.]") if found["address"] else "[.]"


def marked(text: str, origins: Sequence[str], lang: str) -> str:
    """Return a text that says where the text came from that its author has read, without links."""
    return f"{_MARK[lang].format(origins=', '.join(origins)[:200])}\n{unlinked(text)}"
