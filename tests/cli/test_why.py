"""“Why?” after a verdict, a size or a checklist: the passage that the answer rests on, quoted from the skill's own text."""

import pytest

DEMO = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:30+08:00", "IA_LEDGER_CAPITAL": "500000 CNY"}
REFERENCES = ".claude/skills/research/references"


@pytest.fixture
def begun(begin, home):
    """Have a workspace of a language with prices in it, but where the test already has one."""

    def begin_once(lang):
        if not (home / ".ia").exists():
            begin({**DEMO, "IA_LANG": lang}, ("init",), ("sync",))

    return begin_once


@pytest.fixture
def ask(ia, begun):
    """Ask one thing after the other in a session; return the last answer."""

    def ask_all(lang, *questions):
        begun(lang)
        return [ia("turn", "-s", "why", question, env={**DEMO, "IA_LANG": lang}).stdout for question in questions][-1]

    return ask_all


@pytest.mark.parametrize(
    ("lang", "question", "why", "file", "section", "words"),
    [
        ("en", "what do you think of CMB", "why?", "method.md", "verdict", "A verdict counts kinds of evidence"),
        ("en", "how many shares of CMB can I buy?", "why so few?", "method.md", "sizing", "Decide first what you"),
        ("en", "can I buy 1000 CMB?", "Why?", "checks.md", "position", "Decide first what you can afford to lose"),
        ("en", "is CMB expensive?", "how come?", "method.md", "valuation", "A low price makes a wrong judgment"),
        ("zh", "招商银行怎么看", "为什么？", "method.md", "结论", "结论只数方向不同的几类证据"),
        ("zh", "能买多少招行？", "为什么这么少", "method.md", "仓位", "先决定能亏多少，再决定买多少"),
        ("zh", "能不能买1000股招行", "为什么", "checks.md", "仓位", "先定亏得起多少"),
        ("zh", "招商银行贵不贵", "依据是什么", "method.md", "估值", "价格低，判断错了也亏得少"),
    ],
)
@pytest.mark.share(3)
def test_why_quotes_the_passage_behind_an_answer(ask, home, lang, question, why, file, section, words):
    answer = ask(lang, question, why)
    quoted = next(line.removeprefix("> ") for line in answer.splitlines() if line.startswith("> "))
    assert quoted.startswith(words)
    assert quoted in (home / REFERENCES / file).read_text(encoding="utf-8")
    assert f", § {section}]" in answer and f"`{REFERENCES}/{file}`" in answer


@pytest.mark.parametrize(
    ("lang", "question", "why"), [("en", "weekly checklist", "why not?"), ("zh", "每周清单", "为什么没通过")]
)
def test_why_after_a_checklist_quotes_the_sources_of_what_did_not_pass(ask, ia, begun, lang, question, why):
    begun(lang)
    ia("trade", "buy", "600036", "4500", "25", "--date", "2024-02-01", env=DEMO)
    answer = ask(lang, question, why)
    failed = [line for line in answer.splitlines() if line.startswith("- **")]
    assert failed and answer.count("\n> ") == min(len(failed), 2)
    assert "review/references/weekly" in answer


def test_a_passage_that_the_owner_changed_is_quoted_as_it_stands(ask, begun, home):
    begun("en")
    path = home / REFERENCES / "method.md"
    path.write_text("# My way\n\n## sizing\n\nNever more than a tenth.\n")
    assert ask("en", "how many shares of CMB can I buy?", "why?").splitlines()[:2] == [
        "> Never more than a tenth.",
        f"— [My way, § sizing] (`{REFERENCES}/method.md`)",
    ]


def test_without_the_file_the_text_that_ships_is_quoted(ask, begun, home):
    begun("en")
    (home / REFERENCES / "method.md").unlink()
    assert "> Decide first what you can afford to lose" in ask("en", "how many shares of CMB can I buy?", "why?")


def test_the_language_of_the_answer_decides(ask, begun):
    begun("zh")
    assert "> Decide first what you can afford to lose" in ask("en", "how many shares of CMB can I buy?", "why?")


def test_a_bare_why_is_about_the_last_answer(ia, begun):
    env = {**DEMO, "IA_LANG": "en"}
    begun("en")
    assert "> " not in ia("turn", "why?", env=env).stdout
    ia("turn", "is CMB expensive?", env=env)
    assert "> A low price makes a wrong judgment" in ia("turn", "why?", env=env).stdout


@pytest.mark.parametrize(
    ("lang", "question", "why", "words"),
    [
        ("zh", "茅台现在多少钱", "为什么？", "没有可以引用的依据"),
        ("zh", "我有多少现金", "为什么", "没有可以引用的依据"),
        ("zh", "今天大盘怎么样", "为什么？", "没有可以引用的依据"),
        ("en", "price of CATL", "why?", "no grounds to quote"),
    ],
)
@pytest.mark.share(3)
def test_why_after_an_answer_without_grounds_says_so(ask, lang, question, why, words):
    assert words in ask(lang, "招商银行怎么看", question, why)
