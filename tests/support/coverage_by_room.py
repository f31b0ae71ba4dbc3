"""Print the branch coverage of each room, worst first, from the data that `make cov` has gathered."""

import collections
import json
import tempfile
from pathlib import PurePath

import coverage

FIGURES = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def room_of(file: str) -> str:
    """Return the room of a module: lib/ia/FLOOR/ROOM, a floor for the files in it, or a folder of cli/ia_cli."""
    parts = PurePath(file).parts
    package = max(parts.index(name) for name in ("ia", "ia_cli") if name in parts)
    return "/".join(parts[package:-1][:3])


def count_by_room(files: dict[str, dict[str, dict[str, int]]]) -> dict[str, collections.Counter[str]]:
    """Return the sums of coverage's figures of the files of each room."""
    rooms: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for file, figures in files.items():
        rooms[room_of(file)].update({name: figures["summary"][name] for name in FIGURES})
    return rooms


def share(figures: collections.Counter[str], done: str, all_of_them: str) -> float:
    """Return a share in per cent; 100 where there is nothing to cover."""
    return 100 * figures[done] / figures[all_of_them] if figures[all_of_them] else 100.0


def main() -> None:
    measured = coverage.Coverage()
    measured.load()
    measured.combine()  # with what ended after the tests did
    measured.save()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        measured.json_report(outfile=report.name)
        rooms = count_by_room(json.load(report)["files"])
    whole: collections.Counter[str] = collections.Counter()
    for figures in rooms.values():
        whole.update(figures)
    print(f"{'room':<32}{'statements':>12}{'covered':>9}{'branches':>10}{'covered':>9}")
    worst_first = sorted(rooms.items(), key=lambda item: share(item[1], "covered_branches", "num_branches"))
    for room, figures in [*worst_first, ("total", whole)]:
        lines, branches = figures["num_statements"], figures["num_branches"]
        covered = share(figures, "covered_lines", "num_statements")
        print(
            f"{room:<32}{lines:>12}{covered:>8.1f}%{branches:>10}{share(figures, 'covered_branches', 'num_branches'):>8.1f}%"
        )


if __name__ == "__main__":
    main()
