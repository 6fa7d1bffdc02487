"""Whether frames come out of the images that go in; if not, what is wrong with them."""

from __future__ import annotations

import time
from collections.abc import Mapping

from scenemind_ros.input.camera_input import CameraInput

_HINTS = {
    "no_pose": "no pose at the images' stamps: do odometry or TF come, on the images' clock?",
    "odometry_gap": "odometry has gaps longer than sync.odometry_gap_s",
    "color_unmatched": "no depth (or instance) image within sync.tolerance_s of a colour image",
    "depth_unmatched": "no colour image within sync.tolerance_s of a depth image",
    "clock_jump": "stamps jump back by more than sync.jump_s",
    "color_no_stamp": "the stamps of colour are 0: the driver does not fill them",
    "depth_no_stamp": "the stamps of depth are 0: the driver does not fill them",
}


class FrameYield:
    """Looked at every so often, it knows since when there has been no frame."""

    def __init__(self, source: CameraInput, silence_s: float) -> None:
        """`silence_s` without a frame while colour arrives is a problem."""
        self._source = source
        self._silence_s = silence_s
        self._note()

    def problems(self) -> list[str]:
        """What a person should look at; empty while frames come, or no colour does."""
        is_heard = time.monotonic() - self._source.readers["color"].heard_at < self._silence_s
        if not is_heard or self._source.assembler.delivered != self._frames:
            self._note()
            return []
        without_s = time.monotonic() - self._since
        if without_s < self._silence_s:
            return []
        return [f"no frame came out of the images for {without_s:.0f} s: {self._reason()}"]

    def _note(self) -> None:
        self._since = time.monotonic()
        self._frames = self._source.assembler.delivered
        self._dropped: Mapping[str, int] = self._source.dropped()

    def _reason(self) -> str:
        """The cause that has grown most since the last frame."""
        grown = {
            cause: count - self._dropped.get(cause, 0)
            for cause, count in self._source.dropped().items()
        }
        if not any(grown.values()):
            return "they wait for a stream that lags or is silent"
        cause = max(grown, key=grown.__getitem__)
        detail = self._source.drops.find_detail(cause) or _HINTS.get(cause, "see the log")
        return f"{grown[cause]} x {cause}, {detail}"
