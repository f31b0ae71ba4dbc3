"""In English, answers name securities and simulated news in English; days that nobody counted are asked for."""

import re

import pytest

DEMO = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:30+08:00"}


@pytest.fixture
def run(ia):
    return lambda *argv, **env: ia(*argv, env={**DEMO, **env})


@pytest.mark.parametrize(
    "question",
    [
        "what's happening tomorrow?",
        "any news on Moutai?",
        "run my buy checklist on 300750",
        "does RSI below 30 on 600036 work?",
    ],
)
def test_answers_have_no_chinese_names(run, question):
    run("init")
    run("memory", "track", "600519", "000858")
    answer = run("turn", question).stdout
    assert answer
    assert not re.search("[\u4e00-\u9fff]", answer), answer


def test_simulated_news_speaks_the_language_of_the_workspace(run):
    run("init")
    told = run("news", "600519", "-n", "1", IA_LANG="zh").stdout
    assert "贵州茅台：关于召开股东大会的通知（模拟）" in told


@pytest.mark.share(4)
@pytest.mark.parametrize(
    ("question", "asked", "days"),
    [
        ("which stock fell the most lately", "Over which days", "this week"),
        ("最近哪只股票跌得最多", "看哪段时间", "本周"),
    ],
)
def test_days_that_nobody_counted_are_asked_for(run, question, asked, days):
    run("init")
    run("sync")
    assert run("turn", question).stdout.startswith(asked)
    assert "601012.SH" in run("turn", "-c", days).stdout
