"""Image vectors of the objects that people see, who merged and split what perception has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from scenemind.memory.graph.corrections.sources import Sources
from scenemind.memory.types import Embedding


def seen_vectors(
    known: Mapping[int, Embedding], object_ids: Iterable[int], sources: Sources
) -> list[Embedding]:
    """Of what a person merged the vector of most views; a part that was split off has none of its
    whole's.

    Args:
        known: by one encoder, by perception's ids. object_ids: of the objects that people see.
    """
    found = []
    for object_id in object_ids if known else ():
        parts = [known[i] for i in sources.wholes_of(object_id) if i in known]
        if parts:
            best = max(parts, key=lambda embedding: embedding.views)
            found.append(replace(best, object_id=object_id))
    return found
