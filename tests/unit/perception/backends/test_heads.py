"""Decoding network outputs that are built by hand."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.backends.heads import (
    Candidates,
    best_first,
    coco_names,
    decode_rows,
    decode_yolo,
    decode_yolox,
    non_maximum_suppression,
    recognise_head,
)

NAMES = {"names": "{0: 'Cup', 1: 'chair'}"}


def test_yolo_columns_are_centre_size_classes_and_mask_weights() -> None:
    prediction = np.zeros((4 + 2 + 3, 5), np.float32)
    prediction[:, 3] = (100, 50, 40, 20, 0.2, 0.9, 1, 2, 3)
    prediction[:, 4] = (10, 10, 4, 4, 0.05, 0.02, 0, 0, 0)

    found = decode_yolo(prediction, class_count=2, min_score=0.1)

    np.testing.assert_allclose(found.boxes_px, [(80, 40, 120, 60)])
    np.testing.assert_allclose(found.scores, [0.9])
    assert found.class_ids.tolist() == [1]
    np.testing.assert_allclose(found.coefficients, [(1, 2, 3)])


def test_end_to_end_rows_are_corners_score_class() -> None:
    rows = np.array([(1, 2, 3, 4, 0.8, 5), (1, 2, 3, 4, 0.05, 6), (0, 0, 0, 0, 0, 0)], np.float32)

    found = decode_rows(rows, min_score=0.1)

    np.testing.assert_allclose(found.boxes_px, [(1, 2, 3, 4)])
    assert found.class_ids.tolist() == [5]
    assert len(decode_rows(rows, min_score=0.0)) == 2, "unused rows never count"


def test_yolox_offsets_are_relative_to_their_cell_and_stride() -> None:
    # A 64x32 input has 8x4 + 4x2 + 2x1 anchors; the last but one is stride 32, cell (0, 0).
    prediction = np.zeros((32 + 8 + 2, 5 + 2), np.float32)
    prediction[40] = (0.5, 0.25, np.log(2.0), 0.0, 0.8, 0.5, 0.1)
    # Stride 8, second row, third column.
    prediction[10] = (0.0, 0.0, 0.0, np.log(3.0), 1.0, 0.2, 0.9)

    found = best_first(decode_yolox(prediction, (64, 32), min_score=0.3), limit=2)

    np.testing.assert_allclose(found.boxes_px[0], (16 - 4, 8 - 12, 16 + 4, 8 + 12), rtol=1e-5)
    np.testing.assert_allclose(found.boxes_px[1], (16 - 32, 8 - 16, 16 + 32, 8 + 16), rtol=1e-5)
    np.testing.assert_allclose(found.scores, [0.9, 0.4], rtol=1e-6)
    assert found.class_ids.tolist() == [1, 0]


def test_a_yolox_export_with_decoded_boxes_is_refused() -> None:
    prediction = np.full((42, 7), 30.0, np.float32)
    with pytest.raises(PerceptionError, match="without --decode_in_inference"):
        decode_yolox(prediction, (64, 32), min_score=0.3)


def test_suppression_is_per_class_and_keeps_the_best() -> None:
    box = np.array((10, 10, 50, 50), np.float32)
    candidates = Candidates(
        boxes_px=np.stack((box, box + 1, box + 2, box + 100)),
        scores=np.array((0.5, 0.9, 0.6, 0.3), np.float32),
        class_ids=np.array((0, 0, 1, 0), np.int32),
        coefficients=np.zeros((4, 0), np.float32),
    )

    kept = non_maximum_suppression(candidates, iou=0.6, limit=10)

    np.testing.assert_allclose(kept.scores, [0.9, 0.6, 0.3])
    assert kept.class_ids.tolist() == [0, 1, 0]


@pytest.mark.parametrize("limit", [1, 5, 40, 400])
def test_a_limit_gives_the_first_of_all_that_stay(limit: int) -> None:
    rng = np.random.default_rng(limit)
    corners = rng.uniform(0, 100, (400, 2))
    crowd = Candidates(
        boxes_px=np.hstack((corners, corners + rng.uniform(5, 60, (400, 2)))).astype(np.float32),
        scores=(rng.permutation(400) / 400).astype(np.float32),
        class_ids=rng.integers(0, 3, 400).astype(np.int32),
        coefficients=np.zeros((400, 0), np.float32),
    )
    every = non_maximum_suppression(crowd, iou=0.3, limit=400)
    assert 40 < len(every) < 400
    np.testing.assert_array_equal(
        non_maximum_suppression(crowd, 0.3, limit).scores, every.scores[:limit]
    )


@pytest.mark.parametrize(
    ("shapes", "metadata", "kind", "has_masks"),
    [
        ([(1, 6, 2100)], NAMES, "yolo", False),
        ([(1, 4 + 2 + 32, 2100), (1, 32, 80, 80)], NAMES, "yolo", True),
        ([(1, 84, 2100)], {}, "yolo", False),
        ([(1, 300, 6)], NAMES | {"end2end": "True"}, "end_to_end", False),
        ([(1, 300, 38), (1, 32, 80, 80)], NAMES | {"end2end": "True"}, "end_to_end", True),
        ([(1, 300, 6)], NAMES | {"args": "{'batch': 1, 'nms': True}"}, "end_to_end", False),
        ([(1, 2100, 85)], {}, "yolox", False),
    ],
)
def test_heads_are_recognised(
    shapes: list[tuple[int, ...]], metadata: dict[str, str], kind: str, has_masks: bool
) -> None:
    head = recognise_head(shapes, (320, 320), metadata)
    assert (head.kind, head.has_masks) == (kind, has_masks)
    assert head.class_names == (("cup", "chair") if "names" in metadata else coco_names())


@pytest.mark.parametrize(
    ("shapes", "metadata", "kind", "overlaps"),
    [
        ([(1, 300, 38), (1, 32, 80, 80)], {"end2end": "True"}, "end_to_end", False),
        ([(1, 1000, 6)], {"end2end": "False"}, "candidates", True),
        ([(1, 4 + 12, 2100)], {}, "yolo", True),
    ],
)
def test_heads_that_are_given_words_name_no_classes(
    shapes: list[tuple[int, ...]], metadata: dict[str, str], kind: str, overlaps: bool
) -> None:
    head = recognise_head(shapes, (320, 320), metadata, words=12)
    assert (head.kind, head.overlaps, head.class_names) == (kind, overlaps, ())


def test_a_head_of_other_words_than_were_given_is_refused() -> None:
    with pytest.raises(PerceptionError, match="and 12 word vectors"):
        recognise_head([(1, 4 + 80, 2100)], (320, 320), {}, words=12)


@pytest.mark.parametrize(
    ("shapes", "metadata", "message"),
    [
        ([(1, 1000)], {}, r"\(1, 1000\).*no head that is known"),
        ([(1, 25200, 85)], {}, "no head that is known"),
        ([(2, 84, 2100)], {}, "batch size 1"),
        ([(1, 10, 2100)], {}, "6 classes but 80 class names"),
        ([(1, 6, 2100)], {"names": "{0: 'cup'"}, "no table of class names"),
    ],
)
def test_error_describes_unknown_heads(
    shapes: list[tuple[int, ...]], metadata: dict[str, str], message: str
) -> None:
    with pytest.raises(PerceptionError, match=message):
        recognise_head(shapes, (320, 320), metadata)


def test_coco_has_eighty_names() -> None:
    assert len(set(coco_names())) == 80
    assert coco_names()[41] == "cup"
