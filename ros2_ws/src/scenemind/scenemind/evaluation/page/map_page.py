"""The page of maps beside boxes that a person made by hand: scores, both from above, both in key
frames."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from scenemind.evaluation.map_scores import LEAST_FRAMES, SURE, MapScores, Recall
from scenemind.evaluation.page.page import PAGE, Bar, bins_as_bars
from scenemind.evaluation.page.pictures import Marked, Picture, data_url, draw_scene
from scenemind.exchange import ObjectRow, objects_of_rows
from scenemind.geometry import Box3D, Pose
from scenemind.memory import FrameIndex, KeyFrame, MemoryAccess, SceneMemoryError
from scenemind.reasoning.vlm_grounder.projection.pictures import visible_edges_px
from scenemind.report.drawing import render_of, rgb_of

_LOG = logging.getLogger(__name__)
_FRAMES = 6
_NEAR_M, _FAR_M = 0.3, 5.0
_WIDTH_PX = 720
_JPEG = (cv2.IMWRITE_JPEG_QUALITY, 80)
# Kind of a thing or map object -> its colour in key frames; drawings have the same ones by style.
_COLORS = {
    "true": "#147a46",
    "missed": "#b3261e",
    "found": "#1f5fae",
    "wrong": "#c2410c",
    "open": "#6b7280",
}
_KINDS = {"right": "found", "part": "found", "double": "wrong", "wrong": "wrong"}


@dataclass(frozen=True, slots=True)
class FramePictures:
    """One key frame with the truth's boxes, and with the map's."""

    number: int
    truth: Picture
    mapped: Picture


@dataclass(frozen=True, slots=True)
class ComparedMap:
    """A memory beside the truth, ready for the page.

    Attributes:
        truth, mapped: drawings from above, of the same scale.
    """

    name: str
    scores: MapScores
    truth: Markup
    mapped: Markup
    frames: tuple[FramePictures, ...]

    @property
    def counted(self) -> Recall | None:
        return Recall.of(self.scores.counted) if self.scores.counted else None

    @property
    def detected(self) -> Recall | None:
        return Recall.of(self.scores.detected) if self.scores.detected else None

    @property
    def bars(self) -> list[Bar]:
        """Of the reliability of confidences."""
        reliability = self.scores.reliability
        return [] if reliability is None else list(bins_as_bars(reliability))

    @property
    def if_perfect(self) -> tuple[float, ...]:
        """Between which shares a perfect confidence of so many objects would be off."""
        reliability = self.scores.reliability
        return (
            () if reliability is None else tuple(p / 100 for p in reliability.interval_if_perfect)
        )


def compare_on_page(name: str, scores: MapScores, memory: MemoryAccess) -> ComparedMap:
    """Draw a memory beside the truth of its scores; frames whose image is damaged are left out,
    which is logged."""
    true, mapped = _true_marks(scores), _map_marks(scores)
    rows = [
        ObjectRow(
            id=number, label=one.text, center=one.box.center, size=one.box.size, yaw=one.box.yaw
        )
        for number, one in enumerate(true)
    ]
    objects = {one.found.object_id: one.found for one in scores.mapped}
    frames = []
    for number in _showing(scores, memory.frame_index()):
        try:
            frame = memory.key_frame(number)
            frames.append(
                FramePictures(
                    number,
                    _picture(frame, true, "boxes made by hand"),
                    _picture(frame, mapped, "boxes of the map"),
                )
            )
        except (SceneMemoryError, ValueError) as error:
            _LOG.warning("frame %d is not shown: %s", number, error)
    return ComparedMap(
        name,
        scores,
        draw_scene(objects, true),
        draw_scene(objects_of_rows(rows), mapped),
        tuple(frames),
    )


def _true_marks(scores: MapScores) -> list[Marked]:
    """Things that can be detected, and those that the map has under wrong labels; missed are those
    that count."""
    misnamed = {one.thing.id for one in scores.mapped if one.thing and one.verdict == "wrong"}
    shown = [one for one in scores.true if one.thing.is_detectable or one.thing.id in misnamed]
    return [
        Marked(
            "missed" if one.found is None and one.thing.counts else "true",
            f"{one.thing.id} {one.iou:.2f}" if one.found is not None else one.thing.id,
            one.thing.turned_box,
        )
        for one in shown
    ]


def _map_marks(scores: MapScores) -> list[Marked]:
    return [
        Marked(
            _KINDS.get(one.verdict, "wrong" if scores.exhaustive else "open"),
            f"{one.found.label} {one.found.object_id}",
            one.found.yaw_box,
        )
        for one in scores.mapped
    ]


def _showing(scores: MapScores, index: FrameIndex) -> list[int]:
    """Numbers of a few stored frames that together have the most things in view, in order."""
    middles = np.array([one.thing.center for one in scores.true if one.thing.is_detectable])
    if not len(middles) or not len(index):
        return []
    in_view = np.array([_in_view(middles, index, row) for row in range(len(index))])
    chosen: list[int] = []
    left = np.ones(len(middles), bool)
    while len(chosen) < _FRAMES:
        gains = (in_view & left).sum(axis=1)
        best = int(gains.argmax())
        if gains[best] == 0:
            break
        chosen.append(best)
        left &= ~in_view[best]
    return sorted(int(index.frame_numbers[row]) for row in chosen)


def _in_view(points: NDArray[np.float64], index: FrameIndex, row: int) -> NDArray[np.bool_]:
    """(N,) bool: points (N, 3) in the picture of a frame, and near."""
    camera = index.cameras[index.camera_indices[row]]
    in_camera = Pose.from_matrix(index.world_T_camera[row]).inverse().transform(points)
    depth = in_camera[:, 2]
    near = (depth > _NEAR_M) & (depth < _FAR_M)
    pixels, _ = camera.project(np.where(near[:, None], in_camera, (0.0, 0.0, 1.0)))
    inside = ((pixels >= 0) & (pixels < (camera.width, camera.height))).all(axis=1)
    return np.asarray(near & inside)


def _picture(frame: KeyFrame, marks: Sequence[Marked], title: str) -> Picture:
    """
    Raises:
        ValueError: the frame's image cannot be decoded.
    """
    image = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError("its image cannot be decoded")
    scale = _WIDTH_PX / image.shape[1]
    camera = frame.camera.resized(_WIDTH_PX, round(image.shape[0] * scale))
    drawn = cv2.resize(image, (camera.width, camera.height), interpolation=cv2.INTER_AREA)
    to_camera = frame.world_T_camera.inverse()
    shown = [(float(to_camera.transform(np.array(one.box.center))[2]), one) for one in marks]
    for depth, one in sorted(shown, key=lambda pair: -pair[0]):
        if not _NEAR_M < depth < _FAR_M:
            continue
        bgr = rgb_of(_COLORS[one.kind])[::-1]
        for start, end in visible_edges_px(one.box, camera, frame.world_T_camera):
            cv2.line(drawn, start, end, bgr, 2, cv2.LINE_AA)
        _write(drawn, _name_px(one.box, frame, camera.width / frame.camera.width), one.text, bgr)
    _, jpeg = cv2.imencode(".jpg", drawn, _JPEG)
    return Picture(title, data_url(jpeg.tobytes()))


def _name_px(box: Box3D, frame: KeyFrame, scale: float) -> tuple[int, int]:
    """Where a name goes: on top of the box, or in its middle where the top is behind the camera."""
    ends = np.array([(*box.center[:2], box.top_z), box.center])
    top, middle = frame.world_T_camera.inverse().transform(ends)
    pixels, _ = frame.camera.project((top if top[2] > _NEAR_M else middle)[None])
    x, y = (pixels[0] * scale).tolist()
    return round(x), round(y)


def _write(image: NDArray[np.uint8], at: tuple[int, int], text: str, bgr: tuple[int, ...]) -> None:
    """Write a name around a point, dark on a light ground; names outside are cut."""
    text = text.encode("ascii", "replace").decode()
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.42, 1)
    x, y = at[0] - width // 2, at[1]
    cv2.rectangle(image, (x - 2, y - height - 2), (x + width + 2, y + 3), (255, 255, 255), -1)
    cv2.putText(image, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.42, bgr, 1, cv2.LINE_AA)


def write_map_page(folder: Path, truth: str, maps: Iterable[ComparedMap]) -> Path:
    """Write the page into a folder, which is created; returns the page's path.

    Args:
        truth: name of the truth, for people.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    text = render_of(
        "scenemind.evaluation.page",
        "map.html.j2",
        truth=truth,
        maps=list(maps),
        colors=_COLORS,
        sure=SURE,
        least_frames=LEAST_FRAMES,
    )
    page.write_text(str(text), encoding="utf-8")
    return page
