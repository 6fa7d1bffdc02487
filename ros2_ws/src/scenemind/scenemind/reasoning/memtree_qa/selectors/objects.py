"""Without a model: frames that show what the question names."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import MemoryAccess, MemorySnapshot
from scenemind.memory.finding.named import named_objects
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.method import Asking
from scenemind.reasoning.types import Query
from scenemind.words.english import shown


class ObjectSelector:
    """A `FrameSelector` for questions that name objects of the map, or marked ones.

    What is marked, and what the question speaks of first, are the key objects; what else it names
    are cues. So of "where is the cup on the table?" a frame of one cup is better than one of two
    tables, and one of the cup on the table is best.
    """

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
        named = named_objects(snapshot, query.text)
        keys = tuple(dict.fromkeys((*marked, *named.subjects)))
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
        steps = [f"the question names {_told(keys, snapshot)}"]
        if cues:
            steps.append(f"it also names {_told(cues, snapshot)}")
        return Selection(tuple(frames), "", tuple(steps), keys, cues)


def _told(object_ids: Sequence[int], snapshot: MemorySnapshot) -> str:
    labels = sorted({snapshot.objects[i].label for i in object_ids})
    count = "1 object" if len(object_ids) == 1 else f"{len(object_ids)} objects"
    return f"{count}: {', '.join(map(shown, labels))}"
