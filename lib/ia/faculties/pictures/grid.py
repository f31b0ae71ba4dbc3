"""Cells of a terminal: how wide a text is in them, and a grid of characters with a style each."""

from dataclasses import dataclass, field

from ia.kernel.text_width import display_width


def shorten_text(text: str, width: int) -> str:
    """Return as much of a text as fits, with a sign where something is missing."""
    if display_width(text) <= width:
        return text
    out, used = "", 0
    for c in text:
        size = display_width(c)
        if used + size > width - 1:
            break
        out, used = out + c, used + size
    return out + "…"


Part = tuple[str, str]
"""A text and its style."""


@dataclass
class Grid:
    """Cells of one pane: a character and a style each."""

    width: int
    height: int
    char: list[list[str]] = field(init=False)
    style: list[list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.char = [[" "] * self.width for _ in range(self.height)]
        self.style = [[""] * self.width for _ in range(self.height)]

    def put_char(self, x: int, y: int, char: str, style: str = "") -> None:
        if 0 <= x < self.width and 0 <= y < self.height:
            self.char[y][x], self.style[y][x] = char, style

    def write_text(self, x: int, y: int, text: str, style: str) -> int:
        """Put a text into a row, over what is there; return the column behind it."""
        for char in text:
            size = display_width(char)
            if x + size > self.width:
                break
            self.put_char(x, y, char, style)
            if size == 2:
                self.put_char(x + 1, y, "", style)
            x += size
        return x

    def is_free(self, x: int, y: int) -> bool:
        return 0 <= x < self.width and 0 <= y < self.height and self.char[y][x] in (" ", "·", "╌")

    def row_parts(self, y: int) -> list[Part]:
        return [*zip(self.char[y], self.style[y], strict=True)]
