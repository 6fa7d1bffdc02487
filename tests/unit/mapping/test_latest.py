"""The newest frame wins, in order, and what was dropped is counted."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.mapping import LatestSlot


@given(
    capacity=st.integers(1, 4),
    actions=st.lists(st.sampled_from(["put", "take"]), max_size=60),
)
def test_taken_are_the_newest_in_order_and_the_rest_is_counted(capacity, actions):
    slot: LatestSlot[int] = LatestSlot(capacity)
    waiting: list[int] = []
    put = taken = 0
    for action in actions:
        if action == "put":
            slot.put(put)
            waiting = [*waiting, put][-capacity:]
            put += 1
        elif waiting:
            assert slot.take() == waiting.pop(0)
            taken += 1
    assert slot.dropped == put - taken - len(waiting)
    slot.close()
    assert [slot.take() for _ in waiting] == waiting
    assert slot.take() is None


def test_take_waits_for_an_item_of_another_thread():
    slot: LatestSlot[str] = LatestSlot()
    taken: list[str | None] = []
    taker = threading.Thread(target=lambda: taken.extend((slot.take(), slot.take())))
    taker.start()
    slot.put("frame")
    slot.close()
    taker.join()
    assert taken == ["frame", None]


def test_closed_slot_takes_nothing_more():
    slot: LatestSlot[int] = LatestSlot()
    slot.close()
    slot.put(1)
    assert slot.take() is None
    assert slot.dropped == 0


def test_slot_holds_at_least_one():
    with pytest.raises(ValueError, match="at least 1 item, not 0"):
        LatestSlot(0)


def test_patient_put_waits_until_something_is_taken():
    slot: LatestSlot[int] = LatestSlot(2)
    putter = threading.Thread(target=lambda: [slot.put_patiently(n) for n in range(20)])
    putter.start()
    assert [slot.take() for _ in range(20)] == list(range(20))
    putter.join()
    assert slot.dropped == 0


def test_closing_frees_who_waits_to_put():
    slot: LatestSlot[int] = LatestSlot(1)
    slot.put(1)
    putter = threading.Thread(target=slot.put_patiently, args=(2,))
    putter.start()
    slot.close()
    putter.join()
    assert slot.take() == 1
    assert slot.take() is None
