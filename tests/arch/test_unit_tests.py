"""tests/unit mirrors lib/ia: a test of FLOOR/ROOM/file.py is in tests/unit/FLOOR/ROOM/test_file.py."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
UNIT, HOUSE = ROOT / "tests" / "unit", ROOT / "lib" / "ia"
DATA = {
    "profiles": "the profiles are data of the package, ia/profiles, and lie at the top of the repository",
}
"""Folders of tests/unit without a folder in lib/ia, and why."""


def module_names(folder):
    """Return what a test in the mirror of this folder of lib/ia may be named after: its modules, or itself as a whole."""
    files = [file for file in folder.rglob("*.py") if file.name != "__init__.py"]
    return {folder.name, *(file.stem for file in files), *(file.parent.name for file in files)}


def is_named_after(test, names):
    """Return whether a test file is test_NAME.py or, about one side of it, test_NAME_side.py."""
    name = test.stem.removeprefix("test_")
    return any(name == known or name.startswith(f"{known}_") for known in names)


def test_each_file_is_in_the_room_that_it_tests_and_has_the_name_of_a_module():
    misplaced = []
    for test in sorted(UNIT.rglob("*.py")):
        if test.name == "conftest.py":
            continue
        place = test.parent.relative_to(UNIT)
        if place.parts and place.parts[0] in DATA:
            names = {folder.name for folder in (ROOT / place.parts[0]).iterdir()}
        elif place.parts and (HOUSE / place).is_dir():
            names = module_names(HOUSE / place)
        else:
            names = set()
        if not test.name.startswith("test_") or not is_named_after(test, names):
            misplaced.append(str(test.relative_to(ROOT)))
    assert misplaced == []


def test_each_room_has_tests():
    rooms = [package.parent for package in HOUSE.glob("*/*/__init__.py")]
    assert rooms
    assert [
        str(room.relative_to(HOUSE)) for room in rooms if not any((UNIT / room.relative_to(HOUSE)).rglob("test_*.py"))
    ] == []
