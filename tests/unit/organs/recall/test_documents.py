"""Chunks of documents: whole sentences under one heading, each with its page."""

import random

from ia.organs.recall.documents import CHUNK, page_at, page_mark, split_document, split_front, split_sentences


def test_no_chunk_crosses_a_heading_and_all_text_is_kept():
    rng = random.Random(5)
    text, sentences = "", []
    for page in range(1, 40):
        text += f"\n\n{page_mark(page, str(page - 2) if page > 2 else 'i' * page)}\n\n"
        if page % 3 == 1:
            text += f"{'#' * rng.randint(1, 3)} Heading {page}\n\n"
        for number in range(rng.randint(1, 9)):
            sentence = f"第{page}页第{number}句" + "字" * rng.randint(2, 120) + "。"
            sentences.append((page, sentence))
            text += sentence
    chunks = split_document(text)
    for page, sentence in sentences:
        found = [chunk for chunk in chunks if sentence in chunk.text]
        assert found
        for chunk in found:
            assert page_at(chunk.pages, chunk.text.index(sentence)).page == page
    assert all(len(chunk.text) <= CHUNK + 200 for chunk in chunks)
    assert all(chunk.pages[0].offset == 0 for chunk in chunks)


def test_a_mark_within_a_sentence_does_not_cut_it():
    [chunk] = split_document(f"{page_mark(1)}\n\n它从这一页开始，{page_mark(2, '9')}到下一页结束。后一句。")
    assert chunk.text == "它从这一页开始，到下一页结束。后一句。"
    assert [page_at(chunk.pages, at).page for at, _ in split_sentences(chunk.text)] == [1, 2]
    assert chunk.pages[1].label == "9"


def test_headings_without_text_are_found_too():
    chunks = split_document("# A\n\n# B\n\ntext\n\n## C\n")
    assert [(chunk.heading, chunk.text) for chunk in chunks] == [("A", "A"), ("B", "text"), ("B › C", "C")]


def test_sentences_together_are_the_text():
    for text in ("One. Two! Three?\nFour 3.5 five。六”七。", "x" * 5000, "", "。。。", "a\n\n\nb"):
        assert "".join(sentence for _, sentence in split_sentences(text)) == text


def test_front_matter_without_an_end_is_text():
    assert split_front("---\ntitle: x\n") == ({}, "---\ntitle: x\n")
