"""Samples of masks and boxes: bounded, in the object, each grid as if it were alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.perception import BoxMask, Detections
from scenemind.perception.sample_grids import Samples, sample

from .scenes import boxes_only


def with_masks(*masks: BoxMask) -> Detections:
    boxes = [(m.x_px, m.y_px, m.x_px + m.bits.shape[1], m.y_px + m.bits.shape[0]) for m in masks]
    count = len(masks)
    return Detections(
        ("cup",) * count,
        np.ones(count, np.float32),
        np.array(boxes, np.float32).reshape(count, 4),
        masks,
    )


def block(height: int, width: int, x: int = 10, y: int = 20) -> BoxMask:
    return BoxMask(x, y, np.ones((height, width), bool))


def pixels(samples: Samples, grid: int = 0) -> set[tuple[int, int]]:
    mine = samples.owner == grid
    return set(zip(samples.u_px[mine].tolist(), samples.v_px[mine].tolist(), strict=True))


def test_a_small_mask_gives_every_pixel_and_trusts_its_middle() -> None:
    samples = sample(with_masks(block(10, 20)), [0], erosion_px=1)
    assert pixels(samples) == {(u, v) for u in range(10, 30) for v in range(20, 30)}
    trusted = samples.trusted
    assert set(samples.u_px[trusted]) == set(range(11, 29))
    assert set(samples.v_px[trusted]) == set(range(21, 29))


@pytest.mark.parametrize("side", [25, 60, 200, 480])
def test_a_large_one_gives_about_six_hundred_from_all_of_it(side: int) -> None:
    samples = sample(with_masks(block(side, side)), [0], erosion_px=3)
    assert 260 <= len(samples.owner) <= 1400
    (stride,) = samples.stride_px.tolist()
    for image, first in ((samples.u_px, 10), (samples.v_px, 20)):
        assert image.min() - first < stride
        assert first + side - 1 - image.max() < stride


def test_a_thin_mask_in_a_large_rectangle_stays_bounded() -> None:
    bits = np.eye(480, 640, dtype=bool)
    samples = sample(with_masks(BoxMask(0, 0, bits)), [0], erosion_px=3)
    assert samples.canvas_shape[0] * samples.canvas_shape[1] < 9_000
    assert (samples.u_px == samples.v_px).all()
    assert len(samples.owner) > 40


def test_the_two_largest_parts_are_sampled() -> None:
    bits = np.zeros((40, 90), bool)
    bits[:, :30], bits[:, 40:60], bits[10:15, 70:75] = True, True, True
    found = pixels(sample(with_masks(BoxMask(0, 0, bits)), [0], erosion_px=2))
    assert {u < 30 for u, _ in found} == {True, False}
    assert max(u for u, _ in found) < 60


def test_a_box_is_sampled_everywhere_and_trusted_in_the_middle() -> None:
    samples = sample(boxes_only([(100.0, 50.0, 120.0, 90.0)]), [0], erosion_px=3)
    assert pixels(samples) >= {(100, 50), (119, 50), (100, 89), (119, 89)}
    trusted = samples.trusted
    assert (samples.u_px[trusted].min(), samples.u_px[trusted].max()) == (105, 114)
    assert (samples.v_px[trusted].min(), samples.v_px[trusted].max()) == (60, 79)


def test_a_slice_of_a_larger_mask_is_as_good_as_a_copy() -> None:
    whole = np.random.default_rng(0).random((60, 80)) < 0.9
    part = whole[10:40, 20:70]
    sliced = sample(with_masks(BoxMask(0, 0, part)), [0], erosion_px=1)
    copied = sample(with_masks(BoxMask(0, 0, part.copy())), [0], erosion_px=1)
    np.testing.assert_array_equal(sliced.cell, copied.cell)
    np.testing.assert_array_equal(sliced.trusted, copied.trusted)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**16), count=st.integers(1, 6))
def test_every_grid_is_as_if_it_were_alone(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    masks = []
    for _ in range(count):
        shape, place = random.integers(0, 70, 2), random.integers(0, 400, 2)
        masks.append(BoxMask(int(place[0]), int(place[1]), random.random(shape) < 0.8))
    together = sample(with_masks(*masks), range(count), erosion_px=2)
    assert (np.diff(together.owner) >= 0).all()
    assert (np.diff(together.cell) > 0).all()
    for number, mask in enumerate(masks):
        alone = sample(with_masks(mask), [0], erosion_px=2)
        assert pixels(together, number) == pixels(alone)
        assert together.stride_px[number] == alone.stride_px[0]
        for u, v in pixels(alone):
            assert mask.bits[v - mask.y_px, u - mask.x_px]
