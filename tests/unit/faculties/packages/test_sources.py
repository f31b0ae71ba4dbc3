"""Sources of packages: a folder, a .zip or a git repository, read without running anything; links, bombs and addresses."""

import os
import shutil
import stat
import zipfile

import pytest

from ia.faculties.packages import sources
from ia.faculties.skills import installing
from ia.kernel import proposals
from ia.kernel.errors import IaError, NotFound, Refused, Unavailable
from support.skill_sources import MINE, archive, folder, git, needs_git, repository


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
def test_an_invalid_git_address_is_refused_in_one_line(ws, tmp_path):
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
def test_an_invalid_source_is_refused(ws, source):
    with pytest.raises(NotFound):
        installing.read(source)


@pytest.mark.parametrize(
    "page",
    ["https://github.com/o/r/tree/main/skills/scan", "https://github.com/o/r/blob/main/skills/scan/SKILL.md",
     "https://gitlab.com/o/r/-/tree/main/scan/"],
)  # fmt: skip
def test_a_web_page_of_a_repository_is_refused(page):
    with pytest.raises(NotFound) as caught:
        installing.read(page)
    assert caught.value.params["repository"] == page.split("/o/r")[0] + "/o/r"
    assert caught.value.params["name"] == "scan"


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
    assert proposals.pending_proposals(ws) == []


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


def test_an_address_is_shown_without_its_password():
    assert sources.hide_password("https://u:p@host/x") == "https://***@host/x"
    assert sources.is_remote("git@host:x/y.git")
    assert not sources.is_remote("a/b")
