"""Windows of a walk forward: no day of a test is trained on before."""

import pytest

from ia.domain.performance.walk_forward import walk_forward_windows


@pytest.mark.parametrize("embargo", [0, 3, 20])
def test_no_test_day_is_ever_trained_on_before(embargo):
    windows = walk_forward_windows(250, 60, 20, embargo=embargo)
    tested = [day for each in windows for day in range(*each.test)]
    assert tested == list(range(60 + embargo, 250))
    for each in windows:
        assert each.train[1] + embargo == each.test[0] and each.train[1] - each.train[0] == 60
    grown = walk_forward_windows(250, 60, 20, embargo=embargo, anchored=True)
    assert {each.train[0] for each in grown} == {0}
    assert walk_forward_windows(60, 60, 20) == []
    assert [each.test for each in walk_forward_windows(100, 60, 20, 30)] == [(60, 80), (90, 100)]
