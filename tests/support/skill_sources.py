"""Where a skill is installed from: a folder, an archive, a git repository."""

import shutil
import subprocess
import zipfile

import pytest

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
