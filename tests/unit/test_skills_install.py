"""Installing a skill: from a folder, a .zip or a git repository, always as a proposal, never by running anything."""

import os
import shutil
import stat
import subprocess
import zipfile

import pytest

from ia.faculties import skills
from ia.faculties.packages import sources
from ia.faculties.skills import installing
from ia.kernel import proposals
from ia.kernel.errors import BadData, IaError, NotFound, Refused, Unavailable, UsageError

MINE = {
    "SKILL.md": "---\nname: mine\ndescription: x\nversion: 1.0\nallowed-tools: [market.ohlcv]\n---\nbody\n",
    "knowledge/rules.yaml": "rules: {tier2_core: [{id: R, condition: 'close > 0', conclusion: 上}]}\n",
    "scripts/run.sh": "#!/bin/sh\ntouch /tmp/ran\n",
}


def folder(base, files=MINE, name="mine"):
    for path, text in files.items():
        file = base / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(base / name)


def archive(path, files=MINE, prefix="mine/"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in files.items():
            zipped.writestr(prefix + name, text)
    return str(path)


def git(*words, cwd):
    names = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *names, *words], cwd=cwd, check=True, capture_output=True)


def repository(base, files=MINE, prefix="skills/mine"):
    place = base / "repo"
    folder(place, files, prefix)
    git("init", "-q", cwd=place)
    git("add", "-A", cwd=place)
    git("commit", "-q", "-m", "x", cwd=place)
    return place


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def test_a_folder_becomes_a_proposal_and_only_approval_writes(ws, tmp_path):
    made = installing.propose(ws, folder(tmp_path), because="why")
    assert (made.kind, made.path, made.before) == ("skill", ".claude/skills/mine", None)
    assert proposals.files_of(made.after) == MINE
    assert skills.listed(ws) == []
    assert not os.path.exists(os.path.join(ws.root, ".claude"))
    proposals.approve(ws, made.id, by="test")
    (skill,) = skills.listed(ws)
    assert (skill.name, skill.version, skill.allowed, skill.problem) == ("mine", "1.0", ("market.ohlcv",), None)
    assert [path for path, _ in skills.files(ws, skill)] == sorted(MINE)
    assert not os.access(os.path.join(ws.root, skill.path, "scripts/run.sh"), os.X_OK)
    assert ws.history(".claude/skills/mine/SKILL.md")


def test_the_same_is_not_proposed_twice_and_not_where_it_is_installed(ws, tmp_path):
    source = folder(tmp_path)
    made = installing.propose(ws, source)
    assert installing.propose(ws, source).id == made.id
    assert proposals.same_pending(ws, "skill", made.path, MINE) == made.id
    proposals.approve(ws, made.id, by="test")
    with pytest.raises(BadData, match="changes nothing"):
        installing.propose(ws, source)


def test_a_new_version_replaces_the_folder_but_what_was_added_since_stays(ws, tmp_path):
    proposals.approve(ws, installing.propose(ws, folder(tmp_path)).id, by="test")
    newer = {"SKILL.md": MINE["SKILL.md"].replace("1.0", "2.0"), "more.md": "m"}
    made = installing.propose(ws, folder(tmp_path / "new", newer))
    ws.write(".claude/skills/mine/notes.md", "own")
    before, after = proposals.outcome(ws, made)
    diff = proposals.difference(before, after, made.path, made.kind)
    assert "-version: 1.0\n+version: 2.0" in diff
    assert "+++ b/.claude/skills/mine/more.md" in diff
    assert installing.described(before, made.path).version == "1.0"
    proposals.approve(ws, made.id, by="test")
    found = dict(skills.files(ws, skills.find(ws, "mine")))
    assert found.keys() == {"SKILL.md", "more.md", "notes.md"}
    assert skills.find(ws, "mine").version == "2.0"


def test_what_changed_since_is_not_overwritten(ws, tmp_path):
    proposals.approve(ws, installing.propose(ws, folder(tmp_path)).id, by="test")
    newer = {**MINE, "SKILL.md": MINE["SKILL.md"].replace("1.0", "2.0")}
    made = installing.propose(ws, folder(tmp_path / "new", newer))
    ws.write(".claude/skills/mine/SKILL.md", "mine now")
    with pytest.raises(Refused, match="out of date"):
        proposals.approve(ws, made.id, by="test")
    assert ws.read(".claude/skills/mine/SKILL.md") == "mine now"


def test_an_approval_that_was_interrupted_can_be_given_again(ws, tmp_path):
    made = installing.propose(ws, folder(tmp_path))
    ws.write(".claude/skills/mine/SKILL.md", MINE["SKILL.md"])  # the process died after this one
    proposals.approve(ws, made.id, by="test")
    assert len(skills.files(ws, skills.find(ws, "mine"))) == 3


def test_a_rejected_one_leaves_nothing(ws, tmp_path):
    made = installing.propose(ws, folder(tmp_path))
    proposals.reject(ws, made.id, by="test")
    assert skills.listed(ws) == []
    with pytest.raises(Refused):
        proposals.approve(ws, made.id, by="test")


def test_a_zip_is_read_without_being_unpacked(ws, tmp_path):
    made = installing.propose(ws, archive(tmp_path / "mine-1.0.zip"))
    assert proposals.files_of(made.after) == MINE
    top = archive(tmp_path / "看量.zip", {"SKILL.md": "先看量"}, "")
    assert installing.read(top).skill.name == "看量"


@needs_git
@pytest.mark.parametrize("form", ["{place}/.git", "file://{place}", "{place}"])
def test_a_git_repository_is_read_without_being_checked_out(ws, tmp_path, form, monkeypatch):
    files = {**MINE, ".gitattributes": "* filter=evil\n"}
    place = repository(tmp_path, files)
    (tmp_path / "hook").mkdir()
    (tmp_path / ".gitconfig").write_text(
        f'[core]\n\thooksPath = {tmp_path}/hook\n[filter "evil"]\n\tsmudge = touch {tmp_path}/ran\n'
    )
    for hook in ("post-checkout", "reference-transaction"):
        (tmp_path / "hook" / hook).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (tmp_path / "hook" / hook).chmod(0o755)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    made = installing.propose(ws, form.format(place=place))
    assert proposals.files_of(made.after) == MINE
    assert not (tmp_path / "ran").exists()


@pytest.mark.process
@needs_git
def test_of_git_links_and_submodules_are_not_followed(ws, tmp_path):
    place = repository(tmp_path)
    (place / "skills/mine/link.md").symlink_to("/etc/passwd")
    git("add", "-A", cwd=place)
    git("commit", "-q", "-m", "link", cwd=place)
    with pytest.raises(Refused, match="link"):
        installing.read(f"file://{place}")
    git("rm", "-q", "skills/mine/link.md", cwd=place)
    other = tmp_path / "other"
    shutil.copytree(place, other)
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "skills/mine/sub", cwd=place)
    git("commit", "-q", "-m", "submodule", cwd=place)
    assert installing.read(f"file://{place}").files.keys() == MINE.keys()


@needs_git
def test_a_git_address_that_is_none_is_one_line(ws, tmp_path):
    (tmp_path / "empty").mkdir()
    git("init", "-q", cwd=tmp_path / "empty")
    with pytest.raises(NotFound, match="empty"):
        installing.read(f"file://{tmp_path}/empty")
    with pytest.raises(Unavailable) as caught:
        installing.read("https://user:secret@127.0.0.1:1/x.git")
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(Unavailable):
        installing.read(f"file://{tmp_path}/nothing")


@pytest.mark.parametrize(
    "source",
    ["ext::sh -c 'touch /tmp/x'", "git://host/x", "http://host/x", "ftp://host/x", "fd::17", "HTTP://host/x"],
)
def test_only_three_protocols(ws, source):
    with pytest.raises(Refused, match="https, ssh and file"):
        installing.read(source)


@pytest.mark.parametrize("source", ["--upload-pack=touch /tmp/x", "", " ", "/no/such/folder", "a\0b", "-"])
def test_a_source_that_is_none(ws, source):
    with pytest.raises(NotFound):
        installing.read(source)


@pytest.mark.parametrize(
    "page",
    ["https://github.com/o/r/tree/main/skills/scan", "https://github.com/o/r/blob/main/skills/scan/SKILL.md",
     "https://gitlab.com/o/r/-/tree/main/scan/"],
)  # fmt: skip
def test_a_page_of_a_repository_is_told_from_its_address(page):
    with pytest.raises(NotFound) as caught:
        installing.read(page)
    assert caught.value.params["repository"] == page.split("/o/r")[0] + "/o/r"
    assert caught.value.params["name"] == "scan"


def test_of_several_one_is_named(ws, tmp_path):
    folder(tmp_path, name="many/skills/one", files={"SKILL.md": "---\nname: uno\ndescription: x\n---\n"})
    folder(tmp_path, name="many/.claude/skills/two", files={"SKILL.md": "two", "sub/SKILL.md": "a template"})
    folder(tmp_path, name="many/three", files={"SKILL.md": "---\n: ["})
    source = str(tmp_path / "many")
    with pytest.raises(UsageError) as caught:
        installing.read(source)
    assert caught.value.params["known"] == "three, two, uno"
    assert installing.read(source, "uno").files.keys() == {"SKILL.md"}
    assert installing.read(source, "/two").files.keys() == {"SKILL.md", "sub/SKILL.md"}
    with pytest.raises(BadData):
        installing.read(source, "three")
    with pytest.raises(NotFound, match="four"):
        installing.read(source, "four")
    with pytest.raises(NotFound, match="no SKILL"):
        installing.read(folder(tmp_path, {"a.md": "x"}, "none"))


def test_what_is_no_skill_is_refused(ws, tmp_path):
    cases = {
        "binary": ({**MINE, "logo.png": b"\x89PNG\0\xff"}, "logo.png is no text"),
        "nul": ({**MINE, "a.txt": b"a\0b"}, "a.txt is no text"),
        "many": ({**MINE, **{f"f{n}.md": "x" for n in range(250)}}, "many: more than 200 files"),
        "large": ({**MINE, "big.md": "x" * 2_100_000}, "large: larger than 2000000 bytes"),
        "together": ({**MINE, **{f"f{n}.md": "x" * 300_000 for n in range(8)}}, "together: larger than 2000000 bytes"),
        "broken": ({"SKILL.md": "---\ndescription: [\n---\n"}, "SKILL.md:"),
    }
    for name, (files, why) in cases.items():
        with pytest.raises((Refused, BadData), match=why):
            installing.read(folder(tmp_path, files, name))
    hidden = {**MINE, ".env": "TOKEN=x", ".git/config": "x", "sub/.secret": "x", "__pycache__/x.pyc": b"\0"}
    assert installing.read(folder(tmp_path, hidden, "hidden")).files == MINE
    assert proposals.pending(ws) == []


def test_links_in_a_folder_are_refused(ws, tmp_path):
    source = folder(tmp_path)
    (tmp_path / "mine" / "x.md").symlink_to("/etc/passwd")
    with pytest.raises(Refused, match="link"):
        installing.read(source)


def test_a_fifo_is_not_waited_for(ws, tmp_path):
    source = folder(tmp_path)
    os.mkfifo(tmp_path / "mine" / "pipe.md")
    with pytest.raises(Refused):
        installing.read(source)


def _linked():
    info = zipfile.ZipInfo("mine/link.md")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    "name",
    ["../out.md", "/etc/out.md", "mine/../../out.md", "C:\\out.md", "mine\\..\\..\\out.md", "mine/a\\..\\b.md"],
)
def test_a_zip_that_climbs_out_is_refused(ws, tmp_path, name):
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("mine/SKILL.md", MINE["SKILL.md"])
        zipped.writestr(name, "x")
    with pytest.raises(Refused):
        installing.propose(ws, str(path))
    assert proposals.pending(ws) == []


@pytest.mark.process
def test_a_zip_with_a_link_a_bomb_or_damage_is_refused(ws, tmp_path):
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as zipped:
        zipped.writestr("mine/SKILL.md", MINE["SKILL.md"])
        zipped.writestr(_linked(), "/etc/passwd")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("mine/SKILL.md", MINE["SKILL.md"])
        zipped.writestr("mine/bomb.md", "0" * 500_000_000)
    with zipfile.ZipFile(tmp_path / "lzma.zip", "w", zipfile.ZIP_LZMA) as zipped:
        zipped.writestr("mine/SKILL.md", MINE["SKILL.md"])
    lying = bytearray((tmp_path / "bomb.zip").read_bytes())
    size = (500_000_000).to_bytes(4, "little")
    while size in lying:
        at = lying.index(size)
        lying[at : at + 4] = (10).to_bytes(4, "little")
    (tmp_path / "lying.zip").write_bytes(lying)
    archive(tmp_path / "good.zip")
    damaged = bytearray((tmp_path / "good.zip").read_bytes())
    damaged[60] ^= 0xFF
    (tmp_path / "damaged.zip").write_bytes(damaged)
    (tmp_path / "text.zip").write_text("no zip")
    for name in ("link", "bomb", "lzma", "lying", "damaged", "text"):
        with pytest.raises(IaError) as caught:
            installing.read(str(tmp_path / f"{name}.zip"))
        assert caught.value.status in (65, 77), name


def test_old_zips_name_files_in_gbk(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as zipped:
        zipped.writestr("mine/SKILL.md", MINE["SKILL.md"])
        zipped.writestr("mine/abcd.md", "x")
    raw = (tmp_path / "x.zip").read_bytes().replace(b"abcd", "量价".encode("gbk"))
    (tmp_path / "x.zip").write_bytes(raw)
    assert "量价.md" in installing.read(str(tmp_path / "x.zip")).files


def test_a_folder_is_proposed_where_its_kind_belongs_and_nowhere_else(ws):
    for place in (
        "memory",
        ".claude/skills",
        ".claude/skills/a/b",
        ".claude/providers/x",
        ".claude/skills/..",
        "soul.md",
    ):
        with pytest.raises(Refused):
            proposals.propose_folder(ws, "skill", place, {"SKILL.md": "x"}, because="", origin="", actor="x")
    for file in ("../x.md", "/x.md", ".hidden", "a/../b.md", "a\nb.md"):
        with pytest.raises(Refused):
            proposals.propose_folder(ws, "skill", ".claude/skills/a", {file: "x"}, because="", origin="", actor="x")
    with pytest.raises(BadData):
        proposals.propose(ws, "skill", ".claude/skills/a", "x")


def test_trust_is_about_the_file_as_it_is_when_it_is_accepted(ws):
    path = "notebook/a.md"
    ws.write(path, "---\nuntrusted: stdin\n---\nold\n")
    made = proposals.propose(ws, "trust", path, "old\n")
    ws.write(path, "---\nuntrusted: stdin, web\n---\nnew\n")
    assert proposals.outcome(ws, made) == ("---\nuntrusted: stdin, web\n---\nnew\n", "new\n")
    proposals.approve(ws, made.id, by="test")
    assert ws.read(path) == "new\n"
    gone = proposals.propose(ws, "trust", path, "x\n")
    ws.remove(path)
    with pytest.raises(NotFound):
        proposals.approve(ws, gone.id, by="test")


def test_removing_and_switching(ws, home, tmp_path):
    proposals.approve(ws, installing.propose(ws, folder(tmp_path)).id, by="test")
    assert installing.switch(ws, "mine", on=False)
    assert not installing.switch(ws, "mine", on=False)
    assert not skills.find(ws, "mine").enabled
    assert "skills:\n  disabled: mine" in (home / "config.yaml").read_text()
    assert installing.switch(ws, "/mine", on=True)
    assert skills.find(ws, "mine").enabled
    installing.switch(ws, "mine", on=False)
    assert installing.remove(ws, "mine") == [f".claude/skills/mine/{path}" for path in sorted(MINE)]
    assert not (home / ".claude/skills/mine").exists()
    assert installing.switch(ws, "mine", on=True)  # gone, but its name was still off
    with pytest.raises(NotFound):
        installing.switch(ws, "mine", on=False)
    ws.undo(".claude/skills/mine/SKILL.md")
    assert skills.find(ws, "mine").problem is None


def test_an_address_is_shown_without_its_password():
    assert sources.hide_password("https://u:p@host/x") == "https://***@host/x"
    assert sources.is_remote("git@host:x/y.git")
    assert not sources.is_remote("a/b")
