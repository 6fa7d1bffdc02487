"""Without a model: frames that show what the question names."""

from __future__ import annotations

from scenemind.memory import MemoryAccess
from scenemind.memory.finding.named import objects_named
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.method import Asking
from scenemind.reasoning.types import Query
from scenemind.words.english import shown


class ObjectSelector:
    """A `FrameSelector` for questions that name objects of the map, or marked ones."""

    @property
    def name(self) -> str:
        return "objects"

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """See `FrameSelector`.

        Raises:
            ReasoningError: also where the question names nothing that the map has.
        """
        asking.report("select")
        snapshot = memory.snapshot()
        marked = [i for i in query.marked_object_ids if i in snapshot.objects]
        keys = tuple(dict.fromkeys((*marked, *objects_named(snapshot, query.text))))
        if not keys:
            raise ReasoningError(
                "not_found",
                f'The question "{shown(query.text)}" names no object of the map: name one, or let'
                " another selector choose the frames.",
            )
        frames = memory.select_key_frames(keys, (), count)
        if not frames:
            raise ReasoningError(
                "not_found", "No stored frame shows what the question names any more."
            )
        labels = sorted({snapshot.objects[i].label for i in keys})
        step = f"the question names {len(keys)} objects: {', '.join(map(shown, labels))}"
        return Selection(tuple(frames), steps=(step,), key_objects=keys)
