"""The symbolic reasoner beside methods that ask models."""

from __future__ import annotations

from scenemind.config import RelationConfig
from scenemind.memory import MemoryAccess
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.symbolic.reasoner import SymbolicReasoner
from scenemind.reasoning.types import Query


class SymbolicMethod:
    """An `AskMethod` for any memory."""

    name = "symbolic"

    def __init__(self, relations: RelationConfig | None = None) -> None:
        self._relations = relations or RelationConfig()

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`; no model is asked."""
        del asking
        return SymbolicReasoner(memory, self._relations).ask(query, memory.snapshot())
