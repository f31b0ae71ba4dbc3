"""How well and how quickly knowledge is converted and found: pages, hit@5 and cited page, times over 30,000 chunks.

python tests/bench/bench_knowledge.py [quality|speed|commands] [--chunks N]

Times are wall clock and, where the machine is shared, the processor's in brackets. `commands` compares `ia check` and a
turn that cites a document with `import pandas`.

A hit is an answer that stands in one of the first five passages; the cited page is right where it is the answer's.
The first book is generated and converted from PDF; the second is of articles of CMRC 2018 with their questions, where
the shared data are: its pages begin within articles and sentences, and a passage does not go beyond its page.
"""

import argparse
import contextlib
import os
import random
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_recall import SHARED, make_vocabulary, rows

sys.path.insert(0, str(Path(__file__).parent.parent))

from ia.faculties.knowledge import library
from ia.faculties.knowledge.conversion_process import Converter
from ia.kernel.workspace import Workspace
from ia.organs.recall import embeddings, index
from ia.organs.recall import vectors as vector_store
from ia.organs.recall.documents import page_mark, split_document
from ia.organs.recall.passages import Passage, find_passages, search_passages
from ia.organs.recall.terms import parse_query
from support import documents
from support.servers.embeddings import embeddings_service

ASKED = {"generated book": (0.98, 0.96)}
BUILD, MEDIAN = 20, 15
"""Seconds for 30,000 chunks, and milliseconds of a question to them."""
PAGE = 900
"""Characters of a page of what is not a PDF."""
CMRC = "cmrc2018_zh"
Question = tuple[str, Callable[[Passage], bool], set[int]]
"""A question, what tells that a passage holds its answer, and the pages that the answer stands on."""


def _squeeze(text: str) -> str:
    return "".join(text.split())


def conversion() -> None:
    """Print how many sentences of a generated book stand whole on their page, and how many pages there are."""
    data, facts = documents.book(226)
    with tempfile.TemporaryDirectory(prefix="ia-bench-") as folder, Converter() as converter:
        ws = Workspace(folder)
        began = time.perf_counter()
        library.add_document(
            ws, library.NewDocument("facts.pdf", data), library.AddOptions(date="2012-03-04"), converter
        )
        took = time.perf_counter() - began
        text = next(Path(folder).rglob("converted/*.md")).read_text(encoding="utf-8")
        ws.close()
    pages: dict[int, str] = {}
    for part in re.split(r"(?=<!-- page \d)", text)[1:]:
        mark, _, words = part.partition("-->")
        number = int(re.findall(r"\d+", mark)[0])
        pages[number] = pages.get(number, "") + _squeeze(words)
    right = sum(_squeeze(sentence) in pages.get(page, "") for _, sentence, page in facts)
    print(f"conversion: {right} of {len(facts)} sentences on the right page (≥ 0.99), {len(pages)} pages, {took:.1f} s")


def generated_book(ws: Workspace) -> list[Question]:
    """Add a book in two languages; return questions for its facts."""
    data, facts = documents.book(226)
    with Converter() as converter:
        new = library.NewDocument("facts.pdf", data)
        library.add_document(ws, new, library.AddOptions(date="2012-03-04"), converter)
    asked: list[Question] = []
    for question, sentence, page in facts:
        amount = re.findall(r"\d{4,}", sentence)[0]
        asked.append((question, lambda found, amount=amount: amount in found.text, {page}))
    return asked


def cmrc_book(ws: Workspace) -> list[Question]:
    """Write a book of the articles, a heading each, on pages that begin anywhere; return their questions."""
    parts: list[str] = ["---\ntitle: CMRC\ndate: 2018-01-01\n---\n"]
    length, page = 0, 1
    pages: dict[str, list[tuple[int, int]]] = {}  # article → (page, offset in its text where that begins)
    texts: dict[str, str] = {}
    for row in rows(CMRC, "docs"):
        text, at = row["text"], 0
        texts[row["title"]] = text
        pages[row["title"]] = [(page, 0)]
        parts.append(f"\n# {row['title']}\n\n{page_mark(page)}")
        while length + len(text) - at >= PAGE:
            cut = at + PAGE - length
            page += 1
            parts.append(text[at:cut] + page_mark(page))
            pages[row["title"]].append((page, cut))
            length, at = 0, cut
        parts.append(text[at:] + "\n")
        length += len(text) - at
    write_document(ws, "cmrc", "".join(parts))
    titles = {row["id"]: row["title"] for row in rows(CMRC, "docs")}
    asked: list[Question] = []
    for row in rows(CMRC, "queries"):
        title, answers = titles[row["relevant"][0]], row["answers"]
        places = [match.start() for answer in answers for match in re.finditer(re.escape(answer), texts[title])]
        right = {max(each for each in pages[title] if each[1] <= at)[0] for at in places}

        def holds(found: Passage, title: str = title, answers: list[str] = answers) -> bool:
            return found.heading == title and any(_squeeze(answer) in _squeeze(found.text) for answer in answers)

        asked.append((row["question"], holds, right))
    return asked


def write_document(ws: Workspace, name: str, text: str) -> None:
    folder = Path(ws.root) / "knowledge" / "bench" / "converted"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")


def quality() -> None:
    conversion()
    print(f"{'knowledge':<28}{'hit@5':>8}{'asked':>8}{'page':>8}{'asked':>8}{'questions':>11}")
    for name, make in (("generated book", generated_book), (CMRC, cmrc_book)):
        if make is cmrc_book and not (SHARED / CMRC).is_dir():
            print(f"{name:<28}skipped: {SHARED / CMRC} is not there")
            continue
        with tempfile.TemporaryDirectory(prefix="ia-bench-") as folder:
            ws = Workspace(folder)
            asked = make(ws)
            hits = cited = 0
            with contextlib.closing(index.open_index(ws)) as conn:
                for question, holds, pages in asked:
                    found = find_passages(conn, parse_query(question).tokens, 5)
                    hit = next((each for each in found if holds(each)), None)
                    hits += hit is not None
                    cited += hit is not None and hit.page in pages
            ws.close()
        hit_asked, page_asked = ASKED.get(name, ("", ""))
        shares = f"{hits / len(asked):>8.4f}{hit_asked:>8}{cited / len(asked):>8.4f}{page_asked:>8}"
        print(f"{name:<28}{shares}{len(asked):>11}")


def generate(ws: Workspace, chunks: int, seed: int = 1) -> list[tuple[str, str]]:
    """Write books of about 500 chunks, Chinese and English, words distributed as words are (Zipf).

    Return 200 questions, each of some words of one sentence in their order, with that sentence.
    """
    chance = random.Random(seed)
    chinese, english, weights = make_vocabulary(chance)
    done, number = 0, 0
    sentences: list[tuple[str, str]] = []
    while done < chunks:
        parts: list[str] = []
        size, page = 0, 1
        while size < 500 * 480:
            parts.append(f"\n## {''.join(chance.choices(chinese, cum_weights=weights, k=2))}\n\n{page_mark(page)}")
            section = 0
            for _ in range(chance.randint(5, 40)):
                if number % 3:
                    words = chance.choices(chinese, cum_weights=weights, k=chance.randint(6, 16))
                    sentence = "".join(words) + "。"
                    asked = "".join(word for word in words if chance.random() < 0.6) + "？"
                else:
                    words = chance.choices(english, cum_weights=weights[:10_000], k=chance.randint(8, 20))
                    sentence = " ".join(words) + ". "
                    asked = " ".join(word for word in words if chance.random() < 0.6) + "?"
                parts.append(sentence)
                section += len(sentence)
                if len(asked) > 6 and chance.random() < 0.01:
                    sentences.append((asked, sentence.strip()))
            size += section
            page += section // PAGE + 1
        text = "".join(parts)
        done += len(split_document(text))
        write_document(ws, f"book{number:03d}", f"---\ntitle: Book {number}\ndate: 2020-01-01\n---\n{text}\n")
        number += 1
    return chance.sample(sentences, 200)


def speed(chunks: int) -> None:
    with tempfile.TemporaryDirectory(prefix="ia-bench-") as folder:
        ws = Workspace(folder)
        (Path(folder) / ".ia").mkdir()
        questions = generate(ws, chunks)
        began, before = time.perf_counter(), time.process_time()
        with contextlib.closing(index.open_index(ws)) as conn:
            built, used = time.perf_counter() - began, time.process_time() - before
            entered = conn.execute("SELECT count(*) FROM chunks").fetchone()[0]
        size = os.path.getsize(Path(folder) / ".ia" / "cache" / "index.db")
        time.sleep(4)  # until the files have settled
        index.open_index(ws).close()
        print(
            f"{entered:,} chunks: built in {built:.1f} s [{used:.1f}] (asked for 30,000: ≤ {BUILD}), {size / 1e6:.0f} MB"
        )
        ask_all(ws, questions, f"by words (≤ {MEDIAN} ms)")
        with embeddings_service() as service:
            os.environ |= {"IA_HOME": folder, "IA_EMBEDDING_URL": service.url, "IA_EMBEDDING_MODEL": "ok"}
            with contextlib.closing(index.open_index(ws)) as conn:
                invent_vectors(ws, conn)
            ask_all(ws, questions, "with vectors", vectors=True)
        ws.close()


def invent_vectors(ws: Workspace, conn: sqlite3.Connection) -> None:
    """Give each passage a vector of chance, as if it had been embedded."""
    store = vector_store.VectorStore(ws.root, embeddings.load_space())
    keys = list(dict.fromkeys(vector_store.hash_text(text) for _, text in vector_store.list_texts(conn, "", ())))
    chance = random.Random(1)
    for at in range(0, len(keys), 5000):
        part = keys[at : at + 5000]
        store.append(part, [[chance.gauss(0, 1) for _ in range(256)] for _ in part])


def ask_all(ws: Workspace, questions: list[tuple[str, str]], name: str, *, vectors: bool = False) -> None:
    """Print how long the questions take, and how many of their sentences are found."""
    told: list[tuple[float, float]] = []
    found = 0
    for question, sentence in questions:
        began, used = time.perf_counter(), time.process_time()
        meaning = vector_store.find_meaning(ws, print) if vectors else None
        passages = search_passages(ws, question, meaning=meaning)
        told.append((1000 * (time.perf_counter() - began), 1000 * (time.process_time() - used)))
        found += any(sentence in passage.text for passage in passages)
    wall, cpu = sorted(each[0] for each in told), sorted(each[1] for each in told)
    half, most = len(told) // 2, int(len(told) * 0.9)
    print(
        f"question {name}: p50 {wall[half]:.1f} ms [{cpu[half]:.1f}], p90 {wall[most]:.1f} ms [{cpu[most]:.1f}];"
        f" {found} of {len(questions)} sentences found"
    )


def commands(rounds: int = 7) -> None:
    """Print what a checklist and a turn with a citation cost the processor, beside `import pandas`."""
    program = os.path.join(os.path.dirname(sys.executable), "ia")
    with tempfile.TemporaryDirectory(prefix="ia-bench-") as folder:
        os.environ |= {
            "IA_HOME": folder,
            "IA_MARKET_ADAPTER": "demo",
            "IA_NOW": "2024-03-15T16:00+08:00",
            "IA_LANG": "en",
        }
        book = Path(folder) / "stops.md"
        for words in (["init"], ["sync"]):
            subprocess.run([program, *words], capture_output=True, check=False)
        book.write_text("# Stops\n\nIf a position loses 8 per cent, sell all of it.\n")
        subprocess.run([program, "knowledge", "add", str(book), "--date", "2019"], capture_output=True, check=True)
        base = 0.0
        for name, words in (
            ("import pandas", [sys.executable, "-c", "import pandas"]),
            ("ia check buy 300750", [program, "check", "buy", "300750"]),
            ("ia turn that cites", [program, "turn", "what does my library say about a position that loses?"]),
        ):
            spent, wall = [], []
            for _ in range(rounds):
                before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
                subprocess.run(words, capture_output=True, check=False)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
                wall.append(time.perf_counter() - began)
            base = base or min(spent)
            print(f"{name:<22}{min(wall):>8.2f} s [{min(spent):.2f}], {min(spent) / base:.2f} x import pandas")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=["quality", "speed", "commands"])
    parser.add_argument("--chunks", type=int, default=30_000)
    options = parser.parse_args()
    if options.part in (None, "quality"):
        quality()
    if options.part in (None, "speed"):
        speed(options.chunks)
    if options.part in (None, "commands"):
        commands()


if __name__ == "__main__":
    main()
