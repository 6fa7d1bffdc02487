"""What a referring expression says: things that are mentioned, and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

ViewKind = Literal["facing", "from"]
Side = Literal["left", "right", "front", "back", "top", "bottom", "middle"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing that is spoken of.

    Attributes:
        noun: what it is called, as said; empty for "one" or "object".
        traits: words on its look ("black", "round", "large", "largest").
        without: words on looks that it has not.
        plural: several are meant. other: said with "another" or "other".
    """

    noun: str
    traits: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    plural: bool = False
    other: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A relation that is said between mentions, by their places in the description.

    Attributes:
        subjects: which it may be said of; the first is the likelier one.
        predicate: one of `phrases.RELATIONS`' values.
        anchors: two for "between", else one.
        order: "second closest": 2.
    """

    subjects: tuple[int, ...]
    predicate: str
    anchors: tuple[int, ...]
    negated: bool = False
    order: int = 1


@dataclass(frozen=True, slots=True)
class Placed:
    """Where in the room or in its group a mention stands: "on the left", "in the corner".

    Attributes:
        place: a `Side`, or corner or room middle.
        order: "the second from the left": 2.
    """

    subject: int
    place: str
    order: int = 1
    negated: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """From where it is looked: facing a mention, or standing at it with one's back to it.

    Attributes:
        mention: None for the room: "when you enter".
    """

    kind: ViewKind
    mention: int | None


@dataclass(frozen=True, slots=True)
class Description:
    """All that was understood of an expression.

    Attributes:
        mentions: the things. target: the place of the one that is meant.
    """

    mentions: tuple[Mention, ...]
    target: int
    links: tuple[Link, ...] = ()
    places: tuple[Placed, ...] = ()
    view: View | None = None

    def nameless(self) -> Description:
        """The same of an object of any kind."""
        mentions = list(self.mentions)
        mentions[self.target] = replace(mentions[self.target], noun="")
        return replace(self, mentions=tuple(mentions))
