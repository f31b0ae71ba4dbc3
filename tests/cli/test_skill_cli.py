"""`ia skill` at the command line, and what a person sees before a skill is installed."""

import json
import zipfile

import pytest


@pytest.fixture
def mine(tmp_path):
    def write(version="1.0", body="看 $ARGUMENTS", **more):
        base = tmp_path / "mine"
        base.mkdir(exist_ok=True)
        (base / "SKILL.md").write_text(
            f"---\nname: mine\ndescription: 看量价\ndescription_en: Look at volume\nversion: {version}\n"
            f"allowed-tools: [market.ohlcv, notebook.*, tasks.propose, Bash]\n---\n{body}\n"
        )
        for name, text in more.items():
            (base / f"{name}.md").write_text(text)
        return "mine"

    return write


def test_from_a_folder_to_a_skill_that_runs(ia, mine, tmp_path):
    assert ia("skill", "list").returncode == 1
    made = ia("skill", "install", mine(), "--because", "试试")
    assert (made.returncode, made.stdout) == (0, "1\n")
    assert "changes only when you approve it: `ia approve 1`" in made.stderr
    assert ia("skill", "list").returncode == 1

    seen = ia("pending", "1").stdout
    head, diff = seen.split("\n\n", 1)
    assert head.splitlines() == [
        "proposed by user: from mine",
        "because: 试试",
        "mine 1.0",
        "  Look at volume",
        "tools:",
        "  confirm\ttasks.propose",
        "  write\tnotebook.*",
        "  read\tmarket.ohlcv",
        "  not available here\tBash",
        "files:",
        f"  new\t{len(diff_text(diff).encode())}\tSKILL.md",
    ]
    assert diff_text(diff) == (tmp_path / "mine" / "SKILL.md").read_text()

    refused = ia("approve", "1")
    assert refused.returncode == 77
    approved = ia("approve", "1", "--yes")
    assert (approved.returncode, approved.stdout) == (0, ".claude/skills/mine\n")
    assert "notebook.*" in approved.stderr
    rows = ia("skill", "list").stdout.splitlines()
    assert rows[1].split("\t")[:4] == ["mine", "1.0", "enabled", "Look at volume"]
    assert ia("skill", "run", "--print", "mine", "600519", "近期").stdout == "看 600519 近期\n"
    assert ia("skill", "show", "mine").stdout.startswith("---\nname: mine\n")
    again = ia("skill", "install", "mine")
    assert again.returncode == 65
    ia("note", "scratch/a", "a note")
    index = ia("memory", "read", "MEMORY").stdout
    assert "scratch/a" in index
    assert "SKILL" not in index
    assert ia("memory", "read", ".claude/skills/mine/SKILL.md").returncode == 77


def diff_text(diff):
    return "".join(line[1:] + "\n" for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++"))


def test_a_new_version_shows_what_differs(ia, mine):
    ia("skill", "install", mine(extra="old"))
    ia("approve", "1", "--yes")
    mine("2.0")
    ia("skill", "install", "mine")
    told = json.loads(ia("pending", "2", "--json").stdout)
    assert (told["skill"]["installed"], told["skill"]["version"]) == ("1.0", "2.0")
    assert [(each["path"], each["state"]) for each in told["files"]] == [("SKILL.md", "changed"), ("extra.md", "same")]
    assert "-version: 1.0\n+version: 2.0\n" in told["diff"]
    assert "\nmine 1.0 → 2.0\n" in ia("pending", "2").stdout
    assert ia("reject", "2").returncode == 0
    assert ia("skill", "list", "--json").stdout.count('"version": "1.0"') == 1


def test_disabling_enabling_and_removing(ia, mine, home):
    ia("skill", "install", mine())
    ia("approve", "1", "--yes")
    assert ia("skill", "disable", "mine").returncode == 0
    assert "is disabled" in ia("skill", "disable", "mine").stderr
    assert ia("skill", "list").stdout.splitlines()[1].split("\t")[2] == "disabled"
    run = ia("skill", "run", "--print", "mine")
    assert (run.returncode, run.stdout) == (77, "")
    assert "`ia skill enable mine`" in run.stderr
    assert ia("skill", "enable", "mine").returncode == 0
    assert ia("skill", "run", "--print", "mine").returncode == 0
    removed = ia("skill", "remove", "mine")
    assert removed.stdout == ".claude/skills/mine/SKILL.md\n"
    assert not (home / ".claude/skills/mine").exists()
    assert ia("skill", "remove", "mine").returncode == 66
    assert ia("memory", "undo", ".claude/skills/mine/SKILL.md").returncode == 0
    assert ia("skill", "run", "--print", "mine", "x").stdout == "看 x\n"


def test_a_broken_one_says_what_is_wrong_in_the_users_language(ia, home):
    for name, text in (("good", "说明"), ("bad", "---\ndescription: [\n---\n"), ("worse", "---\ncontext: x\n---\n")):
        folder = home / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text)
    rows = {row["name"]: row for row in json.loads(ia("skill", "list", "--json").stdout)}
    assert (rows["good"]["state"], rows["bad"]["state"]) == ("enabled", "broken")
    assert rows["bad"]["problem"].startswith("SKILL.md:")
    chinese = {row["name"]: row for row in json.loads(ia("--lang", "zh", "skill", "list", "--json").stdout)}
    assert chinese["worse"]["problem"] == "SKILL.md：context 只能是 fork 或 inline"
    assert ia("skill", "run", "--print", "bad").returncode == 65
    assert ia("skill", "show", "bad").stdout == "---\ndescription: [\n---\n"
    assert "did you mean good?" in ia("skill", "show", "goood").stderr


def test_show_json_counts_what_it_knows(ia, home):
    folder = home / ".claude" / "skills" / "a" / "knowledge"
    folder.mkdir(parents=True)
    (folder.parent / "SKILL.md").write_text("说明")
    (folder / "rules.yaml").write_text("rules: {tier1_must_know: [{id: A}, {id: A}, x], tier3_edge: [{id: B}]}")
    told = json.loads(ia("skill", "show", "a", "--json").stdout)
    assert told["knowledge"]["rules"] == {"tier1": 1, "tier2": 0, "tier3": 1}
    assert len(told["knowledge"]["problems"]) == 2
    assert [each["path"] for each in told["files"]] == ["SKILL.md", "knowledge/rules.yaml"]
    assert told["declared"] is None


def test_control_characters_are_shown_and_not_obeyed(ia, mine):
    assert ia("skill", "install", mine(body="quiet\u202eright\u200b")).returncode == 65
    ia("skill", "install", mine(body="quiet\x1b]0;owned\x07"))
    ia("soul", "propose", "quiet\u202eright\u200b")
    shown = ia("approve", "1").stderr + ia("approve", "2").stderr
    assert not {"\x1b", "\x07", "\u202e", "\u200b"} & set(shown)
    assert "quiet⟦U+001B⟧]0;owned⟦U+0007⟧" in shown
    assert "quiet⟦U+202E⟧right⟦U+200B⟧" in shown


def test_several_skills_in_a_zip(ia, tmp_path):
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as packed:
        for name in ("one", "two"):
            packed.writestr(f"pack/{name}/SKILL.md", f"---\nname: {name}\ndescription: x\n---\nbody")
    run = ia("skill", "install", "pack.zip")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "ia: the source contains several skills: one, two\nhint: choose one with --name NAME\n"
    assert ia("skill", "install", "pack.zip", "--name", "two").stdout == "1\n"
    assert ia("pending", "--json").stdout.count(".claude/skills/two") == 1
    assert ia("skill", "install", "no-such").returncode == 66


def test_what_is_to_be_trusted_is_shown_whole(ia, home):
    from ia.kernel import proposals
    from ia.kernel.workspace import Workspace

    ws = Workspace(str(home))
    ws.write("notebook/a.md", "---\nuntrusted: stdin\n---\nall of it\nmay be read\n")
    proposals.propose(ws, "trust", "notebook/a.md", "all of it\nmay be read\n")
    ws.write("notebook/a.md", "---\nuntrusted: stdin\n---\nedited since\n")
    ws.close()
    shown = ia("approve", "1", "--yes")
    assert shown.returncode == 0
    assert "edited since" in shown.stderr
    assert "-untrusted: stdin" in shown.stderr
    assert (home / "notebook/a.md").read_text() == "edited since\n"


def test_run_is_a_turn(ia, mine):
    ia("skill", "install", mine())
    ia("approve", "1", "--yes")
    run = ia("skill", "run", "mine", "600519", env={"IA_MARKET_ADAPTER": "demo"})
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
    assert "turn.begin" in ia("log").stdout
    more = ia("skill", "run", "mine", "600519", "-s", "s1", "--json", env={"IA_MARKET_ADAPTER": "demo"})
    assert json.loads(more.stdout)["session"] == "s1"


def test_run_passes_words_as_words(ia):
    """`ia skill run scan` is `ia turn /scan`, not a turn of its letters."""
    env = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:00+08:00", "IA_LANG": "en"}
    assert ia("init", env=env).returncode == 0
    ran = ia("skill", "run", "-m", "ia-offline", "scan", env=env)
    assert ran.returncode == 0 and "watch list is empty" in ran.stdout
