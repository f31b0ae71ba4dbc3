"""The inbox: each message is shown once, whoever looks."""

import contextlib
import threading

from ia.kernel.errors import TryLater
from ia.kernel.workspace import Workspace
from ia.organs.channels import inbox, sending


def test_two_terminals_are_told_of_each_message_once(ws):
    for number in range(20):
        sending.send_message(ws, f"{number}")
    told, lock = [], threading.Lock()

    def terminal():
        mine = Workspace()
        for _ in range(10):
            with contextlib.suppress(TryLater):
                found = inbox.take_unread(mine)
                with lock:
                    told.extend(each.text for each in found)
        mine.close()

    readers = [threading.Thread(target=terminal) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(20, 40):
        sending.send_message(ws, f"{number}")
    for reader in readers:
        reader.join()
    told += [each.text for each in inbox.take_unread(ws)]
    assert sorted(told, key=int) == [str(number) for number in range(40)]
    assert not inbox.may_have_unread(ws)


def test_the_mark_comes_back_where_a_crash_lost_it(ws, home):
    sending.send_message(ws, "x")
    (home / ".ia" / inbox.MARKER).unlink()
    sending.deliver_pending(ws)
    assert inbox.may_have_unread(ws)
