"""Relations between boxes: their names, and one function for each.

Functions take columns of box pairs (see `box_relations`), compared line by line, and return a score
each. `box_relations` holds those that the scene graph keeps, since they hold from every viewpoint;
the others are computed when they are asked for. Names are in `language.relation_names`.
"""

from scenemind.language.relation_names import (
    CARRYING,
    INVERSE,
    RELATION_NAMES,
    STORED,
    find_relation,
)
from scenemind.memory.graph.relations.names import canonical_relation, denials_of, statements_of

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
