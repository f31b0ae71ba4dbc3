"""What a message looks like whose author has read text from outside: it says so, and nothing in it is a link."""

from collections.abc import Sequence

from ia.kernel.i18n import Voice
from ia.kernel.links import break_links


def mark_untrusted(text: str, origins: Sequence[str], lang: str) -> str:
    """Return a text that says where the text came from that its author has read, without links."""
    mark = Voice(lang)("[written after reading text from outside: {origins}]", origins=", ".join(origins)[:200])
    return f"{mark}\n{break_links(text)}"
