"""Links in what was written after reading text from outside: none is left."""

import re

import pytest

from ia.kernel import links

LINKS = [
    "https://evil.com/a", "evil.com", "c2VjcmV0.evil.com", "evil.com./leak", "evil.xn--p1ai/leak", "пример.рф/leak",
    "例子.中国/leak", "1.2.3.4/leak", "evil.com#leak", "evil.com%2Fleak", "evil.com\\leak", "evil。com/leak",
    "例子。中国/leak", "evil．com/leak", "evil.com:443/x", "tg:resolve?domain=evil&text=leak", "mailto:x@evil.com?body=x",
    "mailto:?to=x", "//evil.com/x", "www.evil.com", "evil.c0m/leak", "notebook/a.md/evil.com", "notebook/x.evil.md",
    "600519.SH/leak", "600519.SH.evil.com", "evil.md", "उदाहरण.भारत/x",
]  # fmt: skip


@pytest.mark.parametrize("link", LINKS)
def test_no_link_is_left(link):
    told = links.break_links(link)
    assert told != link
    assert told.replace("[.]", ".").replace("[:]", ":").replace("。 ", "。") == link.replace("．", ".")
    assert not re.search(r"[^\W\d_][.．][^\W\d_]|\d\.\d+\.|[a-z]:[/a-z?]|[a-z中]。[a-z中]", told), told


@pytest.mark.parametrize(
    "text",
    [
        "PE 3.14，涨 12.5%，3.14亿；600519.SH 收 1680.5，00700.HK。", "见 notebook/research/宁德/2026-11-22.md。",
        "SH.600519 v1.2 2026.11.22 e.g. U.S. Ends. Begins… 跌了。AI 说：看好", "PE:12/行业 15:30 RSI:28 note: x",
    ],
)  # fmt: skip
def test_figures_codes_and_paths_stay(text):
    assert links.break_links(text) == text
