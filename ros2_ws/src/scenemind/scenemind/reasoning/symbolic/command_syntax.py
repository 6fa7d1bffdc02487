"""What a correcting sentence can mean."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.reasoning.symbolic.syntax import NounPhrase, ObjectNumber, Reference


@dataclass(frozen=True, slots=True)
class Several:
    """ "chairs 2, 3 and 7"."""

    numbers: tuple[ObjectNumber, ...]


Subject = Reference | Several


@dataclass(frozen=True, slots=True)
class Rename:
    """ "that is a toolbox", "rename the cup to mug"."""

    subject: Subject
    label: str


@dataclass(frozen=True, slots=True)
class IsA:
    """ "that is a red cup": its name may be "cup", or "red cup", and it is red.

    Attributes:
        label: all that was said.
        noun: that without the words before it that are attributes, too.
        attributes: names and values of these.
    """

    subject: Subject
    label: str
    noun: str
    attributes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class IsAt:
    """ "on the desk there is a lamp": the one that is known, or what stands there is called
    otherwise.

    Attributes:
        subject: what stands there; its only condition says where.
    """

    subject: NounPhrase
    noun: str


@dataclass(frozen=True, slots=True)
class SetAttribute:
    """ "object 12 is grey", "the material of the chair is wood"; no value: "forget its colour"."""

    subject: Subject
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class AddRelation:
    subject: Subject
    predicate: str
    anchor: Reference


@dataclass(frozen=True, slots=True)
class DeleteRelation:
    subject: Subject
    predicate: str
    anchor: Reference


@dataclass(frozen=True, slots=True)
class DeleteObject:
    subject: Subject


@dataclass(frozen=True, slots=True)
class Confirm:
    """ "that is right", "object 4 really is a cup"; without a label: whatever it is called."""

    subject: Subject
    label: str = ""


@dataclass(frozen=True, slots=True)
class Merge:
    """ "objects 3 and 5 are the same chair"; one subject: all that it means.

    Attributes:
        noun: what they are said to be; at least one of them is to be called so. Empty: not said.
    """

    subjects: tuple[Reference, ...]
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """ "object 3 is two chairs".

    Attributes:
        noun: what there are several of, which the subject is to be called; empty: not said.
    """

    subject: Reference
    count: int = 2
    noun: str = ""


@dataclass(frozen=True, slots=True)
class AskSimilar:
    """ "the same goes for the similar ones": which would that be?"""


@dataclass(frozen=True, slots=True)
class DoSimilar:
    """ "yes, those too": the newest correction holds for them; no ids: for all similar ones."""

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
    """ "you missed nothing", "thank you": nothing is to be changed."""


OfOne = Rename | IsA | SetAttribute | AddRelation | DeleteRelation | DeleteObject | Confirm | Split
Command = OfOne | IsAt | Merge | AskSimilar | DoSimilar | Agree | Undo | Redo
