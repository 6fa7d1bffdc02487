"""MemTree3D's own way: a language model reads the tree and picks locations."""

from __future__ import annotations

from scenemind.memory import MemoryAccess
from scenemind.models import ChatModel
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.method import Asking
from scenemind.reasoning.types import Query


class TreeSelector:
    """A `FrameSelector` (paper, sections 3.2 and 3.3)."""

    def __init__(self, model: ChatModel, tree_tokens: int = 8000) -> None:
        """
        Args:
            model: for language.
            tree_tokens: longest text of the tree; see `MemoryAccess.tree_json`.
        """
        self._model = model
        self._tree_tokens = tree_tokens

    @property
    def name(self) -> str:
        return "tree"

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """See `FrameSelector`."""
        raise NotImplementedError
