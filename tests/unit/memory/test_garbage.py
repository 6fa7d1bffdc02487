"""The collector of cycles is held back for a while, and is as it was afterwards."""

from __future__ import annotations

import gc
import weakref

import pytest

from scenemind.memory.garbage import no_garbage_collection, settle_garbage


@pytest.fixture(autouse=True)
def _as_it_was():
    was_enabled = gc.isenabled()
    yield
    (gc.enable if was_enabled else gc.disable)()
    gc.unfreeze()


@pytest.mark.parametrize("is_on", [True, False])
def test_collector_is_as_it_was_after_an_error_too(is_on):
    (gc.enable if is_on else gc.disable)()
    with no_garbage_collection():
        assert not gc.isenabled()
    assert gc.isenabled() == is_on
    with pytest.raises(KeyError), no_garbage_collection():
        raise KeyError
    assert gc.isenabled() == is_on


def test_what_was_there_is_not_looked_at_again_and_what_comes_later_is_collected():
    old = [[] for _ in range(1000)]
    settle_garbage()
    assert gc.get_freeze_count() > len(old)
    assert not any(found is old[0] for found in gc.get_objects())
    cycle: list[object] = []
    cycle.append(cycle)
    del cycle
    assert gc.collect() >= 1


def test_what_was_set_aside_before_is_freed_when_it_has_become_garbage():
    class Replaced:
        def __init__(self) -> None:
            self.myself = self

    thing = Replaced()
    is_alive = weakref.ref(thing)
    settle_garbage()
    del thing
    gc.collect()
    assert is_alive() is not None
    settle_garbage()
    assert is_alive() is None
