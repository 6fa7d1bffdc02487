"""What a sentence can mean: the typed trees that the grammar builds and the executor runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scenemind.memory.history import ChangeKind
from scenemind.reasoning.symbolic.moments import Moment

Attribute = Literal[
    "color",
    "size",
    "material",
    "state",
    "shape",
    "orientation",
    "texture",
    "affordance",
    "caption",
    "owner",
]
Dimension = Literal["", "height", "width", "length"]
Superlative = Literal[
    "largest",
    "smallest",
    "tallest",
    "shortest",
    "widest",
    "longest",
    "narrowest",
    "highest",
    "lowest",
    "leftmost",
    "rightmost",
    "middle",
    "closest",
    "farthest",
]


@dataclass(frozen=True, slots=True)
class HasAttribute:
    """ "black", "that is not small", "to sit on" (an affordance)."""

    key: Attribute
    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """ "on the table", "between the table and the sofa".

    Attributes:
        predicate: one of `lexicon.PREDICATES`, or "far".
        anchors: what it stands to: two for `between`, else one.
    """

    predicate: str
    anchors: tuple[Reference, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Described:
    """ "a toolbox", as in "is the box a toolbox": the same noun as a condition."""

    noun: str
    negated: bool = False


Condition = HasAttribute | Related | Described


@dataclass(frozen=True, slots=True)
class Rank:
    """ "the second largest", "closest to the door"; `anchor` None: to the viewer."""

    superlative: Superlative
    order: int = 1
    anchor: Reference | None = None


@dataclass(frozen=True, slots=True)
class Viewer:
    """ "me", "you": where the viewpoint is."""


@dataclass(frozen=True, slots=True)
class Marked:
    """ "this", "the marked object", "this chair"."""

    noun: str = ""


@dataclass(frozen=True, slots=True)
class ObjectNumber:
    """ "object 12", "chair 12"; the noun is empty for the bare number."""

    object_id: int
    noun: str = ""


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A description of objects.

    Attributes:
        noun: what they are, as said; empty for "object", "thing", "anything".
        definite: said with "the", so that it must exist.
        count: "two chairs"; None where no number was said.
        rank: applied after the conditions.
    """

    noun: str
    definite: bool = False
    count: int | None = None
    conditions: tuple[Condition, ...] = ()
    rank: Rank | None = None


Reference = NounPhrase | Viewer | Marked | ObjectNumber


@dataclass(frozen=True, slots=True)
class Exists:
    subject: Reference


@dataclass(frozen=True, slots=True)
class Count:
    subject: Reference


@dataclass(frozen=True, slots=True)
class Where:
    subject: Reference


@dataclass(frozen=True, slots=True)
class AskAttribute:
    """ "what colour is the chair"."""

    subject: Reference
    key: Attribute


@dataclass(frozen=True, slots=True)
class AskCarrier:
    """ "what is the cup on?", "which wall is the window on?".

    Attributes:
        predicate: "on" or "inside".
        noun: what the carrier is; empty: anything.
    """

    subject: Reference
    predicate: str
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Verify:
    """ "is the chair black", "is the cup on the table"."""

    subject: Reference
    condition: Condition


@dataclass(frozen=True, slots=True)
class ListObjects:
    """ "what is on the table", "which chair is closest to the door"."""

    subject: Reference


@dataclass(frozen=True, slots=True)
class Same:
    """ "are the shelf and the desk of the same colour"; one subject: all that it means."""

    subjects: tuple[Reference, ...]
    key: Attribute


@dataclass(frozen=True, slots=True)
class Identify:
    """ "what is the black object on the table"."""

    subject: Reference


@dataclass(frozen=True, slots=True)
class Distance:
    first: Reference
    second: Reference


@dataclass(frozen=True, slots=True)
class Size:
    """ "how big is the table"; a dimension for "how tall"."""

    subject: Reference
    dimension: Dimension = ""


@dataclass(frozen=True, slots=True)
class Ground:
    """A bare phrase, or "find the cup"."""

    subject: Reference


@dataclass(frozen=True, slots=True)
class Describe:
    """ "describe the chair", "what does it look like"."""

    subject: Reference


@dataclass(frozen=True, slots=True)
class WhereAt:
    """ "where was the cup at 10:05"."""

    subject: Reference
    moment: Moment


@dataclass(frozen=True, slots=True)
class WhenSeen:
    """ "when did you last see the cup"."""

    subject: Reference
    first: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """ "what was moved since 10:05"; of one thing: "has the cup moved".

    Attributes:
        kinds: those that are asked for, in the words of `memory.history`; empty: all.
        since: None: the visit before this one.
    """

    kinds: tuple[ChangeKind, ...] = ()
    since: Moment | None = None
    subject: Reference | None = None


Question = (
    Exists
    | Count
    | Where
    | AskAttribute
    | AskCarrier
    | Verify
    | ListObjects
    | Same
    | Identify
    | Distance
    | Size
    | Ground
    | Describe
    | WhereAt
    | WhenSeen
    | Changed
)
