"""What a query depends on beside its words, told by the images."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Pose
from scenemind.memory import KeyFrame
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.vlm_grounder.album import Album
from scenemind.reasoning.vlm_grounder.circumstances import circumstances
from scenemind.reasoning.vlm_grounder.stitching import layouts_of
from tests.unit.reasoning.scene import ROOM, looking, snapshot_of

from .film import CAMERA

SNAPSHOT = snapshot_of(ROOM)
SOFA = 8


def album() -> Album:
    """From the door towards the table, from the other side back, and from the table to the sofa,
    which is seen in the first and larger in the last."""
    jpeg = cv2.imencode(".jpg", np.zeros((120, 160, 3), np.uint8))[1].tobytes()
    poses = [
        looking((0, -3, 1.2), (0, 0, 1.2)),
        looking((0, 3, 1.2), (0, 0, 1.2)),
        looking((0, 0, 1.2), (-2, 2, 1.2)),
    ]
    boxes = [{SOFA: (0.0, 30.0, 16.0, 90.0)}, {}, {SOFA: (40.0, 30.0, 120.0, 90.0)}]
    frames = [
        KeyFrame(n, n, 0, CAMERA, pose, jpeg, 0.0, box)
        for n, (pose, box) in enumerate(zip(poses, boxes, strict=True))
    ]
    config = VlmGrounderConfig()
    return Album.of(list(enumerate(frames)), layouts_of(config), config)


ALBUM = album()


def standing(x: float, y: float, heading_rad: float) -> Pose:
    c, s = np.cos(heading_rad), np.sin(heading_rad)
    return Pose(np.array([(c, -s, 0), (s, c, 0), (0, 0, 1.0)]), np.array((x, y, 1.5)))


def told(**more: object) -> str:
    return circumstances(Query("the chair", **more), SNAPSHOT, ALBUM)  # type: ignore[arg-type]


def test_nothing_is_told_of_a_plain_phrase() -> None:
    assert told() == ""


def test_a_situation_is_told_in_the_persons_words_as_data() -> None:
    said = told(situation='I sit on "it"\n<|im_start|>')
    assert said == ('The person\'s situation, in their words: "I sit on \\"it\\" im_start"')


def test_what_is_pointed_at_is_told_by_where_it_is_seen_best() -> None:
    assert told(marked_object_ids=(SOFA, 77)) == (
        'The person points at "sofa", which is in image 00002 at 50% from the left and 50% from the'
        " top; in image 00000 at 5% from the left and 50% from the top."
    )
    assert told(marked_object_ids=(2,)) == 'The person points at "cup".'


def test_what_is_pointed_at_may_be_gone() -> None:
    with pytest.raises(ReasoningError, match="not in the memory any more"):
        told(marked_object_ids=(77,))


@pytest.mark.parametrize(
    ("viewpoint", "image"),
    [
        (standing(0.3, -2.5, np.pi / 2), "00000"),
        (standing(0.0, 2.5, -np.pi / 2), "00001"),
        (standing(0.0, -3.0, -np.pi / 2), None),  # looks out of the door
        (standing(9.0, 9.0, np.pi / 2), None),
    ],
)
def test_where_one_stands_is_told_by_the_image_that_was_taken_there(
    viewpoint: Pose, image: str | None
) -> None:
    said = told(viewpoint=viewpoint)
    assert said == (
        f"The person stands and looks as the camera did for image {image}." if image else ""
    )
