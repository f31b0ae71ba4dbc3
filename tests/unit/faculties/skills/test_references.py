"""Texts that ship with skills, as documents: which there are, in which language, and how they are found."""

from pathlib import Path

import pytest

from ia.faculties import profiles
from ia.faculties.skills import references
from ia.organs.recall.passages import search_passages

FOLDER = ".claude/skills/research/references"


@pytest.fixture(params=["en", "zh"])
def lang(request, monkeypatch):
    monkeypatch.setenv("IA_LANG", request.param)
    return request.param


@pytest.fixture
def invest(ws, lang):
    profiles.use_profile(ws, profiles.find_profile("invest"))
    return ws


def search(ws, query, **options):
    return search_passages(ws, query, shipped=references.shipped_texts(ws, query), **options)


def test_each_text_is_there_in_both_languages_once(invest, lang):
    every = references.list_references(invest)
    assert len(every) == len({each.path for each in every}) == len({each.id for each in every})
    by_lang = [[(each.skill, each.lang) for each in every if each.lang == wanted] for wanted in ("en", "zh")]
    assert [len(found) for found in by_lang] == [3, 3]
    own = [each for each in every if each.lang == lang]
    assert all(invest.read_present(each.path) for each in own)
    assert {each.profile for each in every} == {"invest"}


@pytest.mark.parametrize(
    ("query", "section", "words"),
    [
        ("how do I size a position", "sizing", "Shares = the loss you accept"),
        ("men think in herds", "herd", "think in herds"),
        ("why keep losers too long", "sale", "keep losers too long"),
        ("what does a low price do to a wrong judgment", "valuation", "ow price makes a wrong judgment cheaper"),
        ("买多少股数怎么算", "仓位", "股数 = 愿意亏的钱"),
        ("人是成群地思考的", "从众", "成群地发疯"),
        ("过早卖出赢家", "卖出", "过早卖出赢家"),
        ("结论的置信度怎么来", "结论", "结论只数方向不同的几类证据"),
    ],
)
def test_a_question_finds_its_section_in_its_language(invest, query, section, words):
    found = search(invest, query)[0]
    assert found.shipped and found.heading == section and words in found.text
    assert found.citation == f"{found.title}, § {section}" and not found.page


def test_documents_of_the_user_are_found_as_without_them(invest):
    invest.write(
        "knowledge/risk/converted/a.md", "---\ntitle: A\ndate: 2019-01-01\n---\nSize a position by its stop.\n"
    )
    invest.write(
        "knowledge/risk/converted/b.md", "---\ntitle: B\ndate: 2019-01-01\n---\nNever add to a losing position.\n"
    )
    for query in ("size a position by its stop", "losing position"):
        alone, both = search_passages(invest, query), search(invest, query, limit=20)
        assert [each for each in both if not each.shipped] == alone
        assert both[0] == alone[0]


def test_words_of_the_owner_count_in_the_workspace_and_nothing_is_copied(invest, lang):
    invest.write(
        f"{FOLDER}/method.md",
        "# 我的方法\n\n## sizing 仓位\n\n每只最多一成仓位。\n"
        if lang == "zh"
        else "# My way\n\n## sizing\n\nNever hold more than a tenth in one position.\n",
    )
    found = search(invest, "每只最多几成仓位" if lang == "zh" else "how much in one position at most, a tenth")[0]
    assert found.citation in ("我的方法, § 仓位", "My way, § sizing") and found.source == f"{FOLDER}/method.md"
    assert not list(Path(invest.root).glob("knowledge/**/*.md"))


def test_they_leave_with_their_skill_and_with_the_profile(invest):
    assert search(invest, "men think in herds")
    other = profiles.find_profile("gtd")
    profiles.use_profile(invest, other, replace=True)
    assert references.list_references(invest) == [] and search(invest, "men think in herds") == []


def test_a_disabled_skill_has_none(invest, monkeypatch):
    monkeypatch.setenv("IA_SKILLS_DISABLED", "research")
    assert {each.skill for each in references.list_references(invest)} == {"review"}
