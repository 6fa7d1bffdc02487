"""Frame selectors that MemTree3D is compared with: uniform, by named objects, image-text retrieval,
detector search.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from scenemind.language.english import shown
from scenemind.language.quoting import quoted, tame
from scenemind.memory import MemoryAccess, MemorySnapshot
from scenemind.memory.finding.reference import mentioned_objects
from scenemind.models import BadFormError, ChatMessage, ChatModel
from scenemind.perception import PerceptionError
from scenemind.perception.protocols import ImageTextEncoder
from scenemind.perception.text import checked_vocabulary, normalized_label
from scenemind.reasoning.memtree_qa.frame_notes import LONGEST_SAID, circumstances
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import ask_form, read_prompt
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.shared_models import SharedDetector
from scenemind.reasoning.stored_frames import (
    RankedFrame,
    Selection,
    StoredFrames,
    one_a_location_first,
    search_frames,
)

_log = logging.getLogger(__name__)

_NUMBERED = re.compile(r"([a-z]+) #?(\d{1,9})\b")
_PROMPTS = "scenemind.reasoning.memtree_qa"
_MOST_FRAMES = 20_000  # 40 MB of image vectors
_LONGEST_TEXT = 80  # characters that the text encoders take
_BATCH = 16  # images that are encoded together
_MOST_CLASSES = 8  # as the prompt says
_LONGEST_REASONING = 2000


class UniformSelector:
    """The uniform sampling of MemTree3D's tables (section 4.1), independent of the question.

    The time from the first stored frame to the last is divided into `count` equal intervals, and
    the stored frame nearest to the middle of each is taken, in order of time. Time is counted in
    frames: a camera that was off gets no empty interval.
    """

    name = "uniform"

    def select(
        self,
        query: Query,  # noqa: ARG002
        memory: MemoryAccess,
        count: int,
        asking: Asking,
    ) -> Selection:
        """See `FrameSelector`."""
        asking.allowance.check()
        stored = StoredFrames(memory)
        key_frames = tuple(
            key_frame
            for number in evenly(stored.numbers, count)
            if (key_frame := stored.find(number)) is not None
        )
        if len(key_frames) < min(count, len(stored.numbers)):  # some images were deleted meanwhile
            left = [n for n in stored.numbers if stored.find(n) is not None]
            key_frames = stored.read(((number, 0.0) for number in evenly(left, count)), count)
        step = f"{len(key_frames)} of {len(stored.numbers)} stored frames, evenly in time"
        return Selection(key_frames, steps=(step, *stored.steps()))


def evenly(numbers: Sequence[int], count: int) -> Iterator[int]:
    """Up to `count` of ascending numbers, evenly spread, each at most once, in their order."""
    if len(numbers) <= count:
        yield from numbers
        return
    first, span = numbers[0], numbers[-1] - numbers[0]
    taken = -1
    for place in range(count):
        middle = first + span * (place + 0.5) / count
        # One number must be left for each of the following intervals.
        free = range(taken + 1, len(numbers) - (count - 1 - place))
        taken = min(free, key=lambda row: abs(numbers[row] - middle))
        yield numbers[taken]


class ObjectSelector:
    """A `FrameSelector` without a model, for questions that name or mark objects of the map.

    The key objects are the marked ones and the question's subjects, the cue objects all others that
    it names. For "where is the cup on the table?" a frame of one cup is thus better than one of two
    tables, and one of the cup on the table is best.
    """

    @property
    def name(self) -> str:
        return "objects"

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """See `FrameSelector`.

        Raises:
            ReasoningError: also where the question names no object of the map.
        """
        asking.progress.report("select")
        snapshot = memory.snapshot()
        marked = [i for i in query.marked_object_ids if i in snapshot.objects]
        named = mentioned_objects(snapshot, query.text)
        numbered = _numbered(query.text, snapshot)
        keys = tuple(dict.fromkeys((*marked, *(numbered or named.subjects))))
        cues = tuple(i for i in named.others if i not in keys)
        if not keys:
            raise ReasoningError(
                "not_found",
                f'The question "{shown(query.text)}" names no object of the map: name one, or let'
                " another selector choose the frames.",
            )
        frames = memory.select_key_frames(keys, cues, count)
        if not frames:
            raise ReasoningError(
                "not_found", "No stored frame shows what the question names any more."
            )
        steps = [f"the question names {_counted(keys, snapshot)}"]
        if cues:
            steps.append(f"it also names {_counted(cues, snapshot)}")
        return Selection(tuple(frames), "", tuple(steps), keys, cues)


def _numbered(text: str, snapshot: MemorySnapshot) -> list[int]:
    """Objects that are named by their number: "object 5", "chair 18"."""
    found = []
    for word, digits in _NUMBERED.findall(text.lower()):
        thing = snapshot.objects.get(int(digits))
        if thing is not None and word in ("object", shown(thing.label).split(" ")[-1]):
            found.append(thing.object_id)
    return found


def _counted(object_ids: Sequence[int], snapshot: MemorySnapshot) -> str:
    labels = sorted({snapshot.objects[i].label for i in object_ids})
    count = "1 object" if len(object_ids) == 1 else f"{len(object_ids)} objects"
    return f"{count}: {', '.join(map(shown, labels))}"


class RetrievalSelector:
    """The image-text retrieval baseline of the MemTree3D paper (appendix D): the k frames with the
    highest cosine similarity to the question.

    As the paper notes, these are often from one place. Unlike the paper's, it encodes each frame
    once, and not for every question.
    """

    def __init__(
        self, encoder: ImageTextEncoder, name: str = "retrieval", most_frames: int = _MOST_FRAMES
    ) -> None:
        """
        Args:
            name: shown in the steps; a simulated encoder has its own.
            most_frames: only the newest are compared.
        """
        self.name = name
        self._encoder = encoder
        self._most = most_frames
        self._vectors = FrameVectors(encoder, most_frames)

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """See `FrameSelector`."""
        stored = StoredFrames(memory)
        try:
            ranked = self._vectors.compare(as_caption(query.text), stored, asking)
        except PerceptionError as error:
            raise PerceptionError(
                f"the question cannot be compared with pictures: {error}; or let another selector"
                " than retrieval choose the frames"
            ) from error
        ranked.sort(key=lambda frame: (-frame.score, frame.frame_number))
        key_frames = stored.read(((f.frame_number, f.score) for f in ranked), count)
        step = f"compared {len(ranked)} stored frames with the question by {self._encoder.name}"
        left_out = len(stored.numbers) - self._most
        older = (f"{left_out} older frames were not looked at",) if left_out > 0 else ()
        return Selection(key_frames, steps=(step, *older, *stored.steps()))


def as_caption(question: str) -> str:
    """The question in one line of plain characters, cut after a whole word to the length that
    encoders take."""
    line = tame(question, LONGEST_SAID)
    if len(line) <= _LONGEST_TEXT:
        return line
    return line[: _LONGEST_TEXT + 1].rpartition(" ")[0] or line[:_LONGEST_TEXT]


class _Kept(NamedTuple):
    stamp_ns: int
    location_id: int
    vector: NDArray[np.float32]


class FrameVectors:
    """A cache of image vectors of the newest stored frames, about 2 kB each. Thread-safe; callers
    that need the same frames share the work."""

    def __init__(self, encoder: ImageTextEncoder, most: int) -> None:
        self._encoder = encoder
        self._most = most
        self._kept: dict[int, _Kept] = {}
        self._lock = threading.Lock()  # guards the cache, also while a batch is encoded

    def compare(self, text: str, stored: StoredFrames, asking: Asking) -> list[RankedFrame]:
        """The cosine similarity of a text and each readable frame, oldest first.

        Raises:
            ModelError: the allowance is used up; vectors made by then are kept.
            PerceptionError: the encoder is not available, or does not take the text.
        """
        (text_vector,) = self._encoder.encode_texts([text])
        numbers = stored.numbers[-self._most :]
        with self._lock:
            self._forget_others(numbers, stored)
        self._embed_all(numbers, stored, asking)
        with self._lock:
            kept = [(number, self._kept[number]) for number in numbers if number in self._kept]
        return [
            RankedFrame(float(frame.vector @ text_vector), number, frame.location_id)
            for number, frame in kept
        ]

    def _forget_others(self, numbers: Sequence[int], stored: StoredFrames) -> None:
        """Drop frames that are no longer stored, and all frames of another memory: there the oldest
        common number has another stamp."""
        stay = sorted(self._kept.keys() & set(numbers))
        oldest = stored.find(stay[0]) if stay else None
        if oldest is not None and oldest.stamp_ns != self._kept[stay[0]].stamp_ns:
            _log.info("frame %d has changed: all frames are embedded again", stay[0])
            stay = []
        self._kept = {number: self._kept[number] for number in stay}

    def _embed_all(self, numbers: Sequence[int], stored: StoredFrames, asking: Asking) -> None:
        while True:
            asking.allowance.check()
            with self._lock:
                missing = [n for n in numbers if n not in self._kept and n not in stored.gone]
                self._embed(missing[:_BATCH], stored)
            if len(missing) <= _BATCH:
                return
            done = len(numbers) - len(missing) + _BATCH
            asking.progress.report("select", f"embedded {done} of {len(numbers)} frames")

    def _embed(self, numbers: Sequence[int], stored: StoredFrames) -> None:
        found = [seen for n in numbers if (seen := stored.find_color(n)) is not None]
        if not found:
            return
        vectors = self._encoder.encode_images([color for _, color in found])
        for (frame, _), vector in zip(found, vectors, strict=True):
            self._kept[frame.frame_number] = _Kept(frame.stamp_ns, frame.location_id, vector)


class TargetClasses(BaseModel):
    """The form of the language model's reply."""

    model_config = ConfigDict(extra="forbid")

    think: str = Field(description="what has to be seen to answer the question")
    classes: list[str] = Field(description="names of kinds of objects, most important first")


class DetectorSelector:
    """The visual search of VLM-Grounder (section 3.1), as the MemTree3D paper times it (appendix
    C): a language model names the target classes of the question, a detector searches every stored
    frame for them, and frames with a detection are taken.

    Neither paper says which of more than k frames are taken. Here it is the best-scored frame of
    each location, best first; without any detection, frames evenly in time, as the steps say.
    """

    def __init__(
        self,
        model: ChatModel,
        detector: SharedDetector,
        name: str = "detector",
    ) -> None:
        """
        Args:
            model: the language model.
            name: shown in the steps; a simulated detector has its own.
        """
        self.name = name
        self._model = model
        self._detector = detector

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """See `FrameSelector`."""
        stored, asking = StoredFrames(memory), asking.with_new_progress()
        progress = asking.progress
        progress.report("select")
        targets = self._ask(_messages(query, memory.snapshot()), asking)
        classes = checked_vocabulary(_usable(targets.classes))
        started = time.perf_counter()
        searched = search_frames(self._detector, classes, stored, stored.numbers, asking, "select")
        hits = [
            RankedFrame(float(found.scores.max()), key_frame.frame_number, key_frame.location_id)
            for key_frame, found in searched
            if len(found)
        ]
        seconds = time.perf_counter() - started
        each_ms = 1e3 * seconds / len(stored.numbers)
        progress.note(
            f"looked for {', '.join(classes)} in {len(stored.numbers)} stored frames: {len(hits)}"
            f" show some ({self._detector.name}, {seconds:.2f} s, {each_ms:.1f} ms a frame)"
        )
        ranked = one_a_location_first(hits)
        if not ranked:
            progress.note("no frame shows any: frames evenly in time instead")
            ranked = [(number, 0.0) for number in evenly(stored.numbers, count)]
        key_frames = stored.read(ranked, count)
        progress.note(*stored.steps())
        reasoning = tame(targets.think, _LONGEST_REASONING)
        return Selection(key_frames, reasoning, tuple(progress.steps))

    def _ask(self, messages: Sequence[ChatMessage], asking: Asking) -> TargetClasses:
        """
        Raises:
            ModelError: the model failed, or named no class of use.
        """
        try:
            return ask_form(self._model, messages, TargetClasses, asking, "select", _complaint)
        except BadFormError as error:
            if not isinstance(error.form, TargetClasses) or not _usable(error.form.classes):
                raise
            asking.progress.note(
                f"took what is right of the second reply: {_complaint(error.form)}"
            )
            return error.form


def _messages(query: Query, snapshot: MemorySnapshot) -> list[ChatMessage]:
    about = circumstances(query, snapshot)
    question = f"The question: {quoted(query.text, LONGEST_SAID)}"
    return [
        ChatMessage("system", read_prompt(_PROMPTS, "target_classes")),
        ChatMessage("user", f"{about}\n{question}" if about else question),
    ]


def _complaint(targets: TargetClasses) -> str | None:
    """The mistakes in a reply, for the model; None where there are none."""
    if not 1 <= len(targets.classes) <= _MOST_CLASSES:
        return f"name 1 to {_MOST_CLASSES} classes, not {len(targets.classes)}"
    unusable = [name for name in targets.classes if not _is_name(name)]
    return f"no short names of kinds: {', '.join(map(quoted, unusable))}" if unusable else None


def _usable(classes: Sequence[str]) -> list[str]:
    return [name for name in classes if _is_name(name)][:_MOST_CLASSES]


def _is_name(word: str) -> bool:
    try:
        normalized_label(word)
    except PerceptionError:
        return False
    return True
