"""`ia tool`: tools of skills by hand, cards at the terminal and as pages, and what is wrong in one line."""

import json

import pytest

from support.skill_library import FORM_TOOLS, FORMS, GARDEN, write_skill

PLAN = {"date": "2024-03-15", "rows": [{"plant": "豌豆", "count": 3}]}


@pytest.fixture
def garden(home):
    write_skill(home, "garden", {"tools/tools.yaml": GARDEN, "forms.yaml": FORMS})


def test_tools_of_skills_are_listed_shown_and_called(ia, garden):
    rows = {row["name"]: row for row in json.loads(ia("tool", "list", "--json").stdout)}
    assert (rows["show_garden"]["origin"], rows["show_garden"]["type"]) == ("skill:garden", "display")
    shown = json.loads(ia("tool", "show", "plan_garden").stdout)
    assert (shown["display_name"], shown["run"], shown["level"]) == ("Garden plan", "garden.plan", "skill")
    done = ia("tool", "call", "show_garden", json.dumps(PLAN))
    assert json.loads(done.stdout)["props"] == PLAN


def test_a_card_is_drawn_or_written_as_a_page(ia, garden, tmp_path):
    done = ia("tool", "call", "show_garden", json.dumps(PLAN), "--card", env={"IA_LANG": "zh"})
    assert done.stdout == "\n种植图\n日期: 2024-03-15\n行\n植物 | 株数\n豌豆 | 3\n"
    done = ia("tool", "call", "show_garden", json.dumps(PLAN), "-o", "card.html")
    assert done.stdout == "card.html\n"
    page = (tmp_path / "card.html").read_text()
    assert "Garden chart" in page
    assert "豌豆" in page
    done = ia("tool", "call", "session.list", "--card")
    assert (done.returncode, done.stderr.splitlines()[0]) == (65, "ia: the result of session.list is not a card")
    assert ia("tool", "call", "show_garden", json.dumps(PLAN), "-o", "card.png").returncode == 2


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["plan_garden", "{}"], 65, "'date' is a required property"),
        (["plan_garden", '{"date": "2024-03-15"}'], 78, "nothing is called garden.plan"),
        (["show_garden", '{"date": 5}'], 65, "5 is not of type"), (["plan_gardens"], 66, "no such tool"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(ia, garden, words, status, said):
    done = ia("tool", "call", *words)
    assert (done.returncode, said in done.stderr.splitlines()[0]) == (status, True), done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_file_is_told_by_list_show_and_call(ia, home):
    write_skill(home, "garden", {"tools/tools.yaml": "tools: [{name: sow, type: magic}]", "forms.yaml": "forms: 5"})
    why = "tools/tools.yaml: sow: type must be one of compute, random, collect, display, retrieve, flow"
    done = ia("tool", "list")
    assert (done.returncode, done.stderr) == (0, f"ia: .claude/skills/garden: {why}\n")
    assert why in ia("skill", "show", "garden").stderr
    assert "forms.yaml must begin with" in ia("skill", "show", "garden").stderr
    done = ia("tool", "call", "sow")
    assert (done.returncode, done.stderr.splitlines()[0]) == (65, f"ia: .claude/skills/garden: {why}")


def test_a_session_fills_in_arguments(ia, home):
    write_skill(home, "garden", {"tools/tools.yaml": FORM_TOOLS, "forms.yaml": FORMS})
    done = ia("tool", "call", "plan_garden", "{}", "-s", "s")
    assert done.returncode == 77
    assert done.stderr.splitlines() == [
        "ia: plan_garden lacks plot.date", "hint: fill in the form: `ia session fill s plot`",
    ]  # fmt: skip
    assert ia("session", "fill", "s", "plot", "date=2024-03-15", "bed=1").returncode == 0
    done = ia("tool", "call", "plan_garden", "{}", "-s", "s")
    assert "nothing is called garden.plan" in done.stderr  # the slots are there; the package is not


def test_reports_and_insights_are_cards_and_insights_are_kept(ia, ws):
    report = {"title": "三月", "text": "先看水", "sections": [{"heading": "水", "text": "每天 **一次**"}]}
    done = ia("tool", "call", "show_report", json.dumps(report))
    assert json.loads(done.stdout) == {"card": "report", "props": report, "text": "三月\n先看水\n水\n每天 **一次**"}
    insight = {"title": "浇水", "text": "早上浇比晚上好", "evidence": ["两年的记录"]}
    done = json.loads(ia("tool", "call", "show_insight", json.dumps(insight)).stdout)
    assert done["card"] == "insight"
    assert "早上浇比晚上好" in ws.read(done["saved"]["path"])
    bad = {"title": "x", "sections": [{"heading": 5}]}
    assert ia("tool", "call", "show_report", json.dumps(bad)).returncode == 65
