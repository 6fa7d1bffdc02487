"""Frames that show what was asked for, each from another view."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import FrameIndex, KeyFrame, SceneMemoryError
from scenemind.reasoning.frame_choice import FrameChooser, Wanted
from tests.unit.reasoning.scene import looking

CAMERA = PinholeCamera(200, 150, 150.0, 150.0, 99.5, 74.5)
LABELS = "book", "chair"
AHEAD = looking((0, 0, 1), (5, 0, 1))
Seen = tuple[str, int, float]
"""Label, id of the object (0: none), and confidence, of a box that fills a quarter of the image."""


class Album:
    """A memory of frames by their poses and detections."""

    def __init__(self, *frames: tuple[Pose, list[Seen]], lost: int | None = None) -> None:
        """Args: lost: number of a frame without an image."""
        self._frames, self._lost = frames, lost

    def stored_frames(self) -> list[int]:
        return list(range(len(self._frames)))

    def key_frame(self, number: int) -> KeyFrame:
        if number == self._lost:
            raise SceneMemoryError("its image was deleted")
        pose, seen = self._frames[number]
        boxes = {object_id: (50.0, 40.0, 150.0, 110.0) for _, object_id, _ in seen if object_id}
        return KeyFrame(number, number, 0, CAMERA, pose, b"", 0.0, boxes)

    def frame_index(self) -> FrameIndex:
        n = len(self._frames)
        rows = [(f, *one) for f, (_, seen) in enumerate(self._frames) for one in seen]
        return FrameIndex(
            frame_numbers=np.arange(n, dtype=np.int32),
            stamps_ns=np.arange(n),
            location_ids=np.zeros(n, np.int32),
            world_T_camera=np.stack([pose.matrix() for pose, _ in self._frames]),
            camera_indices=np.zeros(n, np.int32),
            cameras=(CAMERA,),
            detection_frames=np.array([row[0] for row in rows], np.int32),
            detection_labels=np.array([LABELS.index(row[1]) for row in rows], np.int32),
            detection_objects=np.array([row[2] for row in rows], np.int32),
            detection_scores=np.array([row[3] for row in rows], np.float32),
            detection_boxes_px=np.tile(np.float32((50, 40, 150, 110)), (len(rows), 1)),
            labels=LABELS,
        )


def turned(degrees: float, at_m: tuple[float, float] = (0.0, 0.0)) -> Pose:
    x, y = at_m
    turn = np.radians(degrees)
    return looking((x, y, 1), (x + np.cos(turn), y + np.sin(turn), 1))


def filled(album: Album, wanted: Wanted, count: int, shown: tuple[int, ...] = ()) -> list[int]:
    chooser = FrameChooser(album, shown)  # type: ignore[arg-type]
    chooser.fill(wanted, count)
    return [frame.frame_number for frame in chooser.frames]


BOOK_3 = Wanted((3,))


def test_the_second_frame_is_no_neighbour_of_the_first() -> None:
    album = Album(
        (turned(0), [("book", 3, 0.9)]),
        (turned(3), [("book", 3, 0.85)]),
        (turned(45, (0.0, -2.0)), [("book", 3, 0.5)]),
    )
    assert filled(album, BOOK_3, 2) == [0, 2]
    # The neighbour repeats a view, and is not worth its tokens.
    assert filled(album, BOOK_3, 3) == [0, 2]


def test_two_frames_from_one_place_may_show_two_things() -> None:
    album = Album((AHEAD, [("book", 3, 0.9)]), (AHEAD, [("chair", 5, 0.2)]), (turned(180), []))
    assert filled(album, Wanted((3, 5)), 2) == [0, 1]
    assert filled(album, BOOK_3, 2) == [0, 2]


def test_a_label_means_detections_without_an_object() -> None:
    album = Album(
        (turned(0), [("book", 3, 0.9)]), (turned(90), [("book", 0, 0.4)]), (turned(180), [])
    )
    assert filled(album, Wanted(("book",)), 1) == [1]
    assert filled(album, Wanted((3, "book")), 2) == [0, 1]
    assert filled(album, Wanted(("book",), (3,)), 2) == [1, 0]


def test_without_anything_wanted_views_are_spread() -> None:
    album = Album(*((turned(10 * i), []) for i in range(36)))
    ways = sorted(10 * number for number in filled(album, Wanted(), 4))
    assert min(np.diff([*ways, ways[0] + 360])) >= 40


def test_what_was_looked_at_is_not_shown_again() -> None:
    album = Album(*((turned(5 * i), [("book", 3, 0.9)]) for i in range(12)))
    again = filled(album, BOOK_3, 2, shown=(0,))
    assert 0 not in again
    assert min(again) * 5 >= 15


def test_a_close_up_is_another_view_and_so_is_the_other_side() -> None:
    near, behind = turned(0, (2.0, 0.0)), turned(180, (4.0, 0.0))
    album = Album((AHEAD, [("book", 3, 0.9)]), (near, []), (behind, []))
    assert sorted(filled(album, BOOK_3, 3)) == [0, 1, 2]


def test_the_next_best_takes_the_place_of_a_lost_image() -> None:
    album = Album((AHEAD, [("book", 3, 0.9)]), (turned(2), [("book", 3, 0.8)]), lost=0)
    assert filled(album, BOOK_3, 1) == [1]


def test_a_count_takes_as_few_frames_as_show_all_of_it() -> None:
    one, two, three = (("chair", i, 0.8) for i in (1, 2, 3))
    album = Album(
        (turned(0), [one]),
        (turned(20), [one, two]),
        (turned(60), [two]),
        (turned(120), [three, ("book", 9, 0.9)]),
        (turned(200), [("chair", 0, 0.5)]),  # detected and not mapped: it may be a fourth one
        (turned(205), [("chair", 0, 0.4)]),
        (turned(280), [("book", 9, 0.9)]),
    )
    chooser = FrameChooser(album)  # type: ignore[arg-type]
    chooser.cover(Wanted((1, 2, 3, "chair")), 9)
    assert sorted(frame.frame_number for frame in chooser.frames) == [1, 3, 4]
    scarce = FrameChooser(album)  # type: ignore[arg-type]
    scarce.cover(Wanted((1, 2, 3, "chair")), 1)
    assert [frame.frame_number for frame in scarce.frames] == [1]


def test_chosen_frames_come_by_the_papers_score_with_the_boxes_of_what_was_wanted() -> None:
    album = Album(
        (turned(0), [("book", 3, 0.5), ("chair", 5, 0.6)]), (turned(90), [("book", 3, 0.9)])
    )
    chooser = FrameChooser(album)  # type: ignore[arg-type]
    wanted = Wanted((3,), (5,))
    chooser.fill(wanted, 2)
    first, second = chooser.chosen(wanted)
    assert (first.frame_number, second.frame_number) == (1, 0)
    assert first.score == pytest.approx(0.9)
    assert second.score == pytest.approx(0.5 + 0.1 * 0.6)
    assert set(second.boxes_px) == {3, 5}


def test_a_place_is_shown_by_a_camera_that_faces_it() -> None:
    album = Album((looking((0, -3, 1.2), (0, -9, 1.2)), []), (looking((0, -3, 1.2), (0, 0, 1)), []))
    assert filled(album, Wanted(places=((0.0, 0.0, 1.0),)), 1) == [1]
