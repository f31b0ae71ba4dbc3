"""How well and how quickly recall finds: recall@10 on public question sets, and times over 5,000 and 100,000 notes.

python tests/bench/bench_recall.py [quality|speed] [--notes N]
"""

import argparse
import gzip
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ia.kernel.workspace import Workspace
from ia.organs.recall import index
from ia.organs.recall.search import find_hits, recall_notes
from ia.organs.recall.terms import parse_query

SHARED = Path(os.environ.get("IA_SHARED_DATA") or Path(__file__).parents[3] / "shared" / "data") / "memory"
FLOORS = {"fintruthqa_zh": 0.66, "cmrc2018_zh": 0.99, "locomo": 0.54}
Row = dict[str, Any]


def rows(dataset: str, file: str) -> list[Row]:
    with gzip.open(SHARED / dataset / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def workspaces(dataset: str, folder: Path) -> Iterator[tuple[Workspace, list[Row]]]:
    """Yield a workspace with one note a document, and its questions; LoCoMo has a workspace a conversation."""
    documents, queries = rows(dataset, "docs"), rows(dataset, "queries")
    for conversation in sorted({row.get("conv", dataset) for row in documents}):
        root = folder / conversation
        notes = root / "notebook" / "research"
        notes.mkdir(parents=True)
        (root / ".ia").mkdir(exist_ok=True)  # a workspace that is used: its index is kept
        for row in documents:
            if row.get("conv", dataset) == conversation:
                title = f"# {row['title']}\n\n" if row.get("title") else ""
                (notes / f"{row['id'].replace(':', '_')}.md").write_text(f"{title}{row['text']}\n", encoding="utf-8")
        yield Workspace(str(root)), [row for row in queries if row.get("conv", dataset) == conversation]


def recall_at_10(ws: Workspace, queries: list[Row]) -> list[float]:
    """Return for each question the share of its relevant notes among the first ten."""
    shares = []
    for query in queries:
        relevant = {name.replace(":", "_") for name in query.get("relevant") or query.get("evidence") or ()}
        if relevant:
            hits = recall_notes(ws, query["question"], limit=10)
            shares.append(len(relevant & {Path(hit.source).stem for hit in hits}) / len(relevant))
    return shares


def journals(folder: Path) -> Iterator[tuple[Workspace, list[Row], dict[str, str], dict[str, str]]]:
    """Yield LoCoMo with one journal a session: workspace, questions, and the file and the text of each turn."""
    documents, queries = rows("locomo", "docs"), rows("locomo", "queries")
    for conversation in sorted({row["conv"] for row in documents}):
        root = folder / conversation
        (root / "memory" / "journal").mkdir(parents=True)
        (root / ".ia").mkdir()
        files: dict[str, str] = {}
        texts: dict[str, str] = {}
        entries: dict[str, list[str]] = {}
        for row in documents:
            if row["conv"] == conversation:
                session = int(row["session"])
                path = f"memory/journal/2023-{1 + session // 28:02d}-{1 + session % 28:02d}.md"
                files[row["id"]], texts[row["id"]] = path, " ".join(row["text"].split())
                told = entries.setdefault(path, [])
                told.append(f"[13:{len(told) % 60:02d}] {row['speaker']}: {texts[row['id']]}\n")
        for path, lines in entries.items():
            (root / path).write_text("".join(lines), encoding="utf-8")
        yield Workspace(str(root)), [row for row in queries if row["conv"] == conversation], files, texts


def find_turns(folder: Path) -> tuple[float, float, int]:
    """Return the share of journals among the first ten hits, that of turns that the hits show, and the questions."""
    found: list[tuple[float, float]] = []
    for ws, queries, files, texts in journals(folder):
        for query in queries:
            if evidence := [turn for turn in query.get("evidence") or () if turn in texts]:
                hits = recall_notes(ws, query["question"], limit=10)
                needed = {files[turn] for turn in evidence}
                shown = sum(any(texts[turn] in hit.content for hit in hits) for turn in evidence)
                found.append((len(needed & {hit.source for hit in hits}) / len(needed), shown / len(evidence)))
        ws.close()
    return statistics.fmean(each[0] for each in found), statistics.fmean(each[1] for each in found), len(found)


def make_vocabulary(chance: random.Random) -> tuple[list[str], list[str], list[float]]:
    """Return 20,000 Chinese words, 10,000 English ones, and how often each occurs, summed up (Zipf)."""
    characters = [chr(code) for code in range(0x4E00, 0x4E00 + 2500)]
    chinese = ["".join(chance.choices(characters, k=chance.choice((2, 2, 2, 3, 4)))) for _ in range(20_000)]
    english = ["".join(chance.choices("aeioulnrstdmcpk", k=chance.randint(3, 9))) for _ in range(10_000)]
    return chinese, english, list(itertools.accumulate(1 / (rank + 10) for rank in range(20_000)))


def generate(root: Path, notes: int, seed: int = 1) -> list[str]:
    """Write notes of about 1 kB, Chinese and English, words distributed as words are (Zipf); return queries for them."""
    chance = random.Random(seed)
    chinese, english, weights = make_vocabulary(chance)
    for number in range(notes):
        if number % 200 == 0:
            folder = root / "notebook" / "research" / f"topic{number // 200:04d}"
            folder.mkdir(parents=True, exist_ok=True)
        parts: list[str] = [f"# note {number}\n\n"]
        size = 0
        while size < 1000:
            if chance.random() < 0.7:
                part = "".join(chance.choices(chinese, cum_weights=weights, k=8)) + "。"
            else:
                part = " ".join(chance.choices(english, cum_weights=weights[:10_000], k=10)) + ".\n"
            parts.append(part)
            size += len(part.encode())
        (folder / f"{number:06d}.md").write_text("".join(parts), encoding="utf-8")
    short = [chinese[int(20_000 * chance.random() ** 2)] for _ in range(40)]
    pairs = [" ".join(chance.choices(chinese, cum_weights=weights, k=2)) for _ in range(20)]
    words = [english[int(10_000 * chance.random() ** 2)] for _ in range(40)]
    questions = ["".join(chance.choices(chinese, cum_weights=weights, k=7)) + "？" for _ in range(60)]
    asked = [" ".join(chance.choices(english, cum_weights=weights[:10_000], k=9)) for _ in range(40)]
    return [*short, *pairs, *words, *questions, *asked]


def quality() -> None:
    print(f"{'recall@10':<28}{'measured':>10}{'floor':>8}{'questions':>11}")
    for dataset, floor in FLOORS.items():
        if not (SHARED / dataset).is_dir():
            print(f"{dataset:<28}{'skipped: ' + str(SHARED / dataset) + ' is not there'}")
            continue
        with tempfile.TemporaryDirectory(prefix="ia-bench-") as folder:
            shares = [share for ws, queries in workspaces(dataset, Path(folder)) for share in recall_at_10(ws, queries)]
        print(f"{dataset:<28}{statistics.fmean(shares):>10.4f}{floor:>8.2f}{len(shares):>11}")
    if (SHARED / "locomo").is_dir():
        with tempfile.TemporaryDirectory(prefix="ia-bench-") as folder:
            journal, turn, count = find_turns(Path(folder))
        print(f"{'locomo, a session a journal':<28}{journal:>10.4f}{0.92:>8.2f}{count:>11}")
        print(f"{'  its turns that hits show':<28}{turn:>10.4f}{0.48:>8.2f}{count:>11}")


def speed(notes: int, rounds: int = 9) -> None:
    with tempfile.TemporaryDirectory(prefix="ia-bench-") as folder:
        queries = generate(Path(folder), notes)
        os.makedirs(os.path.join(folder, ".ia"), exist_ok=True)
        ws = Workspace(folder)
        began = time.perf_counter()
        index.open_index(ws).close()
        built = time.perf_counter() - began
        time.sleep(4)  # until the files have settled
        conn = index.open_index(ws)
        times = []
        for query in queries:
            began = time.perf_counter()
            find_hits(conn, parse_query(query), 10)
            times.append(1000 * (time.perf_counter() - began))
        conn.close()
        ws.close()
        times.sort()
        env = {**os.environ, "IA_HOME": folder}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        floor: list[float] = []
        whole: list[float] = []
        commands = (
            ([sys.executable, "-c", "import click, sqlite3, csv"], floor),
            ([os.path.join(os.path.dirname(sys.executable), "ia"), "recall", queries[0]], whole),
        )
        for _ in range(rounds):
            for argv, kept in commands:
                began = time.perf_counter()
                subprocess.run(argv, env=env, capture_output=True, check=False)
                kept.append(time.perf_counter() - began)
        ratio = statistics.median(whole) / statistics.median(floor)
        print(
            f"{notes:>8,} notes: built in {built:.1f} s (asked for 100,000: ≤ 20); query p50 {times[len(times) // 2]:.1f} ms, "
            f"p90 {times[int(len(times) * 0.9)]:.1f} ms; whole process {1000 * statistics.median(whole):.0f} ms, "
            f"{ratio:.1f} x import click, sqlite3, csv (≤ 4)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=["quality", "speed"])
    parser.add_argument("--notes", type=int, nargs="*", default=[5_000, 100_000])
    options = parser.parse_args()
    if options.part in (None, "quality"):
        quality()
    if options.part in (None, "speed"):
        for notes in options.notes:
            speed(notes)


if __name__ == "__main__":
    main()
