"""How far a method had come with a question that it could not answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from scenemind.memory import KeyFrame
from scenemind.reasoning.types import Picture


class Trail:
    """What a failure shows in place of an answer's evidence. Of one question, on one thread.

    Attributes:
        steps: what was done, in words.
        key_frames: what was looked at, best first.
        pictures: what was made of them, for reports.
    """

    def __init__(self) -> None:
        self.steps: tuple[str, ...] = ()
        self.key_frames: tuple[KeyFrame, ...] = ()
        self.pictures: tuple[Picture, ...] = ()

    @contextmanager
    def kept(
        self,
        steps: Sequence[str],
        key_frames: Sequence[KeyFrame] = (),
        pictures: Sequence[Picture] = (),
    ) -> Iterator[None]:
        """Keep them, as they are by then, where what is done meanwhile fails."""
        try:
            yield
        except Exception:
            self.steps += tuple(steps)
            self.key_frames = tuple(key_frames) or self.key_frames
            self.pictures = tuple(pictures) or self.pictures
            raise
