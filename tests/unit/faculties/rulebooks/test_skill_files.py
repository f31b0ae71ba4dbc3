"""The files of a skill that is built from documents: in the language of its quotes, that of the user where both occur."""

import pytest

from ia.faculties.rulebooks.extraction import Draft
from ia.faculties.rulebooks.skill_files import render_files

ENGLISH = "Never risk more than two per cent of the account on one trade."
CHINESE = "单笔交易的风险不得超过账户的百分之二。"


def draft(quote):
    fields = {"condition": quote, "conclusion": quote, "confidence": "low"}
    return Draft("T2_1", "rule", 2, "", "", fields, {"document": "stops", "quote": quote})


@pytest.mark.parametrize(
    ("quotes", "lang", "chinese"),
    [
        ([ENGLISH], "zh", False),
        ([CHINESE], "en", True),
        ([CHINESE, "市盈率即 P/E，见 Graham。"], "en", True),
        ([ENGLISH, ENGLISH, "Volume (量) confirms."], "zh", False),
        ([ENGLISH, CHINESE], "en", False),
        ([ENGLISH, CHINESE], "zh", True),
        ([], "en", False),
        ([], "zh", False),
    ],
)
def test_the_words_of_a_built_skill_are_in_the_language_of_its_quotes(monkeypatch, quotes, lang, chinese):
    monkeypatch.setenv("IA_LANG", lang)
    files = render_files("risk", "Stops", [draft(quote) for quote in quotes], [], "risk")
    assert ("按本技能的规则判断" in files["SKILL.md"]) is chinese
