"""Links in text that somebody wrote after reading text from outside: broken, so that nobody follows them unawares.

A service that previews a link, a viewer that loads an image, or a reader who touches either would carry to a stranger's
host what stands in it.
"""

import re

from ia.kernel.patterns import pattern

_SCHEME = pattern(r"(?<!\w)([a-z][a-z0-9+.-]{1,30}\\?):(?=\\?/\\?/|[a-z+?][^\s]*[?&=@%/\\])", re.I)
_OWN = r"(?<![\w./:@-])(?:notebook|memory|skills|tasks)/[\w/-]{1,150}\.md(?![/?#:%@\\_-]|\.?[A-Za-z0-9])"
_CODE = r"(?<![\w./:@-])\d{4,6}\.(?:SH|SZ|BJ|SS|HK)(?![/?#%@\\_-]|[:.]?[A-Za-z0-9])"
_ADDRESS = r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)"
_DOT = r"(?<=[^\s.])[.\uff0e\uff61\u2024](?:(?=[^\W\d_])(?![A-Za-z](?![\w-]))|(?<=www.))"
"""Before letters: no host's name ends in a part that begins with a digit (3.14, SH.600519), or is one letter (U.S.)."""
_STOP = r"(?<=[A-Za-z0-9])。(?=[A-Za-z0-9])|(?<=\w)。(?=\w{1,24}[/?#:%\\])"
_JOINED = pattern(f"(?P<kept>{_OWN}|{_CODE})|(?P<address>{_ADDRESS})|(?P<dot>{_DOT})|(?P<stop>{_STOP})")
_TARGET = r"(?=\s*<?(?:[A-Za-z][\w+.-]*\\?:|[/\\]{2}))"
_LOADED = pattern(
    r"!(?=\[)|<(?=[A-Za-z/!?])|&(?=#|[A-Za-z]{2,30};)|(?<![\w:/\\\]])/(?=\\?/\\?[^\s/])|\\(?=\\[^\s\\])"
    rf"|(?<=\])[(:]{_TARGET}"
)
"""What a Markdown viewer would load or make a link of besides: images, tags, characters in disguise, `//host`."""
_BROKEN = pattern(r"\[([.:!<&/\\(])\]")


def break_links(text: str) -> str:
    """Return a text without links: the dots of hosts and the colons of schemes are put in brackets.

    Numbers, codes of securities and paths of the workspace stay as they are.
    """
    return _JOINED.sub(_bracket_match, _SCHEME.sub(r"\1[:]", text))


def break_markup(text: str) -> str:
    """Return Markdown without links, images and tags: nothing of it is fetched where it is shown.

    >>> break_markup("![](https://evil.example/a.png)"), break_markup("pe < 15, see notebook/research/a.md")
    ('[!][](https[:]//evil[.]example/a[.]png)', 'pe < 15, see notebook/research/a.md')
    """
    return _LOADED.sub(r"[\g<0>]", break_links(text))


def restore_links(text: str) -> str:
    """Return a text with the links that `unloaded` broke: what a person makes of it by accepting it.

    One that says some of the marks itself stays as it is: they could not be told from ours.

    >>> restore_links(break_markup("![](https://evil.example/a.png)"))
    '![](https://evil.example/a.png)'
    """
    whole = _BROKEN.sub(r"\1", text)
    return whole if break_markup(whole) == text else text


def _bracket_match(found: re.Match[str]) -> str:
    if found["kept"]:
        return found[0]
    return "。 " if found["stop"] else found[0].replace(".", "[.]") if found["address"] else "[.]"
