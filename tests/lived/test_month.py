"""A month on both markets: no command breaks its contract, and every evening the workspace is whole."""

import pytest

pytestmark = [pytest.mark.process, pytest.mark.timeout(1800)]


def test_nothing_breaks_in_a_month(month):
    found = [f"{entry.step}: {entry.problems} {entry.err[-400:]}" for entry in month.record if entry.problems]
    assert not found, "\n".join(found)


def test_the_month_has_questions_on_every_day_of_its_routine(month):
    asked = [entry.step.split()[0] for entry in month.record if " turn " in entry.step]
    assert len(asked) >= month.market.questions
    assert {str(day) for day in month.market.working_days()} <= set(asked)


def test_the_last_evening_is_whole_in_a_copy(own):
    from lived.life import evening

    assert evening(own.server, own.life, own.day) == []
