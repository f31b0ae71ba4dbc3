"""ia knowledge, from the outside."""

import json

from support import documents
from support.servers.embeddings import embeddings_service

BOOK = documents.pdf(
    [["Preface of the book."], ["A stop loss ends a losing position early."], ["Size a position by its stop."]],
    labels=[(0, "r"), (1, "D")],
    info={"Title": "On stops"},
)


def test_a_book_is_added_searched_shown_and_removed(ia, home, tmp_path):
    (tmp_path / "stops.pdf").write_bytes(BOOK)
    run = ia("knowledge", "add", str(tmp_path / "stops.pdf"), "--theme", "risk", "--date", "2019-06", "--json")
    [row] = json.loads(run.stdout)
    assert (row["outcome"], row["title"], row["date"], row["pages"]) == ("added", "On stops", "2019-06-30", 3)
    assert (home / "knowledge/risk/source/stops.pdf").read_bytes() == BOOK
    run = ia("knowledge", "search", "when", "does", "a", "stop", "loss", "end", "a", "position", "--json")
    found = json.loads(run.stdout)[0]
    assert (found["page"], found["label"], found["citation"]) == (2, "1", "On stops, p. 1 (PDF 2)")
    assert found["quote"] == "A stop loss ends a losing position early."
    assert json.loads(ia("recall", "--in", "knowledge", "losing", "--json").stdout)[0]["author"] == "outside"
    assert ia("knowledge", "show", "stops", "--page", "3").stdout == "Size a position by its stop.\n"
    assert ia("knowledge", "list").stdout.count("\n") == 2
    assert ia("knowledge", "list", env={"IA_NOW": "2019-06-29"}).returncode == 1
    assert ia("knowledge", "search", "stop", env={"IA_NOW": "2019-06-29"}).returncode == 1
    run = ia("knowledge", "add", str(tmp_path / "stops.pdf"), "--theme", "risk", "--json")
    assert json.loads(run.stdout)[0]["outcome"] == "unchanged"
    assert ia("knowledge", "convert", "stops").stdout.splitlines()[1].startswith("unchanged")
    run = ia("knowledge", "remove", "stops", "--yes")
    assert run.returncode == 0 and "`ia memory undo knowledge/risk/converted/stops.md` brings the text" in run.stderr
    assert ia("knowledge", "search", "stop").returncode == 1 and ia("knowledge", "list").returncode == 1


def test_a_folder_is_added_and_failures_are_told_one_by_one(ia, home, tmp_path):
    folder = tmp_path / "shelf" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("---\ndate: 2015-01-01\n---\n# A\n\nApples are red.\n")
    (folder / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    (folder / "c.png").write_bytes(b"x")
    (folder / ".hidden.md").write_text("x")
    run = ia("knowledge", "add", str(tmp_path / "shelf"))
    assert run.returncode == 65 and run.stdout.count("\n") == 2
    assert run.stderr == "ia: b.pdf: the file is damaged or incomplete\n"
    assert ia("knowledge", "search", "apples").returncode == 0


def test_bad_input_is_one_line_with_its_status(ia, home, tmp_path):
    (tmp_path / "x.bin").write_bytes(bytes(range(256)))
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "none").mkdir()
    for words, status in (
        (("add", str(tmp_path / "missing.pdf")), 66),
        (("add", str(tmp_path / "none")), 66),
        (("add", str(tmp_path / "x.bin")), 65),
        (("add", str(tmp_path / "empty.pdf")), 65),
        (("add", "http://127.0.0.1:1/x"), 77),
        (("add", "http://169.254.169.254/latest/meta-data"), 77),
        (("add", "ftp://example.com/x"), 77),
        (("add", str(tmp_path / "x.bin"), "--theme", "../up"), 2),
        (("add", str(tmp_path / "x.bin"), "--date", "soon"), 2),
        (("add", str(tmp_path / "x.bin"), "--password-file", str(tmp_path / "no")), 66),
        (("show", "nothing"), 66),
        (("remove", "nothing", "--yes"), 66),
        (("convert",), 2),
        (("search", "?!"), 65),
    ):
        run = ia("knowledge", *words)
        assert (run.returncode, run.stdout) == (status, ""), (words, run.stderr)
        lines = run.stderr.splitlines()
        assert lines and all(line.startswith(("ia: ", "hint: ")) for line in lines), (words, run.stderr)
    assert not (home / "knowledge").exists()


def test_documents_without_a_date_are_told_of(ia, home, tmp_path):
    (tmp_path / "a.txt").write_text("Pears are green.")
    run = ia("knowledge", "add", str(tmp_path / "a.txt"))
    assert "the publication date is unknown" in run.stderr
    run = ia("knowledge", "search", "pears", env={"IA_NOW": "2024-01-01"})
    assert run.returncode == 1 and "1 document without a publication date is not visible" in run.stderr
    run = ia("knowledge", "search", "pears", env={"IA_NOW": "2024-01-01", "IA_LANG": "zh"})
    assert "出版日期" in run.stderr


def test_the_analyst_answers_from_documents_with_citations(ia, home, tmp_path):
    assert "no documents yet" in ia("turn", "what does my library say about stop losses?").stdout
    (tmp_path / "stops.pdf").write_bytes(BOOK)
    assert ia("knowledge", "add", str(tmp_path / "stops.pdf"), "--date", "2019-06").returncode == 0
    (tmp_path / "cang.md").write_text(
        "---\ntitle: 仓位\ndate: 2018-01-01\n---\n# 止损\n\n止损价等于入场价减去两倍波幅。\n"
    )
    assert ia("knowledge", "add", str(tmp_path / "cang.md")).returncode == 0
    run = ia("turn", "what does my library say about stop losses?")
    assert "“A stop loss ends a losing position early.” [On stops, p. 1 (PDF 2)]" in run.stdout
    run = ia("turn", "我的资料里怎么说止损")
    assert "“止损价等于入场价减去两倍波幅。” [仓位, 止损]" in run.stdout
    assert "说到" not in run.stderr
    assert "say nothing about" in ia("turn", "what do my books say about zebras?").stdout
    assert "search_knowledge" in ia("context", "hello").stdout


def test_verify_compares_a_skill_with_its_documents(ia, home, tmp_path):
    (tmp_path / "stops.md").write_text("---\ndate: 2019-01-01\n---\n# Rules\n\nNever add to a losing position.\n")
    ia("knowledge", "add", str(tmp_path / "stops.md"))
    folder = home / ".claude/skills/stops/knowledge"
    folder.mkdir(parents=True)
    (folder.parent / "SKILL.md").write_text("---\nname: stops\ndescription: x\n---\nx\n")
    rule = "rules:\n  tier1_must_know:\n    - {id: A, condition: a losing position, action: ACT, source: SOURCE}\n"
    source = "{document: stops, quote: Never add to a losing position.}"
    (folder / "rules.yaml").write_text(rule.replace("ACT", "do not add").replace("SOURCE", source))
    run = ia("knowledge", "verify", "stops")
    assert (run.returncode, run.stdout.count("\n")) == (0, 1)
    assert run.stderr.startswith("ia: 1 entry: 1 quoted, 1 word for word") and "1 of 1 covered" in run.stderr
    (folder / "rules.yaml").write_text(rule.replace("ACT", "add").replace("SOURCE", source))
    run = ia("knowledge", "verify", "stops", "--json")
    [found] = json.loads(run.stdout)
    assert run.returncode == 1 and (found["id"], found["kind"], found["file"]) == (
        "A",
        "polarity",
        "knowledge/rules.yaml",
    )
    told = json.loads(
        ia("tool", "call", "knowledge.verify", json.dumps({"skill": "stops", "skip": ["polarity"]})).stdout
    )
    assert told["findings"] == [] and told["verbatim"] == 1
    assert ia("knowledge", "verify", "stops", "--skip", "polarity").returncode == 0
    assert ia("knowledge", "verify", "nothing").returncode == 66
    assert ia("knowledge", "verify", "stops", "--skip", "odd").returncode == 2
    (folder / "rules.yaml").write_text("rules:\n  - [")
    assert ia("knowledge", "verify", "stops").returncode == 1  # the sentence has no rule any more


def test_a_skill_is_built_approved_tested_and_kept_current(ia, home, tmp_path):
    (tmp_path / "stops.md").write_text(
        "---\ntitle: On stops\ndate: 2019-01-01\n---\n# Red flags\n\nNever add to a losing position.\n\n# Rules\n\n"
        "When the close falls below the 20-day average, sell half of the position.\n"
    )
    assert ia("knowledge", "curate", "risk").returncode == 1
    assert ia("knowledge", "build", "risk", "--offline").returncode == 66
    ia("knowledge", "add", str(tmp_path / "stops.md"), "--theme", "risk")
    reading = (
        "reading:\n  - {title: On stops, source: stops.md}\n  - {title: More, source: https://example.com/more.html}\n"
    )
    (home / "knowledge/risk/reading.yaml").write_text(reading)
    rows = json.loads(ia("knowledge", "curate", "risk", "--json").stdout)
    assert [(row["state"], row["title"], row["rules"]) for row in rows] == [
        ("added", "On stops", 2),
        ("missing", "More", 0),
    ]
    run = ia("knowledge", "extract", "stops", "--offline", "--json")
    found = json.loads(run.stdout)
    assert [row["kind"] for row in found] == ["rule", "rule"] and found[0]["tier"] == 1
    assert found[1]["quote"].startswith("When the close falls") and "candidates for a person to judge" in run.stderr
    run = ia("knowledge", "build", "risk", "--offline", "--json")
    made = json.loads(run.stdout)
    assert (made["path"], made["entries"], made["findings"]) == (".claude/skills/risk", 2, [])
    assert "More is not in the library: `ia knowledge add https://example.com/more.html`" in run.stderr
    assert json.loads(ia("knowledge", "build", "risk", "--offline", "--json").stdout)["proposal"] == made["proposal"]
    assert "untrusted: knowledge On stops" in ia("pending", str(made["proposal"])).stdout
    assert ia("approve", str(made["proposal"]), "--yes").returncode == 0
    assert ia("knowledge", "verify", "risk").returncode == 0
    assert json.loads(ia("knowledge", "build", "risk", "--offline", "--json").stdout)["proposal"] is None
    rows = json.loads(ia("skill", "test", "risk", "--json").stdout)
    assert [(row["part"], row["result"]) for row in rows] == [("retrieval", "pass"), ("conversation", "pass")]
    told = ia("turn", "-m", "ia-offline", "/risk may I add to a losing position?").stdout
    assert "By the rules of /risk" in told and "Never add to a losing position.” [On stops, Red flags]" in told
    assert "No rule and no source of /risk" in ia("turn", "-m", "ia-offline", "/risk zeppelin").stdout
    assert ia("skill", "show", "risk").stderr == ""
    ia("knowledge", "remove", "stops", "--yes")
    run = ia("skill", "test", "risk", "--json")
    assert run.returncode == 1 and json.loads(run.stdout)[0]["result"] == "fail"
    assert "source" in ia("knowledge", "verify", "risk").stdout
    ia("init")
    said = json.loads(ia("skill", "test", "research", "hello", "--json").stdout)[-1]
    assert (said["part"], said["result"]) == ("conversation", "skipped"), "no tool was called"


def test_a_build_refuses_bad_wishes_in_one_line(ia, home, tmp_path):
    (tmp_path / "a.txt").write_text("Never buy a share after a rise.")
    ia("knowledge", "add", str(tmp_path / "a.txt"), "--date", "2019")
    ia("init")
    for words, status in (
        (("build", "../up", "--offline"), 2),
        (("build", "library", "--skill", "A B", "--offline"), 2),
        (("build", "library", "--skill", "research", "--offline"), 2),
        (("build", "library", "-m", "nothing-like-it", "--yes"), 69),
        (("extract", "a", "-m", "nothing-like-it"), 77),
        (("extract", "a", "-m", "x", "--offline"), 2),
        (("extract", "nothing"), 66),
    ):
        run = ia("knowledge", *words)
        assert (run.returncode, run.stdout) == (status, ""), (words, run.stderr)
        assert "Traceback" not in run.stderr and run.stderr.splitlines()[-1].startswith(("ia: ", "hint: "))
    (home / "knowledge/library/reading.yaml").write_text("x")
    assert ia("knowledge", "curate", "library").returncode == 65


def test_passages_are_embedded_after_consent_and_found_in_other_words(ia, home, tmp_path):
    (tmp_path / "a.md").write_text("---\ntitle: A\ndate: 2019-01-01\n---\n股价跌破均线就割肉。\n")
    (tmp_path / "b.md").write_text("---\ntitle: B\ndate: 2019-01-01\n---\n每年看一次账单。\n")
    ia("knowledge", "add", str(tmp_path / "a.md"), str(tmp_path / "b.md"))
    assert json.loads(ia("knowledge", "index", "--json").stdout)["missing"] == 2
    assert ia("knowledge", "index", "--embed").returncode == 78
    with embeddings_service() as server:
        env = {"IA_EMBEDDING_URL": server.url, "IA_EMBEDDING_MODEL": "ok"}
        run = ia("knowledge", "index", "--embed", env=env)
        assert (
            run.returncode == 77
            and server.asked == []
            and "2 texts, about" in run.stderr
            and "price: unknown" in run.stderr
        )
        (home / "config.yaml").write_text("prices: {ok: {input: 1000000, output: 0}}\n")
        run = ia("knowledge", "index", "--embed", "--yes", env=env)
        assert run.returncode == 77 and "embedding.max_cost" in run.stderr and server.asked == []
        (home / "config.yaml").write_text("prices: {ok: {input: 0.02, output: 0}}\n")
        told = json.loads(ia("knowledge", "index", "--embed", "--yes", "--json", env=env).stdout)
        assert told == {"passages": 2, "embedded": 2, "missing": 0, "model": "ok"} and len(server.asked) == 1
        assert json.loads(ia("usage", "--json").stdout)
        run = ia("knowledge", "search", "止损", "--json", env=env)
        [row] = json.loads(run.stdout)
        assert (row["title"], row["vectors"]) == ("A", True) and run.stderr == ""
        asked = len(server.asked)
        assert ia("recall", "止损", env=env).returncode == 1 and len(server.asked) == asked
        assert json.loads(ia("recall", "--vectors", "止损", "--json", env=env).stdout)[0]["vectors"] is True
        called = json.loads(ia("tool", "call", "search_knowledge", json.dumps({"query": "止损"}), env=env).stdout)
        assert called["vectors"] is True and called["chunks"][0]["text"].startswith("股价")
    run = ia("knowledge", "search", "割肉", "--json", env=env)
    assert json.loads(run.stdout)[0]["vectors"] is False and run.stderr.count("\n") == 1
    assert "vectors" not in json.loads(ia("knowledge", "search", "割肉", "--json").stdout)[0]
    assert ia("recall", "--vectors", "x").returncode == 78 and ia("knowledge", "index", "--in", "x").returncode == 2


def test_texts_that_ship_with_the_profile_are_listed_apart_and_found(ia, home, tmp_path):
    for lang, query, section in (("en", "men think in herds", "herd"), ("zh", "成群地发疯", "从众")):
        env = {"IA_LANG": lang, "IA_HOME": str(tmp_path / lang)}
        assert ia("init", env=env).returncode == 0
        (tmp_path / "stops.md").write_text("# Stops\n\nA stop limits a loss.\n")
        ia("knowledge", "add", str(tmp_path / "stops.md"), "--date", "2019", env=env)
        rows = json.loads(ia("knowledge", "list", "--json", env=env).stdout)
        assert [row["shipped"] for row in rows] == [None, "invest", "invest", "invest"]
        [found, *_] = json.loads(ia("knowledge", "search", query, "--json", env=env).stdout)
        assert found["shipped"] and found["citation"].endswith(f", § {section}")
        assert found["quote"] in (tmp_path / lang / found["source"]).read_text(encoding="utf-8")
        assert found["quote"] in ia("knowledge", "show", found["source"], env=env).stdout
        for command in (("remove", "method", "--yes"), ("convert", "method")):
            assert ia("knowledge", *command, env=env).returncode == 77
        assert ia("knowledge", "show", "method", "--page", "1", env=env).returncode == 66
        assert not list((tmp_path / lang / "knowledge").glob("**/method*"))
        assert ia("recall", query, env=env).returncode == 1
        given = json.loads(ia("tool", "call", "search_knowledge", json.dumps({"query": query}), env=env).stdout)
        assert given["chunks"][0]["shipped"] and given["documents"] == 1
        own = {"query": query, "own": True}
        assert json.loads(ia("tool", "call", "search_knowledge", json.dumps(own), env=env).stdout)["chunks"] == []


def test_more_rules_than_a_skill_holds_are_told_in_one_line(ia, home, tmp_path):
    rules = "".join(f"If lot {at} falls by {at} per cent, then sell lot {at}.\n\n" for at in range(1000))
    (tmp_path / "rules.md").write_text(f"# Rules\n\n{rules}")
    ia("knowledge", "add", str(tmp_path / "rules.md"), "--theme", "risk", "--date", "2019")
    run = ia("knowledge", "build", "risk", "--offline")
    assert run.returncode == 65 and run.stdout == ""
    assert "risk: 1000 entries are more than a skill holds" in run.stderr and "several themes" in run.stderr
    assert not (home / ".claude/skills/risk").exists() and ia("pending").returncode in (0, 1)
