"""Windows in which parameters are chosen (train), and those after them in which the choice is tested."""

from typing import NamedTuple


class TrainTest(NamedTuple):
    """A window of each kind, as indexes of sessions: the first, and one past the last."""

    train: tuple[int, int]
    test: tuple[int, int]


def walk_forward_windows(
    count: int, train: int, test: int, step: int = 0, embargo: int = 0, *, anchored: bool = False
) -> list[TrainTest]:
    """Return the windows of `count` sessions, in order; the last test may be shorter.

    step     sessions from one test to the next (default: `test`, so that tests follow each other without a gap)
    embargo  sessions between a train window and its test: what an indicator remembers, or a position that is held
             over the border, is then not in both
    anchored the train window begins with the first session and grows

    >>> walk_forward_windows(10, 4, 2, embargo=1)[0]
    TrainTest(train=(0, 4), test=(5, 7))
    >>> len(walk_forward_windows(10, 4, 2, embargo=1))
    3
    """
    found = []
    begin = train + embargo
    while begin < count:
        end = begin - embargo
        found.append(TrainTest((0 if anchored else end - train, end), (begin, min(begin + test, count))))
        begin += step or test
    return found
