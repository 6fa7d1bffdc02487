"""Typed trees of sentences: references, conditions, questions and corrections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, Literal, TypeVar

from scenemind.language.time_expressions import Moment

_Part = TypeVar("_Part")

ChangeKind = Literal["added", "removed", "moved", "renamed", "missing", "new", "ghost"]
# fmt: off
Attribute = Literal[
    "color", "size", "material", "state", "shape",
    "orientation", "texture", "affordance", "caption", "owner", "name",
]
Dimension = Literal["", "height", "width", "length", "elevation", "thickness", "depth"]
Superlative = Literal[
    "largest", "smallest", "tallest", "shortest", "widest",
    "longest", "narrowest", "deepest", "thickest", "thinnest", "highest",
    "lowest", "topmost", "bottommost", "leftmost", "rightmost", "frontmost", "rearmost",
    "middle", "darkest", "lightest", "closest", "farthest", "earliest",
    "latest", "surest", "doubtful", "oftenest", "rarest",
    "reddest", "bluest", "greenest", "yellowest", "brownest",
    "blackest", "whitest", "greyest", "pinkest",
]
# fmt: on
ViewKind = Literal["facing", "from"]
Bound = Literal["", "at least", "at most", "exactly", "most", "fewest"]


@dataclass(frozen=True, slots=True)
class HasAttribute:
    """Condition such as "black", "that is not small", "to sit on" (an affordance)."""

    key: Attribute
    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Condition such as "on the table", "between the table and the sofa".

    Attributes:
        predicate: one of `lexicon.PREDICATES`, "far", or one that compares (`measures.py`).
        anchors: two for `between` and "closer to A than to B", else one.
    """

    predicate: str
    anchors: tuple[Reference, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Described:
    """A noun as a condition: "is the box a toolbox"."""

    noun: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Among:
    """Condition such as "except the red one": not among those things."""

    things: Reference
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Rank:
    """Superlative such as "the second largest", "closest to the door"; `anchor` None: to the
    viewer."""

    superlative: Superlative
    order: int = 1
    anchor: Reference | None = None
    negated: bool = False


class _AnyReference:
    """What a reference may say of things, as a `NounPhrase` does; other kinds leave most unsaid."""

    __slots__ = ()
    noun: str = ""
    definite: bool = False
    count: int | None = None
    bound: Bound = ""
    conditions: tuple[Condition, ...] = ()
    ranks: tuple[Rank, ...] = ()
    unread: tuple[str, ...] = ()
    of_speaker: bool = False

    def allows(self, number: int) -> bool:
        """Whether so many things are as many as are said, or more where no bound is."""
        if self.count is None:
            return True
        is_few = number <= self.count or self.bound not in ("at most", "exactly")
        return is_few and (number >= self.count or self.bound == "at most")


@dataclass(frozen=True, slots=True)
class Viewer(_AnyReference):
    """Reference such as "me", "you": where the viewpoint is; turned: after turning around."""

    turned: bool = False


@dataclass(frozen=True, slots=True)
class Marked(_AnyReference):
    """Reference such as "this", "the marked object", "this chair"."""

    noun: str = ""


@dataclass(frozen=True, slots=True)
class ObjectNumber(_AnyReference):
    """Reference such as "object 12", "chair 12"; the noun is empty for the bare number."""

    object_id: int
    noun: str = ""


@dataclass(frozen=True, slots=True)
class NounPhrase(_AnyReference):
    """A description of objects.

    Attributes:
        noun: as said; empty for "object", "thing", "anything".
        definite: said with "the", so that it must exist.
        count: "two chairs"; None where no number was said.
        bound: "at least two chairs"; "the most chairs", of what they are related to.
        ranks: applied in turn after the conditions: "the largest chair on the left".
        other: said with "another" or "other": not the thing of that kind named before.
        unread: content words about it that are no condition.
        of_speaker: said with "my": what belongs to the speaker comes first.
    """

    noun: str
    definite: bool = False
    count: int | None = None
    conditions: tuple[Condition, ...] = ()
    ranks: tuple[Rank, ...] = ()
    other: bool = False
    unread: tuple[str, ...] = ()
    of_speaker: bool = False
    bound: Bound = ""

    def that(self, *conditions: Condition) -> NounPhrase:
        """The description with further conditions."""
        return replace(self, conditions=(*self.conditions, *conditions))


Reference = NounPhrase | Viewer | Marked | ObjectNumber
Condition = HasAttribute | Related | Described | Among


@dataclass(frozen=True, slots=True)
class View:
    """Viewpoint in words: facing a thing, or standing at it with one's back to it.

    Attributes:
        reference: None for the room: "when you enter".
    """

    kind: ViewKind
    reference: Reference | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase describes, and from where."""

    phrase: NounPhrase
    view: View | None = None


@dataclass(frozen=True, slots=True)
class _OfSubject:
    subject: Reference


class Exists(_OfSubject):
    """Question such as "is there a cup", "are there at least two cups"."""


@dataclass(frozen=True, slots=True)
class Count:
    """Question such as "how many chairs are there", "is the number of chairs odd or even".

    Attributes:
        parity: "odd" or "even" in a yes-no question, "either" in an either-or question.
        divisor: of a question for divisibility; 0 for others.
    """

    subject: Reference
    parity: Literal["", "odd", "even", "either"] = ""
    divisor: int = 0


class Where(_OfSubject):
    """Question such as "where is the cup"."""


@dataclass(frozen=True, slots=True)
class AskAttribute:
    """Question such as "what colour is the chair"."""

    subject: Reference
    key: Attribute


@dataclass(frozen=True, slots=True)
class AskCarrier:
    """Question such as "what is the cup on?", "which wall is the window on?".

    Attributes:
        predicate: "on" or "inside".
        noun: what the carrier is; empty: anything.
    """

    subject: Reference
    predicate: str
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Verify:
    """Question such as "is the chair black", "is the cup on the table"."""

    subject: Reference
    condition: Condition


@dataclass(frozen=True, slots=True)
class ListObjects:
    """Question such as "what is on the table", "which chair is closest to the door".

    Attributes:
        order: which of them comes first: of "from left to right" the leftmost.
    """

    subject: Reference
    order: Superlative | None = None


@dataclass(frozen=True, slots=True)
class Same:
    """Question such as "are the shelf and the desk of the same colour"; one subject: all its
    objects, or any two of them. The kind is what they are: "are both things chairs"; a dimension
    is measured; everything is kind, size and colour."""

    subjects: tuple[Reference, ...]
    key: Attribute | Dimension | Literal["kind", "everything"]
    of_any: bool = False


class Identify(_OfSubject):
    """Question such as "what is the black object on the table"."""


@dataclass(frozen=True, slots=True)
class Compare:
    """Question such as "what is nearer to me, the box or the counter"."""

    options: tuple[Reference, ...]
    rank: Rank


@dataclass(frozen=True, slots=True)
class CompareCounts:
    """Question such as "are there more chairs than tables".

    Attributes:
        asks: "which": "are there more chairs or tables"; "difference": "how many more ...".
    """

    first: Reference
    second: Reference
    how: Literal["more", "fewer", "as many"] = "as many"
    asks: Literal["whether", "which", "difference"] = "whether"


@dataclass(frozen=True, slots=True)
class IsMore:
    """Question such as "is the couch longer than the table"."""

    first: Reference
    second: Reference
    rank: Rank


@dataclass(frozen=True, slots=True)
class HowMuchMore:
    """Question such as "how much longer is the couch than the table"."""

    first: Reference
    second: Reference
    rank: Rank


class TimesSeen(_OfSubject):
    """Question such as "how often did you see the cup"."""


@dataclass(frozen=True, slots=True)
class Choose:
    """Question such as "is the door open or closed", "is the table on my left or behind me"."""

    subject: Reference
    options: tuple[Condition, ...]


class AskDirection(_OfSubject):
    """Question such as "which way should I turn to open the window"."""


@dataclass(frozen=True, slots=True)
class AskRoom:
    """Question such as "which room am I in"; with a noun: "am I in a bedroom"."""

    noun: str = ""


@dataclass(frozen=True, slots=True)
class IsWayClear:
    """Question such as "can I walk forward"; the way is a relation to the viewer."""

    way: Related


@dataclass(frozen=True, slots=True)
class Distance:
    first: Reference
    second: Reference


@dataclass(frozen=True, slots=True)
class Size:
    """Question such as "how big is the table"; a dimension for "how tall", "how high up"."""

    subject: Reference
    dimension: Dimension = ""


@dataclass(frozen=True, slots=True)
class OnEach:
    """Question such as "is there a lamp on every table"; predicate empty: on it or at it."""

    subject: NounPhrase
    predicate: str
    anchors: NounPhrase


@dataclass(frozen=True, slots=True)
class Help:
    """Question such as "what can I ask"."""


class Ground(_OfSubject):
    """A bare phrase, or "find the cup"."""


class Describe(_OfSubject):
    """Question such as "describe the chair", "what does it look like"."""


@dataclass(frozen=True, slots=True)
class WhereAt:
    """Question such as "where was the cup at 10:05"."""

    subject: Reference
    moment: Moment


@dataclass(frozen=True, slots=True)
class PastClaim:
    """Question such as "was the cup on the desk 5 minutes ago", "was there a cup at 10:05", "what
    was on the desk at 10:05"."""

    claim: Verify | Exists | ListObjects | Count
    moment: Moment

    @property
    def subject(self) -> Reference:
        """What it is about."""
        return self.claim.subject


@dataclass(frozen=True, slots=True)
class WhenSeen:
    """Question such as "when did you last see the cup"."""

    subject: Reference
    first: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """Question such as "what was moved since 10:05"; of one thing: "has the cup moved".

    Attributes:
        kinds: empty for all.
        since: None for the previous visit.
        stayed: the question is whether it has not moved.
        asks_when: the question is when that was.
    """

    kinds: tuple[ChangeKind, ...] = ()
    since: Moment | None = None
    subject: Reference | None = None
    stayed: bool = False
    asks_when: bool = False


@dataclass(frozen=True, slots=True)
class IsTaken:
    """Question such as "is the chair taken", or free: whether somebody is at it."""

    subject: Reference
    free: bool = False


class CouldBe(_OfSubject):
    """Question such as "what else could object 6 be"."""


class HowSure(_OfSubject):
    """Question such as "how sure are you that there is a refrigerator"."""


@dataclass(frozen=True, slots=True)
class HasRoomFor:
    """Question such as "is the couch big enough for three people"; without a number: for how
    many."""

    subject: Reference
    people: int | None = None


@dataclass(frozen=True, slots=True)
class FitsBetween:
    """Question such as "can I fit a 1 m wide box between the table and the sofa", "between the two
    benches" (twice the same), "under the table" (between it and the floor).

    Attributes:
        width_m: of what is to fit; None: `thing` has it.
    """

    first: Reference
    second: Reference
    width_m: float | None = None
    thing: Reference | None = None


@dataclass(frozen=True, slots=True)
class HasRoomOn:
    """Question such as "is there room on the desk for a 60 cm tray", "for the lamp".

    Attributes:
        length_m: of what is to stand there; None: `thing` has it.
    """

    subject: Reference
    length_m: float | None = None
    thing: Reference | None = None


@dataclass(frozen=True, slots=True)
class FitsThrough:
    """Question such as "will the couch fit through a 90 cm door", "through the door".

    Attributes:
        width_m: of the way; None: `way` has it.
    """

    subject: Reference
    width_m: float | None = None
    way: Reference | None = None


@dataclass(frozen=True, slots=True)
class IsWayFree:
    """Question such as "can I walk straight from the door to the desk"."""

    first: Reference
    second: Reference


@dataclass(frozen=True, slots=True)
class Joined:
    """Questions in one sentence: "is there a tv or a laptop", "where are the cup and the bowl"."""

    questions: tuple[Question, ...]
    word: Literal["and", "or"]


Question = (
    Exists | Count | Where | AskAttribute | AskCarrier | Verify | ListObjects | Same | Identify
    | Distance | Size | Ground | Describe | WhereAt | WhenSeen | Changed | HowSure | CouldBe
    | HasRoomFor | AskRoom | FitsBetween | FitsThrough | HasRoomOn | IsWayFree | Compare
    | CompareCounts | IsMore | HowMuchMore | TimesSeen | Choose | IsTaken | Joined | OnEach
    | PastClaim | Help
)  # fmt: skip
SituatedQuestion = Question | AskDirection | IsWayClear
"""All shapes, with those that only somebody who stands somewhere asks."""


@dataclass(frozen=True, slots=True)
class Several:
    """Reference such as "chairs 2, 3 and 7", "the cup and the book"."""

    parts: tuple[Reference, ...]


Subject = Reference | Several


@dataclass(frozen=True, slots=True)
class Rename:
    """Command such as "that is a toolbox", "rename the cup to mug".

    Attributes:
        denied: the name that the speaker takes it to have: "chair" of "it is a stool, not a chair".
    """

    subject: Subject
    label: str
    denied: str = ""


@dataclass(frozen=True, slots=True)
class IsA:
    """Command such as "that is a red cup": its name may be "cup", or "red cup", and it is red.

    Attributes:
        label: all words.
        noun: the label without leading words that are attributes.
        attributes: names and values of those words.
        denied: see `Rename`.
    """

    subject: Subject
    label: str
    noun: str
    attributes: tuple[tuple[str, str], ...]
    denied: str = ""


@dataclass(frozen=True, slots=True)
class IsAt:
    """Command such as "on the desk there is a lamp": the known lamp is there, or an object there
    has a wrong label.

    Attributes:
        subject: the object there; its only condition is the place, where one is said.
        is_missed: of "you missed the lamp on the desk", which says that it has no other name.
    """

    subject: NounPhrase
    noun: str
    is_missed: bool = False


@dataclass(frozen=True, slots=True)
class SetAttribute:
    """Command such as "object 12 is grey", "the material of the chair is wood"; no value: "forget
    its colour".

    Attributes:
        denied: the value that the speaker takes it to have: "red" of "blue, not red".
    """

    subject: Subject
    key: str
    value: str
    denied: str = ""


@dataclass(frozen=True, slots=True)
class AddRelation:
    """Command such as "the cup is on the table".

    Attributes:
        predicate: empty for "I moved it to the table", which may be on it or next to it.
        is_wish: of "the cup belongs on the table", which may not say where it is.
    """

    subject: Subject
    predicate: str
    anchor: Reference
    is_wish: bool = False


@dataclass(frozen=True, slots=True)
class DeleteRelation:
    subject: Subject
    predicate: str
    anchor: Reference


@dataclass(frozen=True, slots=True)
class DeleteObject:
    """Command such as "delete object 4".

    Attributes:
        is_told: nobody asks for it: "there is no sofa any more".
    """

    subject: Subject
    is_told: bool = False


@dataclass(frozen=True, slots=True)
class Confirm:
    """Command such as "that is right", "object 4 really is a cup"; without a label the
    present one."""

    subject: Subject
    label: str = ""


@dataclass(frozen=True, slots=True)
class Merge:
    """Command such as "objects 3 and 5 are the same chair"; one subject: all its objects.

    Attributes:
        noun: their kind, which at least one of them must have; empty for none.
        count: their number, as it was said of marked objects: "these two"; None: no number.
    """

    subjects: tuple[Reference, ...]
    noun: str = ""
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """Command such as "object 3 is two chairs".

    Attributes:
        noun: kind of the parts, which the subject must have; empty for none.
    """

    subject: Reference
    count: int = 2
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Deny:
    """Command such as "this is not a microwave", "the cup is not red", "the book is not mine": what
    it is, or whose, has to be asked.

    Attributes:
        key: the attribute; empty for a name.
    """

    subject: Subject
    denied: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Similar:
    """Command such as "the same for objects 4 and 9": the newest correction holds for them, too;
    without ids for all similar ones."""

    object_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Undo:
    """The newest correction that stands, or the numbered one."""

    correction_id: int | None = None


@dataclass(frozen=True, slots=True)
class Redo:
    """The correction that was undone last, or the numbered one."""

    correction_id: int | None = None


@dataclass(frozen=True, slots=True)
class Agree:
    """Command such as "you missed nothing", "thank you": no change."""


OfOne = Rename | IsA | SetAttribute | AddRelation | DeleteRelation | DeleteObject | Confirm | Split
Command = OfOne | IsAt | Merge | Similar | Deny | Agree | Undo | Redo


def flattened(phrase: NounPhrase) -> NounPhrase | None:
    """Flat reading of "the cup on the table next to the sofa": both relations are about the cup.

    Relations of the anchors move to the outer noun; None where there are none.
    """
    conditions: list[Condition] = []
    for condition in phrase.conditions:
        inner: list[Condition] = []
        if isinstance(condition, Related) and len(condition.anchors) == 1 and not condition.negated:
            (anchor,) = condition.anchors
            inner = [c for c in anchor.conditions if isinstance(c, Related) or is_use(c)]
            if isinstance(anchor, NounPhrase) and inner:
                kept = tuple(c for c in anchor.conditions if c not in inner)
                condition = replace(condition, anchors=(replace(anchor, conditions=kept),))
        conditions += [condition, *inner]
    moved = len(conditions) > len(phrase.conditions)
    return replace(phrase, conditions=tuple(conditions)) if moved else None


def is_use(condition: Condition) -> bool:
    """Whether a condition is what things are for."""
    return isinstance(condition, HasAttribute) and condition.key == "affordance"


def is_definite(reference: Reference) -> bool:
    return not isinstance(reference, NounPhrase) or reference.definite


def relations_to_viewer(phrase: Reference) -> tuple[Related, ...]:
    """The conditions that are about where an object lies for the one who asks."""
    return tuple(
        c
        for c in phrase.conditions
        if isinstance(c, Related) and len(c.anchors) == 1 and isinstance(c.anchors[0], Viewer)
    )


def parts_of(tree: object, kind: type[_Part]) -> Iterator[_Part]:
    """All parts of a tree, itself included, that are of a kind; the outer ones first."""
    waiting: list[Any] = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, kind):
            yield part
        if isinstance(part, tuple):
            waiting.extend(part[::-1])
        else:
            waiting.extend([getattr(part, name) for name in _names_of_parts(part.__class__)])


def with_part(tree: Any, part: object, new: object) -> Any:
    """A tree with another part wherever one stands in it."""
    return new if tree == part else with_parts(tree, lambda each: with_part(each, part, new))


def with_parts(tree: Any, made: Callable[[Any], Any]) -> Any:
    """A tree, or a tuple of trees, with what is made of each of its parts."""
    if isinstance(tree, tuple):
        return tuple(map(made, tree))
    names = _names_of_parts(tree.__class__)
    return replace(tree, **{name: made(getattr(tree, name)) for name in names}) if names else tree


@cache
def _names_of_parts(kind: type) -> tuple[str, ...]:
    """Fields of a dataclass, the last one first; none of other types."""
    return tuple(each.name for each in fields(kind))[::-1] if is_dataclass(kind) else ()


def noun_phrases(tree: object) -> Iterator[NounPhrase]:
    """A noun phrase and all within it, the outer ones first; those of a question."""
    return parts_of(tree, NounPhrase)


def is_in_words(question: Question) -> bool:
    """Whether a question describes all that it is about in words, which may be read loosely.

    Object numbers and marks mean exactly one object.
    """
    return not any((*parts_of(question, Marked), *parts_of(question, ObjectNumber)))
