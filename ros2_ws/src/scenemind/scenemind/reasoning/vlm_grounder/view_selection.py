"""From the class of a query to the frames and detections that may show it, without a detector
(VLM-Grounder, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.reasoning.method import Asking
from scenemind.reasoning.types import Query
from scenemind.reasoning.vlm_grounder.candidates import (
    Candidates,
    all_candidates,
    candidates_of_class,
    seen_candidates,
)
from scenemind.reasoning.vlm_grounder.class_labels import LabelMatcher
from scenemind.reasoning.vlm_grounder.fallback_detection import ClassDetector
from scenemind.reasoning.vlm_grounder.filmed import Filmed
from scenemind.reasoning.vlm_grounder.preselection import frames_to_show
from scenemind.reasoning.vlm_grounder.query_analysis import UNKNOWN
from scenemind.reasoning.vlm_grounder.types import QueryAnalysis
from scenemind.words.quoting import quoted


@dataclass(frozen=True, slots=True, eq=False)
class ViewSelection:
    """
    Attributes:
        candidates: what may be meant.
        rows: of the frame index: frames to show, in the order of time.
        by_class: only frames that show the class are among them.
    """

    candidates: Candidates
    rows: NDArray[np.intp]
    by_class: bool


class ViewSelector:
    """Thread-safe: nothing of a query is kept."""

    def __init__(
        self,
        labels: LabelMatcher,
        detector: ClassDetector | None,
        most_frames: int,
        least_score: float,
    ) -> None:
        """
        Args:
            detector: looks where no label of the memory means the class; None: nobody does.
            most_frames: of one query.
            least_score: a surer detection shows the class.
        """
        self._labels = labels
        self._detector = detector
        self._most_frames = most_frames
        self._least_score = least_score

    def select(
        self,
        query: Query,
        analysis: QueryAnalysis,
        filmed: Filmed,
        asking: Asking,
        steps: list[str],
    ) -> ViewSelection:
        """Frames that show the class; where nothing is known to, all frames, as in the paper's
        code, with all that was detected.

        Args:
            steps: gets what was done.

        Raises:
            ModelError: the model that is asked for labels failed, or the allowance is used up.
        """
        asking.report("preselect")
        index = filmed.index
        candidates = self._find_of_class(query, analysis, filmed, asking, steps)
        by_class = candidates is not None
        if candidates is None:
            candidates = all_candidates(index, self._least_score)
        rows = frames_to_show(index, candidates, self._most_frames, with_all=not by_class)
        count = len(np.unique(candidates.rows)) if by_class else len(index)
        what = "show such a thing" if by_class else "may show it"
        places = len(np.unique(index.location_ids[rows]))
        steps.append(
            f"{count} of {len(index)} stored frames {what}; {len(rows)} of them are looked at,"
            f" from {places} {'location' if places == 1 else 'locations'}"
        )
        asking.report("preselect", steps[-1])
        return ViewSelection(candidates, rows, by_class)

    def _find_of_class(
        self,
        query: Query,
        analysis: QueryAnalysis,
        filmed: Filmed,
        asking: Asking,
        steps: list[str],
    ) -> Candidates | None:
        """None where the query names no class, or nothing shows it."""
        name, least = analysis.target_class, self._least_score
        index, objects = filmed.index, filmed.snapshot.objects
        if name == UNKNOWN:
            return None
        known = {*index.labels, *(thing.label for thing in objects.values())}
        labels = self._labels.match(name, known, query, asking, steps)
        found = candidates_of_class(index, labels, objects, least)
        if len(found):
            return found
        if labels:
            steps.append(f"no stored frame shows one with a score above {least:g}")
        if self._detector is None:
            return None
        seen = self._detector.detect(name, filmed.memory, asking)
        steps += seen.steps
        found = seen_candidates(index, seen.boxes)
        if not len(found):
            steps.append(f"nobody knows a frame with {quoted(name)}")
        return found if len(found) else None
