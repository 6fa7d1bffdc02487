"""Objects as a memory that takes corrections, with the journal of a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from scenemind.config import RelationConfig
from scenemind.evaluation.alignment.tasks import Objects
from scenemind.evaluation.objects_memory import ObjectsMemory
from scenemind.memory import Correction, Edit, MapObject, MemorySnapshot, SimilarObject
from scenemind.memory.graph.corrections import CorrectionsJournal
from scenemind.memory.graph.corrections.similar import find_similar
from scenemind.memory.graph.scene_graph import SceneGraph

_EMPTY = MemorySnapshot(0, 0, {}, (), None)


class CorrectableMemory(ObjectsMemory):
    """A `MemoryAccess` of one thread; relations are those of what people see."""

    def __init__(self, perceived: Objects, config: RelationConfig) -> None:
        super().__init__(_EMPTY)
        self._perceived = perceived
        self._journal = CorrectionsJournal(count(max(perceived) + 1).__next__)
        self._graph = SceneGraph(config)
        self._seen: Mapping[int, MapObject] = {}
        self._clock = count(1)
        self._relate()

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        """See `MemoryAccess`."""
        written = self._journal.apply(edits, by, reason, self._perceived, next(self._clock))
        self._relate()
        return written

    def undo(self, correction_id: int | None = None) -> Correction:
        """See `MemoryAccess`."""
        entry = self._journal.undo(correction_id)
        self._relate()
        return entry

    def redo(self, correction_id: int | None = None) -> Correction:
        """See `MemoryAccess`."""
        entry = self._journal.redo(correction_id)
        self._relate()
        return entry

    def corrections(self) -> list[Correction]:
        """See `MemoryAccess`."""
        return self._journal.entries()

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        """See `MemoryAccess`."""
        return find_similar(edit, self._perceived, self._seen, {})[:count]

    def _relate(self) -> None:
        before, seen = self._seen, self._journal.lay_over(self._perceived).objects
        changed = [i for i, thing in seen.items() if before.get(i) is not thing]
        self._graph.refresh(seen, [*changed, *(before.keys() - seen.keys())])
        computed = self._graph.levels()
        relations = self._journal.relations(self._graph.relations(), seen)
        levels = self._journal.levels(computed, relations, seen)
        if levels != computed:
            relations = self._journal.relations(self._graph.relations_at(levels), seen)
        self._seen = seen
        revision = self._snapshot.revision + 1
        self._snapshot = MemorySnapshot(revision, 0, seen, relations, None, levels=levels)
