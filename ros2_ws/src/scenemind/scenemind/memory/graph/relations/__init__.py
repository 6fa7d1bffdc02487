"""Relations between boxes: their names, and one function for each.

Functions take columns (see `columns`): pairs of boxes, compared line by line, give a score each.
`names` says which relations there are, `vertical` and `nearness` compute those that the scene graph
keeps, for they hold wherever one stands; the others are computed when somebody asks.
"""

from scenemind.memory.graph.relations.names import (
    CARRYING,
    INVERSE,
    RELATION_NAMES,
    STORED,
    canonical_relation,
    denials_of,
    find_relation,
    statements_of,
)

__all__ = [
    "CARRYING",
    "INVERSE",
    "RELATION_NAMES",
    "STORED",
    "canonical_relation",
    "denials_of",
    "find_relation",
    "statements_of",
]
