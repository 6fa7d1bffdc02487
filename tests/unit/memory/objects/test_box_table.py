"""The box table against brute force, and box comparisons in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.objects.box_table import THINNEST_M, BoxTable, compare_boxes


def random_bounds(rng: np.random.Generator, count: int) -> np.ndarray:
    low = rng.uniform(-3.0, 3.0, (count, 3))
    return np.hstack((low, low + rng.uniform(0.05, 1.0, (count, 3))))


def gaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.maximum(0.0, np.maximum(b[:3] - a[3:], a[:3] - b[3:]))


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.4]), st.booleans())
def test_pairs_are_those_of_brute_force(seed: int, reach_m: float, any_height: bool) -> None:
    rng = np.random.default_rng(seed)
    asked, held = random_bounds(rng, 5), random_bounds(rng, 150)
    table = BoxTable()
    for object_id, bounds in enumerate(held):
        table.set(object_id, bounds)
    gone = rng.choice(150, 70, replace=False).tolist()
    for object_id in gone:
        table.remove(object_id)
    rows, ids, bounds = table.pairs(asked, reach_m, any_height)
    expected = set()
    for row, a in enumerate(asked):
        for object_id in set(range(150)) - set(gone):
            gap = gaps(a, held[object_id])
            if (gap <= reach_m).all() or (any_height and (gap[:2] <= 0.0).all()):
                expected.add((row, object_id))
    assert set(zip(rows.tolist(), ids.tolist(), strict=True)) == expected
    np.testing.assert_array_equal(bounds, held[ids])
    assert len(table) == 80


def test_many_boxes_are_asked_for_as_each_of_them_is() -> None:
    """More than are compared at once."""
    rng = np.random.default_rng(0)
    asked, table = random_bounds(rng, 600), BoxTable()
    for object_id, bounds in enumerate(random_bounds(rng, 20)):
        table.set(object_id, bounds)
    rows, ids, _ = table.pairs(asked)
    one_by_one = [table.pairs(bounds[None])[1].tolist() for bounds in asked]
    assert [ids[rows == row].tolist() for row in range(600)] == one_by_one


def test_a_box_is_replaced_in_place() -> None:
    table = BoxTable()
    table.set(7, np.array([0.0, 0, 0, 1, 1, 1]))
    table.set(7, np.array([5.0, 5, 5, 6, 6, 6]))
    np.testing.assert_array_equal(table.bounds_of([7]), [[5, 5, 5, 6, 6, 6]])
    assert len(table.pairs(np.array([[0.0, 0, 0, 1, 1, 1]]))[0]) == 0


def test_an_empty_table_has_no_pairs() -> None:
    assert len(BoxTable().pairs(np.array([[0.0, 0, 0, 1, 1, 1]]))[1]) == 0


def test_half_overlapping_cubes_in_closed_form() -> None:
    a = np.array([[0.0, 0, 0, 1, 1, 1]])
    b = np.array([[0.5, 0, 0, 1.5, 1, 1]])
    compared = compare_boxes(a, b)
    assert compared.share[0] == pytest.approx(0.5)
    assert compared.iou[0] == pytest.approx(0.5 / 1.5)
    assert compared.offset[0] == pytest.approx(0.5 / np.sqrt(3))
    assert compared.size_ratio[0] == pytest.approx(1.0)


def test_a_small_box_inside_a_large_one_shares_all_of_itself() -> None:
    compared = compare_boxes(
        np.array([[0.0, 0, 0, 1, 1, 1]]), np.array([[0.4, 0.4, 0.4, 0.6, 0.6, 0.6]])
    )
    assert compared.share[0] == pytest.approx(1.0)
    assert compared.iou[0] == pytest.approx(0.008)
    assert compared.size_ratio[0] == pytest.approx(0.2)


def test_flat_things_have_a_volume() -> None:
    picture = np.array([[0.0, 0, 1, 0.0, 1, 2]])
    compared = compare_boxes(picture, picture + np.array([THINNEST_M / 2, 0, 0] * 2))
    assert compared.share[0] == pytest.approx(0.5)


def test_boxes_on_the_way_are_those_that_a_walk_along_the_segment_meets() -> None:
    rng = np.random.default_rng(5)
    table, boxes = BoxTable(), {}
    for object_id in range(1, 150):
        center, half = rng.uniform(-3, 3, 3), rng.uniform(0.1, 0.6, 3)
        boxes[object_id] = np.concatenate((center - half, center + half))
        table.set(object_id, boxes[object_id])
    start, end = np.array((-4.0, -3.5, -1.0)), np.array((3.0, 4.0, 0.5))
    table.set(999, np.concatenate((end - 0.2, end + 0.2)))  # holds the end
    walk = start + np.linspace(0.0, 1.0, 20_000)[:, None] * (end - start)
    met = {
        object_id: int(np.argmax(inside))
        for object_id, box in boxes.items()
        if (inside := ((walk >= box[:3]) & (walk <= box[3:])).all(axis=1)).any()
    }
    assert len(met) > 2
    assert table.on_the_way(start, end) == sorted(met, key=met.__getitem__)
