"""MemTree3D question answering (paper, section 3): choose frames, then look at them."""

from __future__ import annotations

from scenemind.memory import MemoryAccess
from scenemind.models import ChatModel
from scenemind.reasoning.memtree_qa.selectors.selection import FrameSelector
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.types import Query


class MemTreeQA:
    """An `AskMethod`. Stages that it reports: select, look, answer, and repair in between."""

    def __init__(self, vision: ChatModel, selector: FrameSelector, frames: int = 3) -> None:
        """
        Args:
            vision: sees the frames and answers.
            selector: chooses them.
            frames: at most so many (k of the paper).
        """
        self._vision = vision
        self._selector = selector
        self._frames = frames

    @property
    def name(self) -> str:
        return "memtree"

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`."""
        raise NotImplementedError
