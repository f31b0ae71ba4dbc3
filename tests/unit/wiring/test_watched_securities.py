"""The watch list as securities: what a line means, and what the store knows of its price."""

from ia.organs.memory import change_rules
from ia.wiring.universe import list_universe
from ia.wiring.watched_securities import list_watched, quote_watched


def test_lines_of_ia_and_of_a_person_mean_securities(ws):
    ws.write(
        change_rules.TRACKING,
        "# Tracking\n\n- 600519.SH 贵州茅台: wait (2024-03-01)\n- 宁德时代\n- 002594 below 75\n- AI 算力: later\n"
        "\n## US\n\n- AAPL.US 苹果, cheap\n- MSFT: cloud\n",
    )
    assert [tuple(item) for item in list_watched(ws)] == [
        ("600519.SH", "贵州茅台", "wait", "2024-03-01", ""),
        ("300750.SZ", "宁德时代", "", "", ""),
        ("002594.SZ", "比亚迪", "below 75", "", ""),
        ("", "AI 算力", "later", "", ""),
        ("AAPL.US", "苹果", "cheap", "", "US"),
        ("MSFT.US", "微软", "cloud", "", "US"),
    ]
    assert [str(symbol) for symbol in list_universe(ws, "watch:us")] == ["AAPL.US 苹果", "MSFT.US 微软"]
    assert len(list_universe(ws, "watch")) == 5


def test_an_empty_store_is_told_and_the_list_stays(ws):
    ws.write(change_rules.TRACKING, "- 600519\n- topic\n")
    rows, missing = quote_watched(ws, None, lambda message: None)
    assert [(row["symbol"], row["name"], row["price"], row["currency"]) for row in rows] == [
        ("600519.SH", "贵州茅台", None, "CNY"), (None, "topic", None, None),
    ]  # fmt: skip
    assert [error.code for error in missing] == ["market-not-stored"]
