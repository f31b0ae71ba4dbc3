"""Vectors beside words: what has no word in common is found, and nothing odd that a service answers is taken."""

import itertools

import pytest

from ia.kernel.errors import ConfigError, IaError, TryLater, Unavailable
from ia.kernel.workspace import Workspace
from ia.organs.recall import embeddings, vectors
from ia.organs.recall.index import open_index
from ia.organs.recall.passages import search_passages
from ia.organs.recall.search import build_restriction, recall_notes
from support.servers.embeddings import SYNONYMS, embeddings_service

FILLER = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈剑号巨阙珠称夜光果珍李柰菜重芥姜海咸河淡鳞潜羽翔龙师火帝鸟官人皇始制文字乃服衣裳"


def write_facts(ws):
    """Write 30 documents, each about one or two things; return (question in other words, path)."""
    lines = [line.split() for line in SYNONYMS]
    groups = [*itertools.combinations(range(len(lines)), 2), *((at,) for at in range(len(lines))), (0, 1, 2), (3, 4, 5)]
    asked = []
    for number, group in enumerate(groups[:30]):
        said = "，".join(lines[at][0] for at in group)
        filler = FILLER[number * 2 : number * 2 + 2]
        path = f"knowledge/facts/converted/f{number:02d}.md"
        ws.write(path, f"---\ntitle: {filler}\ndate: 2019-01-01\n---\n{said}{filler}。\n")
        asked.append((" ".join(lines[at][2] for at in group), path))
    return asked


@pytest.fixture
def ws(tmp_path, monkeypatch):
    monkeypatch.setenv("IA_HOME", str(tmp_path))
    return Workspace(str(tmp_path))


@pytest.fixture
def service(monkeypatch):
    with embeddings_service() as server:
        monkeypatch.setenv("IA_EMBEDDING_URL", server.url)
        monkeypatch.setenv("IA_EMBEDDING_MODEL", "ok")
        yield server


def embed_all(ws, areas=("knowledge",)):
    conn = open_index(ws)
    store = vectors.VectorStore(ws.root, embeddings.load_space())
    plan = vectors.plan_embedding(conn, store, *build_restriction(None, areas))
    vectors.embed_missing(store, plan)
    return plan


def found(ws, question, told=None, **options):
    meaning = vectors.find_meaning(ws, (told if told is not None else []).append)
    return [each.source for each in search_passages(ws, question, meaning=meaning, **options)], meaning


def test_thirty_questions_in_other_words(ws, service):
    asked = write_facts(ws)
    embed_all(ws)
    by_words = [path in [each.source for each in search_passages(ws, question)] for question, path in asked]
    both = [path in found(ws, question)[0] for question, path in asked]
    assert len(asked) == 30 and sum(by_words) == 0 and sum(both) >= 28
    first = [found(ws, question, limit=1)[0] == [path] for question, path in asked]
    assert sum(first) >= 25


def test_nothing_is_embedded_twice_and_prefixes_are_another_space(ws, service, monkeypatch):
    write_facts(ws)
    assert len(embed_all(ws).texts) == 30
    sent = len(service.asked)
    assert embed_all(ws).texts == {} and len(service.asked) == sent
    ws.write("knowledge/facts/converted/f00.md", "---\ndate: 2019-01-01\n---\nsomething new\n")
    plan = embed_all(ws)
    assert list(plan.texts.values()) == ["something new"] and plan.embedded == 29
    monkeypatch.setenv("IA_EMBEDDING_DOCUMENT_PREFIX", "passage: ")
    assert len(embed_all(ws).texts) == 30 and service.asked[-1][2]["input"][0].startswith("passage: ")


def test_words_alone_without_a_service_or_with_one_that_is_down(ws, service, monkeypatch):
    asked = write_facts(ws)
    question = asked[0][0]
    told = []
    assert found(ws, question, told)[0] == [] and "no passage has a vector yet" in str(told[0])
    embed_all(ws)
    assert found(ws, question)[1].used is True
    for model in ("broken", "text", "short", "nan", "zero", "small", "away"):
        monkeypatch.setattr(vectors, "load_space", lambda model=model: embeddings.load_space()._replace(model=model))
        meaning = vectors.find_meaning(ws, told.append)
        meaning._store = vectors.VectorStore(ws.root, embeddings.load_space())
        told.clear()
        assert search_passages(ws, "茅台", meaning=meaning) and meaning.used is False
        assert len(told) == 1 and "searching by words alone" in str(told[0]), model
    monkeypatch.setattr(vectors, "load_space", embeddings.load_space)
    monkeypatch.setenv("IA_EMBEDDING_URL", "http://127.0.0.1:9/v1")
    told.clear()
    assert found(ws, "茅台", told)[0] and len(told) == 1
    monkeypatch.setenv("IA_EMBEDDING_URL", "")
    told.clear()
    assert found(ws, "茅台", told) == ([each.source for each in search_passages(ws, "茅台")], None) and told == []


@pytest.mark.parametrize(
    ("model", "failure"),
    [
        ("ok", None), ("busy", None), ("turned", None), ("base64", None), ("broken", TryLater), ("mute", TryLater),
        ("short", Unavailable), ("odd", Unavailable), ("nan", Unavailable), ("zero", Unavailable),
        ("text", Unavailable), ("away", Unavailable),
    ],
)  # fmt: skip
def test_what_a_service_answers_is_checked(service, monkeypatch, model, failure):
    monkeypatch.setattr(embeddings, "SECONDS", 0.5)
    monkeypatch.setattr(embeddings, "RETRIES", int(model == "busy"))
    space = embeddings.load_space()._replace(model=model)
    texts = ["止损", "moutai dividend", "something else"]
    if failure:
        with pytest.raises(failure) as raised:
            embeddings.embed_texts(space, texts)
        assert "\n" not in str(raised.value)
        return
    made, tokens = embeddings.embed_texts(space, texts)
    right, _ = embeddings.embed_texts(space._replace(model="ok"), texts)
    assert all(a == pytest.approx(b, abs=1e-6) for a, b in zip(made, right, strict=True)) and tokens == sum(
        map(len, texts)
    )


def test_another_dimension_is_refused_and_half_a_row_cut_off(ws, service):
    write_facts(ws)
    embed_all(ws)
    space = embeddings.load_space()
    store = vectors.VectorStore(ws.root, space)
    with pytest.raises(Unavailable, match="dimension"):
        store.append([b"x" * 32], [[1.0, 0.0]])
    with pytest.raises(Unavailable, match="dimension"):
        embeddings.embed_texts(space._replace(dimensions=64), ["a"])
    with open(f"{store.base}.f32", "ab") as file:
        file.write(b"half a row")
    assert len(store) == 30
    store.append([b"y" * 32], [[1.0] * 256])
    assert len(store) == 31 and store.load_matrix()[30][0] == 1.0 and store.load_slots()[b"y" * 32] == 30


def test_notes_too_and_the_key_goes_to_the_service_alone(ws, service, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-you")
    ws.write("notebook/a.md", "被套的时候要想清楚\n")
    ws.write("notebook/b.md", "今天天气不错\n")
    embed_all(ws, ("notebook",))
    assert "authorization" not in {name.lower() for name in service.asked[-1][1]}
    monkeypatch.setenv("IA_EMBEDDING_KEY", "own")
    meaning = vectors.find_meaning(ws, print)
    assert [hit.source for hit in recall_notes(ws, "深套怎么办", meaning=meaning, limit=1)] == ["notebook/a.md"]
    assert service.asked[-1][1]["authorization"] == "Bearer own"
    assert recall_notes(ws, "深套怎么办") == []


@pytest.mark.parametrize(
    ("name", "value"), [("URL", "ftp://x/v1"), ("URL", "x"), ("MODEL", ""), ("WEIGHT", "3"), ("DIMENSIONS", "many")]
)
def test_a_broken_setting_is_one_line(ws, service, monkeypatch, name, value):
    monkeypatch.setenv(f"IA_EMBEDDING_{name}", value)
    with pytest.raises(ConfigError):
        embeddings.load_space()
    told = []
    assert vectors.find_meaning(ws, told.append) is None and len(told) == 1
    assert isinstance(ConfigError("x"), IaError)
