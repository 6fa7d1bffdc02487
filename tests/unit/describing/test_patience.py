"""What failed is left alone for longer and longer."""

from __future__ import annotations

from scenemind.describing.patience import Patience


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_each_failure_doubles_the_pause_up_to_the_longest() -> None:
    clock = Clock()
    patience = Patience(2.0, 10.0, clock)
    pauses = []
    for _ in range(4):
        patience.note_failure("a")
        pauses.append(patience.wait_s("a"))
        clock.now_s += patience.wait_s("a")
        assert patience.wait_s("a") == 0.0
    assert pauses == [2.0, 4.0, 8.0, 10.0]
    assert patience.wait_s("b") == 0.0


def test_success_and_leaving_wipe_the_slate() -> None:
    patience = Patience(2.0, 10.0, Clock())
    for key in (1, 2, 3):
        patience.note_failure(key)
    patience.note_success(1)
    patience.keep({1, 2})
    assert [patience.wait_s(key) for key in (1, 2, 3)] == [0.0, 2.0, 0.0]
