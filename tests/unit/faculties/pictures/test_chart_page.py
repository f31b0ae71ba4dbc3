"""Pages of pictures: whatever words come in, nothing escapes and nothing loads."""

import re

import pytest

from ia.faculties.pictures import candles, chart_page, report_parts
from ia.faculties.pictures.chart import Chart
from support.charts import HOSTILE, Reader, hostile, made, parsed


def test_hostile_words_stay_words_in_svg():
    root = parsed(candles.render_svg(hostile(), 1600))
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "title", "desc", "style", "g", "rect", "path", "text", "tspan", "clipPath", "circle"}
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name]
    assert any("<script>alert(1)</script>]]>" in (element.text or "") for element in root.iter())


def test_hostile_words_stay_words_in_a_page():
    reader = Reader()
    chart = hostile()
    reader.feed(chart_page.render_chart_page(chart, chart))
    scripts = [attrs for tag, attrs in reader.found if tag == "script"]
    assert "\u202e" not in chart_page.render_chart_page(chart, chart)
    assert scripts == [{"type": "application/json"}, {}]
    assert {tag for tag, _ in reader.found}.isdisjoint({"img", "a", "iframe", "object", "embed", "base", "form"})
    assert not [attrs for _, attrs in reader.found if any(name.startswith("on") or name == "style" for name in attrs)]
    assert not [attrs for tag, attrs in reader.found if tag != "link" and ("href" in attrs or "src" in attrs)]


def test_the_policy_of_a_page_names_its_own_script_and_style_only():
    import base64
    import hashlib

    text = chart_page.render_chart_page(Chart(made(20)), Chart(made(20)))
    policy = re.search('http-equiv="Content-Security-Policy" content="([^"]+)"', text)[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        inside = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        assert f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()}'" in policy
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)


def test_the_data_of_a_page_cannot_close_its_script():
    assert "<" not in chart_page.encode_json({"x": "</script><!--"})


def test_tables_and_tiles_escape():
    text = report_parts.render_table(
        [HOSTILE], [[HOSTILE, report_parts.SheetCell(HOSTILE, "state red")]]
    ) + report_parts.render_tiles([(HOSTILE, report_parts.SheetCell(HOSTILE))])
    text += report_parts.render_section(HOSTILE, report_parts.render_paragraph(HOSTILE))
    assert "<script" not in text
    assert "<img" not in text


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and `code`", "<p><strong>bold</strong> and <code>code</code></p>"),
        ("# Title", "<h4>Title</h4>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("![x](https://evil.example/c.png)", "<p>![x](https://evil.example/c.png)</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("<https://evil.example/>", "<p>&lt;https://evil.example/&gt;</p>"),
        ("[x][r]\n\n[r]: https://evil.example", "<p>[x][r]</p>\n<p>[r]: https://evil.example</p>"),
    ],
)
def test_markdown_of_a_note_loads_and_links_nothing(text, html):
    assert report_parts.render_markdown(text).strip() == html


def test_a_table_of_a_note_is_a_table():
    found = report_parts.render_markdown("| a | b |\n| --- | ---: |\n| 1 | 2 |\n")
    assert found.count("<td") == 2 and "<table>" in found
