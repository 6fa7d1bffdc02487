"""`python -m benchmarks projection`: its simulated rooms, and a run of few targets."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.filmed_room import MaskKind, TrueMasks, film_room
from benchmarks.projection import bench_projection
from scenemind.geometry import iou_matrix_2d
from scenemind.perception.types import BoxMask
from scenemind.simulation import SimpleDepthNoise


def test_a_filmed_room_is_a_memory_with_the_truth_beside_it() -> None:
    room = film_room(2, 4, SimpleDepthNoise())
    index = room.frame_index()
    assert len(index) == len(room.stored_frames()) == 4
    filmed = room.frames[1]
    assert room.depth_image(1).depth_m.shape == (240, 320)
    exact = filmed.exact_m[::2, ::2]
    measured = filmed.depth.depth_m > 0
    off = np.abs(filmed.depth.depth_m - exact)[measured]
    assert np.median(off) < 0.02
    assert (np.diff(index.detection_frames) >= 0).all()


@pytest.mark.parametrize("kind", ["exact", "coarse"])
def test_masks_are_those_of_the_thing_in_the_box(kind: MaskKind) -> None:
    room = film_room(2, 2, SimpleDepthNoise())
    filmed = room.frames[0]
    masks = TrueMasks(room.masks, kind)
    for instance, box_px in filmed.frame.boxes_px.items():
        mask = masks.mask_of(0, np.array(box_px), (640, 480))
        assert mask is not None
        if kind == "exact":
            assert mask is filmed.masks[instance]
            continue
        height, width = mask.bits.shape
        own = (mask.x_px, mask.y_px, mask.x_px + width, mask.y_px + height)
        assert iou_matrix_2d(np.array([own]), np.array([box_px]))[0, 0] > 0.3


def test_about_a_fifth_of_noisy_masks_has_the_wrong_extent() -> None:
    """The share is that of SAM's masks in the paper."""
    square = BoxMask(100, 100, np.ones((60, 60), np.bool_))
    square.bits[:, :6] = False  # the box is fuller than the thing
    masks = {number: {1: square} for number in range(300)}
    coarse, erring = TrueMasks(masks, "coarse"), TrueMasks(masks, "erring")
    box_px, wrong = np.array([100.0, 100.0, 160.0, 160.0]), []
    for number in masks:
        a, b = (m.mask_of(number, box_px, (640, 480)) for m in (coarse, erring))
        assert a is not None
        assert b is not None
        if not np.array_equal(a.bits, b.bits):
            wrong.append(b.bits.mean())
    assert 0.12 < len(wrong) / len(masks) < 0.24
    assert 0.3 < np.mean(np.array(wrong) < 0.6) < 0.7


def test_output_has_all_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.projection._WARM_UP", 0)
    monkeypatch.setattr("benchmarks.projection._ROUNDS", 1)
    monkeypatch.setattr("benchmarks.projection._VIEWS", 2)
    monkeypatch.setattr("benchmarks.projection._FRAMES", 12)
    result = json.loads(json.dumps(bench_projection(targets=3)))
    assert result["targets"] == 3
    assert {"ms_77k", "ms_553k", "mean_iou", "iou_50", "ablation"} <= set(result)
    assert result["points_77k"] == pytest.approx(77_000, rel=0.1)
    assert result["points_553k"] == pytest.approx(553_000, rel=0.1)
    assert list(result["ablation"])[:4] == [
        "baseline",
        "+ morphology",
        "+ point filtering",
        "+ multi-view",
    ]
    assert all(set(row) == {"acc_25", "acc_50", "mean_iou"} for row in result["ablation"].values())
