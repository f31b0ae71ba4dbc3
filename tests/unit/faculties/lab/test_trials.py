"""The ledger of trials: what a family is, and that every variant counts once, for ever."""

import random

import pytest

from ia.faculties.lab.trials import Trial, family_key, record_trials, strip_numbers, tally_family, variant_key


def trial(n, family="f", **changes):
    made = Trial(
        family=family, variant=variant_key(str(n)), run=f"r{n}", rules=f"rsi(close, {n}) < 30", universe="600519.SH",
        first="2020-01-02", last="2024-03-15", returns=1000, sharpe=n / 100,
    )  # fmt: skip
    return made._replace(**changes)


def test_every_variant_counts_once_in_the_order_of_its_first_trial(ws):
    record_trials(ws, [trial(n) for n in range(1, 38)])
    found = tally_family(ws, "f", variant_key("37"))
    assert (found.place, found.tried) == (37, 37)
    assert found.sharpes == [n / 100 for n in range(1, 38)]
    record_trials(ws, [trial(3, run="again", sharpe=0.5), trial(38, sharpe=None)])
    again = tally_family(ws, "f", variant_key("3"))
    assert (again.place, again.tried, again.sharpes[2]) == (3, 38, 0.5)
    assert len(again.sharpes) == 37
    assert tally_family(ws, "another").tried == tally_family(ws, "f", "none").place == 0


def test_at_an_earlier_now_later_trials_are_not_seen(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    record_trials(ws, [trial(1)])
    monkeypatch.setenv("IA_NOW", "2024-03-18T16:00+08:00")
    record_trials(ws, [trial(2)])
    assert tally_family(ws, "f").tried == 2
    monkeypatch.setenv("IA_NOW", "2024-03-16T07:00+00:00")
    assert tally_family(ws, "f").tried == 1


@pytest.mark.parametrize("seed", range(20))
def test_numbers_spaces_and_the_order_of_securities_make_no_family(seed):
    dice = random.Random(seed)
    number = lambda: dice.choice(["5", "20", "0.5", "1e-3", "-2", "-0.75", ".5"])  # noqa: E731
    space = lambda: " " * dice.randint(0, 3)  # noqa: E731
    one = f"crossover(sma(close,{number()}), ema(close, {number()})) and rsi(close,{number()}) < {number()}"
    other = (
        f"crossover({space()}sma(close,{space()}{number()}),ema(close,{number()}))"
        f" and rsi(close{space()},{number()}) < {number()}{space()}"
    )
    assert family_key([one], ["A", "B"]) == family_key([other], ["B", "A", "B"])
    assert family_key([one], ["A"]) != family_key([one], ["B"])
    assert family_key([one, ""], ["A"]) != family_key([one, "close > 1"], ["A"])
    assert family_key([one], ["A"]) != family_key([one.replace("ema", "sma")], ["A"])


def test_names_with_digits_and_texts_stay():
    assert strip_numbers("log10(close) > 2") == "log10(close) > 0"
    assert strip_numbers("ta.sma(close, length=5)") == "ta.sma(close, length=0)"
    assert strip_numbers("a ==") == "a =="
    assert strip_numbers("a[ 5 == b2 + .5") == "a[ 0 == b2 + 0"
    file = "N = 5  # days\ndef on_bar(ctx):\n    if ctx.name == '5': ctx.buy(N * 100)\n"
    other = "N = 7\n\ndef on_bar(ctx):\n    if ctx.name == '5':\n        ctx.buy(N * 200)"
    assert strip_numbers(file) == strip_numbers(other) != strip_numbers(file.replace("'5'", "'6'"))
