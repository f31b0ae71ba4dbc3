"""An alert and the task that carries it out say the same."""

import pytest

from ia.faculties.alerts.definition import Alert, design_alert, find_alert, parse_until, require_alert
from ia.faculties.schedule.model import TaskDesign
from ia.kernel.errors import BadData, NotFound


@pytest.mark.parametrize(
    "alert",
    [
        Alert("300750.SZ", "close < 80"),
        Alert("AAPL.US", "(close < 80) & (volume > 1e6)", "2024-06-30"),
        Alert("00700.HK", "-close < -3"),
        Alert("300750.SZ", "close > 'x'"),
    ],
)
def test_an_alert_is_read_back_from_its_task(alert):
    from ia.faculties.taskbook.pipeline import parse_pipelines

    design = design_alert(alert)
    assert find_alert(design) == alert
    [[words]] = parse_pipelines(design.run)
    assert words[-2:] == [alert.symbol, alert.condition]


def test_another_task_is_no_alert():
    assert find_alert(TaskDesign("w", "@daily", run="ia usage")) is None
    with pytest.raises(NotFound):
        require_alert(TaskDesign("w", "@daily", run="ia usage"))


def test_the_last_day_is_today_or_later():
    assert parse_until("2024-06-30", "2024-03-15") == "2024-06-30"
    assert parse_until("6-30", "2024-03-15") == "2024-06-30"
    assert parse_until("02-01", "2024-03-15") == "2025-02-01"
    assert parse_until("+10d", "2024-03-15") == "2024-03-25"
    with pytest.raises(BadData, match="passed"):
        parse_until("2024-03-14", "2024-03-15")
