"""The collector of cycles is held back for a while, and is as it was afterwards."""

from __future__ import annotations

import gc
import weakref

import pytest

from scenemind.garbage import exempt_from_collection, no_garbage_collection, settle_garbage


@pytest.fixture(autouse=True)
def _as_it_was():
    was_enabled = gc.isenabled()
    yield
    (gc.enable if was_enabled else gc.disable)()
    gc.freeze()  # as tests begin, see tests/conftest.py


@pytest.mark.parametrize("is_on", [True, False])
def test_collector_is_restored_after_an_error(is_on):
    (gc.enable if is_on else gc.disable)()
    with no_garbage_collection():
        assert not gc.isenabled()
    assert gc.isenabled() == is_on
    with pytest.raises(KeyError), no_garbage_collection():
        raise KeyError
    assert gc.isenabled() == is_on


def test_objects_made_while_exempt_are_not_examined_again():
    with exempt_from_collection():
        made = [[] for _ in range(1000)]
        assert not gc.isenabled()
    assert gc.isenabled()
    assert not any(found is made[0] for found in gc.get_objects())


def test_older_objects_are_not_examined_again_and_later_ones_are_collected():
    old = [[] for _ in range(1000)]
    settle_garbage()
    assert gc.get_freeze_count() > len(old)
    assert not any(found is old[0] for found in gc.get_objects())
    cycle: list[object] = []
    cycle.append(cycle)
    del cycle
    assert gc.collect() >= 1


def test_objects_set_aside_earlier_are_freed_as_garbage():
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
