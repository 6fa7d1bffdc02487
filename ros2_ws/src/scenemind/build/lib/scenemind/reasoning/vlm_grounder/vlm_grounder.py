"""VLM-Grounder: a vision model finds an object in stitched images, and depth gives its 3D box.

Differences from the paper: the detections that made the map select the images, with a rest of
others, and a detector searches them only for a class without a sure detection; the model may draw
a box around what no detection is of; retries of all kinds are bounded together; the measured box is
matched with the map's objects; and a query may mean several objects, or none.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.config import VlmGrounderConfig
from scenemind.memory import MemoryAccess
from scenemind.models import ChatModel, ModelError
from scenemind.perception.protocols import TextEncoder
from scenemind.reasoning.method import Asking, GroundReply, MethodReply, Progress
from scenemind.reasoning.query import MEASURED, Query, ReasoningError
from scenemind.reasoning.shared_models import SharedDetector, SharedSegmenter
from scenemind.reasoning.stored_frames import StoredFrames
from scenemind.reasoning.vlm_grounder import questions
from scenemind.reasoning.vlm_grounder.album import Album
from scenemind.reasoning.vlm_grounder.grounded import (
    Grounded,
    as_mapped,
    as_measured,
    confidences,
    sentence_on,
)
from scenemind.reasoning.vlm_grounder.grounding_feedback import Conversation, TargetSearch
from scenemind.reasoning.vlm_grounder.measured_layouts import layouts_of
from scenemind.reasoning.vlm_grounder.projection import measure, pictures_of
from scenemind.reasoning.vlm_grounder.query_analysis import analyze_query
from scenemind.reasoning.vlm_grounder.targets import QueryAnalysis, StoredScene, Target
from scenemind.reasoning.vlm_grounder.view_preselection import (
    ClassDetector,
    ViewSelection,
    ViewSelector,
)

_MOST_TARGETS = 12  # that are measured
_MOST_EVIDENCE = 9  # key frames


class VlmGrounder:
    """A `GroundMethod`. It reports the stages analyze, preselect, detect (seldom), stitch, look,
    choose, segment, measure, and feedback and repair in between."""

    name = "vlm_grounder"

    def __init__(
        self,
        language: ChatModel,
        vision: ChatModel,
        segmenter: SharedSegmenter,
        config: VlmGrounderConfig | None = None,
        detector: SharedDetector | None = None,
        encoder: TextEncoder | None = None,
    ) -> None:
        """
        Args:
            language: analyses queries, and guesses labels.
            vision: the VLM, which sees the images.
            segmenter: makes the masks of targets.
            detector: searches for classes that the map does not know; None: no search.
            encoder: compares the meanings of labels; None: only words and the model do.

        Raises:
            ConfigError: `layouts` or `layouts_file`, which is read here, is invalid.
        """
        self._language = language
        self._vision = vision
        self._segmenter = segmenter
        self._config = config = config or VlmGrounderConfig()
        fallback = None
        if detector is not None and config.fallback_detector:
            fallback = ClassDetector(detector, config.fallback_frames, config.detection_score)
        self._layouts = layouts_of(config, vision.name)
        most = min(config.most_frames, config.sheets * self._layouts[-1].cells)
        self._views = ViewSelector(encoder, fallback, most, config.detection_score)

    def ground(self, query: Query, memory: MemoryAccess, asking: Asking) -> GroundReply:
        """Find what a phrase means (paper, Fig. 2); see `GroundMethod`. An object of the map comes
        with the map's box and with the measured one, the likelier box first."""
        scene = StoredScene.of(memory)
        # Query analysis (section 3.1): target class and grounding conditions.
        analysis = analyze_query(query, scene, self._language, asking)

        # View pre-selection (3.1): the stored frames that show the target class, and some others.
        selection = self._views.select(analysis, scene, asking)

        # Dynamic stitching (3.2): these images with their IDs, on at most L sheets.
        album = self._stitched(selection, scene, asking)

        # Grounding and feedback (3.3): the VLM names an image, then one of the detections that are
        # marked in it, or draws a box; a choice that is invalid is returned with feedback.
        conversation = Conversation(self._vision, questions.system_prompt(), asking)
        task = questions.ask_for_image(query, analysis, scene.snapshot, album, selection)
        conversation.tell(task, album.sheets)
        search = TargetSearch(conversation, album, selection, analysis, query.policy, self._config)
        targets = search.targets()

        # Multi-view ensemble projection (3.4): masks in up to N views, as one box in the world.
        found = self._measured(targets, analysis, scene, asking)
        things = len(selection.candidates.objects())
        of_boxes = [confidences(one, search.retries, things, selection.by) for one in found]
        return _reply(found, of_boxes, asking.progress)

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`: which object is meant, and its position."""
        found = self.ground(query, memory, asking)
        text = sentence_on(found.objects)
        things = tuple(thing for thing in found.objects if thing.object_id != MEASURED)
        return MethodReply(
            text, found.confidence, things or found.objects, found.key_frames, found.steps
        )

    def _stitched(self, selection: ViewSelection, scene: StoredScene, asking: Asking) -> Album:
        """The selected images on sheets.

        Raises:
            ReasoningError: no image is left of what was chosen.
            ModelError: cancelled, or the allowance is used up.
        """
        progress = asking.progress
        progress.report("stitch")
        stored = StoredFrames(scene.memory)
        shown = []
        for row in selection.rows.tolist():
            asking.allowance.check_time()  # each image may come over the network
            frame = stored.find(int(scene.index.frame_numbers[row]))
            if frame is not None:
                shown.append((row, frame))
        progress.note(*stored.steps())
        if not shown:
            raise ReasoningError("empty_memory", "No image is stored any more of what was chosen.")
        album = Album.of(shown, self._layouts, self._config)
        progress.pictures += album.pictures()
        progress.note(f"stitched: {album.summary()}")
        progress.report("stitch", progress.steps[-1])
        return album

    def _measured(
        self,
        targets: Sequence[Target],
        analysis: QueryAnalysis,
        scene: StoredScene,
        asking: Asking,
    ) -> list[Grounded]:
        """The targets in the world, each object once, at least one; those that fail are left out.

        Raises:
            ReasoningError: all targets failed.
            ModelError: cancelled, or the allowance was used up before one was measured.
        """
        progress = asking.progress
        found: list[Grounded] = []
        failure: ReasoningError | None = None
        for number, target in enumerate(targets[:_MOST_TARGETS], start=1):
            try:
                asking.allowance.check_time()
                one = self._located(target, analysis, scene, asking)
            except ReasoningError as error:
                progress.note(f"left out target {number}: {error}")
                failure = failure or error
                continue
            except ModelError as error:
                if error.kind == "cancelled" or not found:
                    raise
                progress.note(f"not measured from target {number} on: {error}")
                break
            progress.note(*one.steps)
            if any(one.is_same_as(other) for other in found):
                progress.note("that is the same thing once more")
                continue
            found.append(one)
            if one.measured is not None:
                progress.pictures += pictures_of(one.measured)
        if failure is not None and not found:
            raise failure
        return found

    def _located(
        self, target: Target, analysis: QueryAnalysis, scene: StoredScene, asking: Asking
    ) -> Grounded:
        """A target as measured, else as the map has it.

        Raises:
            ReasoningError: it cannot be measured, and no object of the map was detected there.
        """
        asking.progress.report("measure", key_frames=(target.frame,))
        try:
            segmenter = self._segmenter.within(asking.allowance)
            measured = measure(target, scene, segmenter, self._config, asking)
        except ReasoningError as error:
            thing = scene.snapshot.objects.get(target.object_id or 0)
            if thing is None:
                raise
            return as_mapped(target, thing, str(error))
        return as_measured(target, measured, scene.snapshot, analysis.target_class)


def _reply(
    found: Sequence[Grounded], sure: Sequence[tuple[float, ...]], progress: Progress
) -> GroundReply:
    """Each object with its likelier box, most confident first, then the other boxes."""
    order = sorted(range(len(found)), key=lambda place: -sure[place][0])
    answers = [list(zip(found[place].objects, sure[place], strict=True)) for place in order]
    pairs = [boxes[0] for boxes in answers] + [pair for boxes in answers for pair in boxes[1:]]
    frames = [frame for place in order for frame in found[place].key_frames()[:1]]
    frames += [frame for place in order for frame in found[place].key_frames()[1:]]
    return GroundReply(
        objects=tuple(thing for thing, _ in pairs),
        confidences=tuple(confidence for _, confidence in pairs),
        steps=tuple(progress.steps),
        key_frames=tuple(frames[:_MOST_EVIDENCE]),
        pictures=tuple(progress.pictures),
    )
