"""Steps that are put off when frames take too long, in the documented order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import MapperConfig
from scenemind.mapping.governor import FULL_PLAN, STEPS, UPKEEP_EVERY, Governor, Plan

DEADLINE_MS = 30.0


def governor() -> Governor:
    return Governor(MapperConfig(deadline_ms=DEADLINE_MS))


def test_slow_frames_put_off_one_step_after_the_other():
    watched = governor()
    seen = []
    for _ in range(60):
        watched.note(2 * DEADLINE_MS)
        if not seen or seen[-1] != watched.plan.put_off:
            seen.append(watched.plan.put_off)
    assert seen == [(), ("relations",), ("relations", "upkeep"), STEPS]
    # Ten frames decide, so each level but the last lasted ten.
    assert watched.frames_at == [10, 10, 10, 30]


def test_fast_frames_restore_all_steps():
    watched = governor()
    for _ in range(30):
        watched.note(2 * DEADLINE_MS)
    for _ in range(60 * len(STEPS)):
        watched.note(DEADLINE_MS / 10)
    assert watched.plan == FULL_PLAN


def test_frames_just_in_time_change_nothing():
    watched = governor()
    for _ in range(10):
        watched.note(2 * DEADLINE_MS)
    for _ in range(500):
        watched.note(0.8 * DEADLINE_MS)
    assert watched.plan.put_off == ("relations",)


def test_one_slow_frame_puts_no_step_off():
    watched = governor()
    for number in range(300):
        watched.note(5 * DEADLINE_MS if number % 30 == 0 else DEADLINE_MS / 2)
    assert watched.plan == FULL_PLAN


def test_no_step_is_put_off_without_a_deadline():
    unhurried = Governor(MapperConfig(deadline_ms=0.0))
    for _ in range(100):
        unhurried.note(1e6)
    assert unhurried.plan == FULL_PLAN


@given(st.lists(st.floats(0.0, 1e3), max_size=300))
def test_work_is_postponed_in_a_fixed_order(times_ms):
    watched = governor()
    for ms in times_ms:
        before = watched.level
        watched.note(ms)
        assert abs(watched.level - before) <= 1
        assert watched.plan.put_off == STEPS[: watched.level]
    assert sum(watched.frames_at) == len(times_ms)


def test_upkeep_that_is_put_off_is_done_at_times():
    plan = Plan(("relations", "upkeep"))
    turns = [number for number in range(12) if plan.does("upkeep", number)]
    assert turns == list(range(0, 12, UPKEEP_EVERY))
    assert not any(plan.does("relations", number) for number in range(12))
    assert all(plan.does("lifting", number) for number in range(12))
