"""Eyes that make no mistakes, to measure the logic of programs alone (VADAR, "+ oracle"). Whatever
rests on them says so: its steps name the oracle.

Boxes and depths are the truth; questions of programs still go to the vision model.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.frames import RGBDFrame
from scenemind.frames.encodings import encode_color_file
from scenemind.perception.types import Detections
from scenemind.reasoning.vadar.image_depth import ImageDepth
from scenemind.reasoning.vadar.view import BoxPx, View
from scenemind.words.english import normal
from scenemind.words.label_index import LabelIndex
from scenemind.words.vocabulary import Vocabulary

ORACLE = "oracle (ground truth)"


class OracleLocator:
    """A `Locator` of true boxes."""

    name = ORACLE

    def __init__(self, truth: Detections) -> None:
        self._truth = truth
        self._labels = LabelIndex(dict.fromkeys(truth.labels))

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """See `Locator`: things of that name, and of kinds of it."""
        found = Vocabulary.load().match_in(normal(prompt), self._labels)
        names = {match.label for match in found if match.sure}
        boxes = zip(self._truth.labels, self._truth.boxes_px.tolist(), strict=True)
        return [(x0, y0, x1, y1) for label, (x0, y0, x1, y1) in boxes if label in names]


def oracle_view(frame: RGBDFrame, truth: Detections) -> View:
    """
    Args:
        frame: with its true depth.
        truth: what is really in it.
    """
    return View(
        name=f"frame {frame.number} with an {ORACLE}",
        width=frame.camera.width,
        height=frame.camera.height,
        jpeg=encode_color_file(frame.color),
        locator=OracleLocator(truth),
        depth=ImageDepth(frame.depth_m, ORACLE),
    )
