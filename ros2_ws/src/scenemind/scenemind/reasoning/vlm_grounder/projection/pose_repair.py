"""Poses that depth contradicts, found anew from image features."""

from __future__ import annotations

from scenemind.geometry import Pose
from scenemind.reasoning.vlm_grounder.projection.matching import FeatureMatcher
from scenemind.reasoning.vlm_grounder.projection.stored_view import StoredView
from scenemind.reasoning.vlm_grounder.projection.taken_view import TakenView

_MOST_TRIES = 4  # each takes as long as ten views with good poses


class PoseRepair:
    """Lays other views to the anchor.

    Attributes:
        repaired: frame numbers of views that it could lay, with how many features matched.
    """

    def __init__(self, anchor: TakenView) -> None:
        self._anchor = anchor
        self._matcher: FeatureMatcher | None = None
        self._tries = 0
        self.repaired: dict[int, int] = {}

    def find_pose(self, stored: StoredView) -> Pose | None:
        """`world_T_camera` by which its depth fits to the anchor's; None: it cannot be told."""
        if self._tries == _MOST_TRIES:
            return None
        self._tries += 1
        color = stored.as_frame().color
        found = self._get_matcher().find_pose(
            color, stored.depth, self._anchor.surface_view.world_T_camera
        )
        if found is None:
            return None
        pose, matches = found
        self.repaired[stored.frame.frame_number] = matches
        return pose

    def _get_matcher(self) -> FeatureMatcher:
        if self._matcher is None:
            stored = self._anchor.stored
            mask = self._anchor.surface_view.mask
            self._matcher = FeatureMatcher(stored.as_frame().color, mask, stored.depth)
        return self._matcher
