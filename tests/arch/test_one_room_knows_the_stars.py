"""The kernel is general: of the profile `life`, only the room of its calculations and the profile know the subject."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
HOME = "lib/ia/faculties/life/"
SUBJECT = re.compile(
    r"(?<![a-z])(bazi|zodiac|tarot|mbti|types16|natal|horoscope|ascendant|placidus|tyme4py|ephem|faculties\.life)(?![a-z])"
    r"|八字|四柱|命盘|星盘|塔罗|行运|大运",
    re.I,
)
CATALOGS = (".po", ".mo")
"""Translations stand in one file, of whatever room they are."""


def subject_lines(root: Path) -> list[str]:
    """Return the lines of code and data outside its room that name the subject."""
    found = []
    for top in ("lib/ia", "cli"):
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if name.startswith(HOME) or path.suffix in (".pyc", *CATALOGS) or not path.is_file():
                continue
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [f"{name}:{at}: {line.strip()[:80]}" for at, line in enumerate(lines, 1) if SUBJECT.search(line)]
    return found


def test_no_other_room_names_the_subject():
    assert subject_lines(ROOT) == []


def test_the_room_stands_on_the_kernel_alone():
    files = sorted((ROOT / HOME).rglob("*.py"))
    assert len(files) > 5
    imported = {
        name for file in files for name in re.findall(r"^\s*(?:from|import) (ia\.[\w.]+)", file.read_text(), re.M)
    }
    assert not {name for name in imported if not name.startswith(("ia.kernel", "ia.faculties.life"))}


def test_a_line_that_names_it_is_found(tmp_path):
    for name, text in {
        "lib/ia/agent/x.py": 'TOOLS = ["calculate_bazi"]\n# the Zodiac\n',
        "lib/ia/faculties/life/y.py": "bazi = 1\n",
        "cli/z.py": "anatal = 'prenatal'\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert [line.split(":")[1] for line in subject_lines(tmp_path)] == ["1", "2"]
