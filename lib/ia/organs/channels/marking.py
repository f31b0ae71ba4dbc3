"""What a message looks like whose author has read text from outside: it says so, and nothing in it is a link."""

from collections.abc import Sequence

from ia.kernel.links import unlinked

_MARK = {"zh": "【读过外部文本（{origins}）之后写的】", "en": "[written after reading text from outside: {origins}]"}


def marked(text: str, origins: Sequence[str], lang: str) -> str:
    """Return a text that says where the text came from that its author has read, without links."""
    return f"{_MARK[lang].format(origins=', '.join(origins)[:200])}\n{unlinked(text)}"
