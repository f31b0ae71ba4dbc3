"""A quote stands in a document, or it does not: a digit, a denial or half a sentence more is another sentence."""

import json
import random
import re

import pytest

from ia.faculties.rulebooks.quotes import ALTERED, MISSING, NEAR, VERBATIM, DocumentText
from ia.organs.recall.documents import split_front, split_sentences
from support.program import SHARED

BODY = """# Stops

<!-- page 3 label 1 -->

## How to stop

A stop must not be moved down. When the loss reaches 2.5 % of the equity, sell at once; nothing is discussed.

<!-- page 4 label 2 -->跌破二十日均线者，不宜加仓，宜减仓一半。
"""
CASES = SHARED / "knowledge" / "extract_cases"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="the shared extraction cases are not beside this checkout")


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("A stop must not be moved down.", VERBATIM),
        ("a STOP must not — be moved down!", VERBATIM),
        ("When the loss reaches 2.5% … nothing is discussed", VERBATIM),
        ("A stop must be moved down.", ALTERED),
        ("When the loss reaches 2.6 % of the equity, sell at once", ALTERED),
        ("When the loss reaches 25 % of the equity, sell at once", ALTERED),
        ("When the loss reeches 2.5 % of the equity, sell at once", NEAR),
        ("be moved down. Whenever it rains, buy", MISSING),
        ("跌破二十日均线者,不宜加仓", VERBATIM),
        ("宜加仓，宜减仓一半", ALTERED),
        ("跌破三十日均线者，不宜加仓，宜减仓一半", ALTERED),
        ("十日均线者，不宜加仓", ALTERED),
        ("", MISSING),
        ("…", MISSING),
        ("缩量三日者，主反弹。", MISSING),
    ],
)
def test_the_verdict_of_a_quote(quote, verdict):
    assert DocumentText(BODY).find(quote).verdict == verdict


def test_a_quote_has_the_page_and_the_heading_where_it_stands():
    text = DocumentText(BODY)
    first, second = text.find("must not be moved down"), text.find("宜减仓一半")
    assert (first.page, first.label, first.heading) == (3, "1", "How to stop")
    assert (second.page, second.label) == (4, "2")


@needs_cases
def test_the_shared_verdicts():
    for folder in sorted(path for path in CASES.iterdir() if (path / "verify.json").exists()):
        text = DocumentText(split_front((folder / "source.md").read_text())[1])
        for case in json.loads((folder / "verify.json").read_text())["cases"]:
            assert text.find(case["quote"]).is_supported == (case["verdict"] == "supported"), case


@needs_cases
def test_every_altered_digit_and_every_denial_is_flagged():
    chance = random.Random(5)
    for folder in sorted(path for path in CASES.iterdir() if (path / "source.md").exists()):
        text = DocumentText(split_front((folder / "source.md").read_text())[1])
        for _, sentence in split_sentences(text.raw):
            plain = sentence.strip()
            if len(plain) < 8:
                continue
            assert text.find(plain).verdict == VERBATIM
            at = chance.randrange(1, len(plain) - 1)
            assert not text.find(plain[:at] + "不" + plain[at:]).is_supported
            for match in re.finditer(r"\d|[二三四五六七八九]", plain):
                other = str((int(match[0]) + 1) % 10) if match[0].isdigit() else "四三"[match[0] == "四"]
                assert not text.find(plain[: match.start()] + other + plain[match.end() :]).is_supported, plain
