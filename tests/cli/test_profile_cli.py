"""`ia init` and `ia profile` as a person types them."""

import shutil

import pytest

from ia.faculties import profiles

TASK = "tasks/weekly-review.md"
TASKS = [
    "tasks/monthly-review.md",
    TASK,
    "tasks/workday-gainers.md",
    "tasks/workday-review.md",
    "tasks/workday-sync.md",
]


def written(name):
    """What taking a profile prints: its files, not its tasks, which it only proposes."""
    return sorted(path for path in profiles.profile_files(profiles.find_profile(name)) if not path.startswith("tasks/"))


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def mine(tmp_path):
    """A profile of somebody else, in a folder."""
    base = tmp_path / "mine"
    files = {
        "soul.md": "# 我\n我是学习助手。\n",
        "config.yaml": "market:\n  adapter: demo\n",
        ".claude/skills/quiz/SKILL.md": "---\ndescription: 出题\nallowed-tools: [notebook.read]\n---\n出题。\n",
        ".claude/providers/x/PROVIDER.md": "---\nname: x\ntools:\n- name: x.y\n  command: [curl, x]\n---\n",
    }
    for name, text in files.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(text, encoding="utf-8")
    return base


def test_init_fills_a_workspace_once(ia, home):
    run = ia("init")
    assert run.stdout.splitlines() == written("invest")
    assert (
        f"{TASK} is a task that needs your approval: view it with `ia pending 2`, approve it with `ia task approve 2`"
        in run.stderr
    )
    assert not (home / TASK).exists()
    assert (home / ".claude/skills/research/SKILL.md").is_file()
    again = ia("init")
    assert (again.returncode, again.stdout) == (0, "")
    assert again.stderr == "hint: all files of profile invest already exist\n"
    (home / "soul.md").write_text("我的灵魂。\n", encoding="utf-8")
    ia("init")
    assert (home / "soul.md").read_text(encoding="utf-8") == "我的灵魂。\n"
    assert [line.split("\t")[3] for line in ia("pending").stdout.splitlines()[1:]] == TASKS, "and no soul"
    for number in "12345":
        assert ia("reject", number).returncode == 0
    assert ia("init").stderr == "hint: all files of profile invest already exist\n"
    assert ia("pending").returncode == 1, "what was dropped is not proposed again"


@pytest.mark.parametrize("name", [profile.name for profile in profiles.list_profiles()])
def test_init_takes_each_shipped_profile(ia, home, name):
    run = ia("init", "--profile", name)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == written(name)
    used = [line.split("\t")[0] for line in ia("profile", "list").stdout.splitlines() if "\ttrue\t" in line]
    assert used == [name]


def test_list_tells_which_is_in_use(ia):
    assert ia("profile", "list").stdout.startswith("name\tin_use\torigin\tabout\n")
    assert "invest\tfalse\tia\tYour personal investment research assistant." in ia("profile", "list").stdout
    assert "invest\tfalse\tia\t你的个人投资研究助手。" in ia("--lang", "zh", "profile", "list").stdout
    ia("init")
    assert "invest\ttrue\tia\t" in ia("profile", "list").stdout


def test_use_of_another_says_what_happens_and_proposes_the_soul(ia, home, mine):
    ia("init")
    run = ia("profile", "use", f"{mine}/", "--yes")
    assert run.returncode == 0, run.stderr
    assert set(run.stdout.splitlines()) == {
        "config.yaml", ".claude/skills/quiz/SKILL.md", ".claude/providers/x/PROVIDER.md",
    }  # fmt: skip
    assert "  propose\tsoul.md\n" in run.stderr
    assert "soul.md changes only when you approve it: `ia approve 6`" in run.stderr
    assert "investment research assistant" in (home / "soul.md").read_text(encoding="utf-8")
    assert ia("approve", "6", "--yes").returncode == 0
    assert "学习助手" in (home / "soul.md").read_text(encoding="utf-8")
    back = ia("profile", "use", "invest", "--replace")
    assert "  remove\t.claude/providers/x/PROVIDER.md\n" in back.stderr
    assert not (home / ".claude/providers/x/PROVIDER.md").exists()
    assert "  提案\tsoul.md\n" in ia("--lang", "zh", "profile", "use", "invest").stderr


def test_what_did_not_come_with_ia_is_shown_and_needs_consent(ia, home, mine):
    for command in (["init", "--profile", str(mine)], ["profile", "use", str(mine)]):
        run = ia(*command, start_new_session=True)
        assert (run.returncode, run.stdout) == (77, "")
        for told in ("我是学习助手。", "allowed-tools: [notebook.read]", "command: [curl, x]", "adapter: demo"):
            assert told in run.stderr
        assert "ia: approval needs a terminal\nhint: or give --yes yourself\n" in run.stderr
        assert not (home / "soul.md").exists()
    assert ia("init", "--profile", str(mine), "--yes").returncode == 0
    assert (home / "soul.md").read_text(encoding="utf-8") == "# 我\n我是学习助手。\n"


def test_install_copies_for_all_workspaces_and_use_still_asks(ia, home, mine):
    run = ia("profile", "install", str(mine), "--name", "study")
    assert (run.returncode, run.stdout) == (0, "study\n")
    assert "command: [curl, x]" in run.stderr
    assert not (home / "soul.md").exists()
    assert "study\tfalse\tinstalled\t我是学习助手。" in ia("profile", "list").stdout
    assert ia("--home", f"{home}2", "init", "--profile", "study", start_new_session=True).returncode == 77
    assert ia("--home", f"{home}2", "init", "--profile", "study", "--yes").returncode == 0


def test_install_from_a_zip(ia, mine, tmp_path):
    archive = shutil.make_archive(str(tmp_path / "study"), "zip", mine)
    run = ia("profile", "install", archive)
    assert (run.returncode, run.stdout) == (0, "study\n"), run.stderr
    assert "study\tfalse\tinstalled" in ia("profile", "list").stdout


def test_control_characters_are_shown_not_obeyed(ia, mine):
    (mine / "soul.md").write_text("我\x1b[2J是。\n", encoding="utf-8")
    run = ia("profile", "install", str(mine))
    assert "\x1b" not in run.stdout + run.stderr
    assert "\\x1b[2J" in run.stderr


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["profile", "use", "nobody"], 66),
        (["profile", "use", "./nobody"], 66),
        (["profile", "install", "./nobody"], 66),
        (["profile", "install", "./mine/.claude/providers"], 65),
        (["profile", "install", "./mine", "--name", "../x"], 65),
        (["profile", "install", "./mine", "--name", "invest"], 77),
        (["init", "--profile", "nobody"], 66),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_failures_are_one_line(ia, mine, args, status):
    run = ia(*args)
    assert (run.returncode, run.stdout) == (status, "")
    assert run.stderr.startswith("ia: ")
    assert len(run.stderr.splitlines()) <= 2
