"""Frames that look most like the question to an image-text encoder."""

from __future__ import annotations

from scenemind.memory import MemoryAccess
from scenemind.perception import PerceptionError
from scenemind.perception.protocols import ImageTextEncoder
from scenemind.reasoning.memtree_qa.circumstances import LONGEST_SAID
from scenemind.reasoning.memtree_qa.selectors.frame_vectors import FrameVectors
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.method import Asking
from scenemind.reasoning.stored_frames import StoredFrames
from scenemind.reasoning.types import Query
from scenemind.words.quoting import tame

_MOST_FRAMES = 20_000  # 40 MB of vectors
_LONGEST_TEXT = 80  # what a text encoder of this house takes


class RetrievalSelector:
    """The image-text retrieval baseline of the MemTree3D paper (appendix D): the question itself is
    the text, and the k frames of the highest cosine are taken.

    As the paper notes, they are often from one place: nothing spreads them. Unlike the paper's, it
    embeds each frame once, and not for every question.
    """

    def __init__(
        self, encoder: ImageTextEncoder, name: str = "retrieval", most_frames: int = _MOST_FRAMES
    ) -> None:
        """
        Args:
            name: another one where the encoder is simulated.
            most_frames: only so many of the newest are looked at.
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
    """In one line of plain characters, cut after the last whole word where it is longer than
    encoders take."""
    line = tame(question, LONGEST_SAID)
    if len(line) <= _LONGEST_TEXT:
        return line
    return line[: _LONGEST_TEXT + 1].rpartition(" ")[0] or line[:_LONGEST_TEXT]
