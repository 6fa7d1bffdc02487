"""A method with set replies, in place of one that asks a model."""

from __future__ import annotations

from scenemind.memory import MemoryAccess
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.query import Query


class ScriptedMethod:
    """An `AskMethod`.

    Attributes:
        asked: what it was asked, oldest first.
    """

    name = "memtree"

    def __init__(self, outcome: MethodReply | Exception) -> None:
        self.outcome = outcome
        self.asked: list[Query] = []

    def ask(
        self,
        query: Query,
        memory: MemoryAccess,  # noqa: ARG002
        asking: Asking,
    ) -> MethodReply:
        """See `AskMethod`."""
        self.asked.append(query)
        asking.progress.report("look", "at nothing")
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome
