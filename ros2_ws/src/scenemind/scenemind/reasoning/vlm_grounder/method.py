"""VLM-Grounder: a vision model finds a thing in stitched images, and depth says where it is.

Unlike the paper's code: the detections that made the map choose the images, and no detector looks
through the film; retries are bounded together; what was measured is matched with the map; and a
query may mean several things, or none.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.config import VlmGrounderConfig
from scenemind.memory import MemoryAccess
from scenemind.models import ChatModel, ModelError
from scenemind.perception.protocols import TextEncoder
from scenemind.reasoning.detecting import SharedDetector
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import Asking, GroundReply, MethodReply
from scenemind.reasoning.stored_frames import StoredFrames
from scenemind.reasoning.types import MEASURED, Query
from scenemind.reasoning.vlm_grounder import questions
from scenemind.reasoning.vlm_grounder.album import Album
from scenemind.reasoning.vlm_grounder.class_labels import LabelMatcher
from scenemind.reasoning.vlm_grounder.confidence import confidences
from scenemind.reasoning.vlm_grounder.conversation import Conversation
from scenemind.reasoning.vlm_grounder.fallback_detection import ClassDetector
from scenemind.reasoning.vlm_grounder.filmed import Filmed, Notes
from scenemind.reasoning.vlm_grounder.projection import find_floor_z, measure, pictures_of
from scenemind.reasoning.vlm_grounder.query_analysis import analyze
from scenemind.reasoning.vlm_grounder.result import Grounded, as_mapped, as_measured
from scenemind.reasoning.vlm_grounder.search import TargetSearch
from scenemind.reasoning.vlm_grounder.shared_segmenter import SharedSegmenter
from scenemind.reasoning.vlm_grounder.stitching import layouts_of
from scenemind.reasoning.vlm_grounder.telling import sentence_on
from scenemind.reasoning.vlm_grounder.types import QueryAnalysis, Target
from scenemind.reasoning.vlm_grounder.view_selection import ViewSelection, ViewSelector

_MOST_TARGETS = 12  # that are measured
_MOST_EVIDENCE = 9  # key frames


class VlmGrounder:
    """A `GroundMethod`. Stages that it reports: analyze, preselect, detect (seldom), stitch, look,
    choose, segment, measure; feedback and repair in between."""

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
            language: takes queries apart, and knows other words.
            vision: sees the images.
            segmenter: cuts what was found out of them.
            detector: looks for what the map has no label for; None: nobody does.
            encoder: compares labels by their meaning; None: words and the model do.

        Raises:
            ConfigError: `layouts`, or `layouts_file`, which is read here, cannot be used.
        """
        self._language = language
        self._vision = vision
        self._segmenter = segmenter
        self._config = config = config or VlmGrounderConfig()
        eyes = None
        if detector is not None and config.fallback_detector:
            eyes = ClassDetector(detector, config.fallback_frames, config.detection_score)
        self._layouts = layouts_of(config, vision.name)
        most = min(config.most_frames, config.sheets * self._layouts[-1].cells)
        self._views = ViewSelector(
            LabelMatcher(language, encoder), eyes, most, config.detection_score
        )

    def ground(self, query: Query, memory: MemoryAccess, asking: Asking) -> GroundReply:
        """See `GroundMethod`. What the map knows comes as the map's object and as it was measured,
        the likelier box first."""
        notes = Notes()
        with asking.trail.kept(notes.steps, notes.looked_at, notes.pictures):
            filmed = Filmed.by(memory)
            analysis = analyze(query, self._language, asking, notes.steps)
            selection = self._views.select(query, analysis, filmed, asking, notes.steps)
            album = self._stitched(selection, filmed, asking, notes)
            conversation = Conversation(
                self._vision, questions.system_prompt(), asking, notes.steps
            )
            task = questions.ask_for_image(
                query, analysis, filmed.snapshot, album, filtered=selection.by_class
            )
            conversation.tell(task, album.sheets)
            search = TargetSearch(
                conversation,
                album,
                selection.candidates,
                analysis,
                query.policy,
                self._config,
                asking,
                notes,
            )
            targets = search.targets()
            found = self._measured(targets, analysis, filmed, asking, notes)
            things = len(selection.candidates.objects())
            sure = [
                confidences(one, search.retries, things, by_class=selection.by_class)
                for one in found
            ]
            return _reply(found, sure, notes)

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`: which thing is meant, and where that is."""
        found = self.ground(query, memory, asking)
        text = sentence_on(found.objects)
        things = tuple(thing for thing in found.objects if thing.object_id != MEASURED)
        return MethodReply(
            text, found.confidence, things or found.objects, found.key_frames, found.steps
        )

    def _stitched(
        self, selection: ViewSelection, filmed: Filmed, asking: Asking, notes: Notes
    ) -> Album:
        """
        Raises:
            ReasoningError: no image is left of what was chosen.
            ModelError: cancelled, or the allowance is used up.
        """
        asking.report("stitch")
        stored = StoredFrames(filmed.memory)
        shown = []
        for row in selection.rows.tolist():
            asking.allowance.check_time()  # each image may come over the network
            frame = stored.find(int(filmed.index.frame_numbers[row]))
            if frame is not None:
                shown.append((row, frame))
        notes.steps.extend(stored.steps())
        if not shown:
            raise ReasoningError("empty_memory", "No image is stored any more of what was chosen.")
        album = Album.of(shown, self._layouts, self._config)
        notes.pictures.extend(album.pictures())
        notes.steps.append(f"stitched: {album.told()}")
        asking.report("stitch", notes.steps[-1])
        return album

    def _measured(
        self,
        targets: Sequence[Target],
        analysis: QueryAnalysis,
        filmed: Filmed,
        asking: Asking,
        notes: Notes,
    ) -> list[Grounded]:
        """Each thing once, at least one; what cannot be told of one takes nothing from the others.

        Raises:
            ReasoningError: where none is can be told.
            ModelError: cancelled, or the allowance is used up before one is measured.
        """
        found: list[Grounded] = []
        failure: ReasoningError | None = None
        for number, target in enumerate(targets[:_MOST_TARGETS], start=1):
            try:
                asking.allowance.check_time()
                one = self._located(target, analysis, filmed, asking)
            except ReasoningError as error:
                notes.steps.append(f"left out target {number}: {error}")
                failure = failure or error
                continue
            except ModelError as error:
                if error.kind == "cancelled" or not found:
                    raise
                notes.steps.append(f"not measured from target {number} on: {error}")
                break
            notes.steps.extend(one.steps)
            if any(one.is_same_as(other) for other in found):
                notes.steps.append("that is the same thing once more")
                continue
            found.append(one)
            if one.measured is not None:
                notes.pictures.extend(pictures_of(one.measured))
        if failure is not None and not found:
            raise failure
        return found

    def _located(
        self, target: Target, analysis: QueryAnalysis, filmed: Filmed, asking: Asking
    ) -> Grounded:
        """
        Raises:
            ReasoningError: there is no depth, and the map does not know the thing.
        """
        asking.report("measure", key_frames=(target.frame,))
        try:
            segmenter = self._segmenter.within(asking.allowance)
            measured = measure(
                target,
                filmed.memory,
                filmed.index,
                segmenter,
                self._config,
                asking,
                find_floor_z(filmed.snapshot),
            )
        except ReasoningError as error:
            thing = filmed.snapshot.objects.get(target.object_id or 0)
            if thing is None:
                raise
            return as_mapped(target, thing, str(error))
        return as_measured(target, measured, filmed.snapshot, analysis.target_class)


def _reply(
    found: Sequence[Grounded], sure: Sequence[tuple[float, ...]], notes: Notes
) -> GroundReply:
    """Each thing with its likelier box, surest first, and then the other boxes."""
    order = sorted(range(len(found)), key=lambda place: -sure[place][0])
    answers = [list(zip(found[place].objects, sure[place], strict=True)) for place in order]
    pairs = [boxes[0] for boxes in answers] + [pair for boxes in answers for pair in boxes[1:]]
    frames = [frame for place in order for frame in found[place].key_frames()[:1]]
    frames += [frame for place in order for frame in found[place].key_frames()[1:]]
    return GroundReply(
        objects=tuple(thing for thing, _ in pairs),
        confidences=tuple(confidence for _, confidence in pairs),
        steps=tuple(notes.steps),
        key_frames=tuple(frames[:_MOST_EVIDENCE]),
        pictures=tuple(notes.pictures),
    )
