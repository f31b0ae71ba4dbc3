"""Until when models may have read what happened."""

from ia.agent.backtests.cutoffs import find_cutoff, split_sessions


def test_the_longest_prefix_counts():
    assert find_cutoff("gpt-5-mini-2025-08-07")["date"] == "2024-05-31"
    assert find_cutoff("anthropic/claude-sonnet-4-5")["date"] == "2025-07-31"


def test_an_unknown_model_may_have_read_all():
    days = ["2024-01-02", "2024-01-03"]
    assert split_sessions("unheard-of", {}, days) == [("before", 0, 2)]
    assert split_sessions("ia-offline", {}, days) == [("all", 0, 2)]
    assert split_sessions("gpt", {"date": "2020-01-01"}, days) == [("after", 0, 2)]
