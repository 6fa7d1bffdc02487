"""What a situated question may ask: trees of places, things and kinds of questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Property = Literal["color", "shape", "material", "size"]
Comparison = Literal["closest", "farthest", "largest", "smallest", "tallest"]
BUILDING = frozenset(("wall", "walls", "floor", "ground", "corner", "ceiling"))
Comparand = Literal["color", "shape", "material", "thing"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is about the one who asks.

    Attributes:
        bearing_rad: clockwise from ahead, in (-pi, pi]; None: within reach, whichever the side.
        half_width_rad: how far to both sides of the bearing it surely is there.
    """

    bearing_rad: float | None
    half_width_rad: float = 0.0


@dataclass(frozen=True, slots=True)
class Link:
    """A relation to other things: "on the table behind me".

    Attributes:
        relation: as `relate` takes it.
        anchors: two for "between".
    """

    relation: str
    anchors: tuple[Thing, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    """A noun phrase as far as it could be read.

    Attributes:
        noun: "" for any thing; in the singular or plural, as it was said.
        adjectives: before the noun, or after "is" ("long", "brown").
        places, links: all hold.
        hints: other words with a meaning ("contains mail"), for what it is for or like.
        extreme: which of those that fit.
    """

    noun: str = ""
    adjectives: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    links: tuple[Link, ...] = ()
    hints: tuple[str, ...] = ()
    extreme: Comparison | None = None


@dataclass(frozen=True, slots=True)
class AskProperty:
    """ "what color is the door behind me"."""

    of: Thing
    which: Property


@dataclass(frozen=True, slots=True)
class AskCount:
    """ "how many chairs are on my left".

    Attributes:
        parity: whether it is odd or even is asked; the word that makes it a yes-no question, or
            "either".
        divisor: whether it can be divided by it is asked.
    """

    of: Thing
    parity: Literal["", "odd", "even", "either"] = ""
    divisor: int = 0


@dataclass(frozen=True, slots=True)
class AskDirection:
    """ "which way should I turn to open the window": its words are the goal's hints."""

    goal: Thing


@dataclass(frozen=True, slots=True)
class AskWhich:
    """ "what is nearer to me, the box or the counter": one of several phrases."""

    options: tuple[Thing, ...]
    by: Comparison


@dataclass(frozen=True, slots=True)
class AskState:
    """ "is the door open or closed": one of the words, of a thing."""

    of: Thing
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskWhat:
    """ "what is behind me": the class of a thing."""

    thing: Thing


@dataclass(frozen=True, slots=True)
class AskExists:
    """ "is there a clock on the wall to my left", "is the door behind me".

    Attributes:
        is_there: "is there" was said: what has no such class in the scene is not there.
    """

    thing: Thing
    is_there: bool = True


@dataclass(frozen=True, slots=True)
class AskVisible:
    """ "can I see the sink from where I stand"; turned: after turning around."""

    thing: Thing
    turned: bool = False


@dataclass(frozen=True, slots=True)
class AskReach:
    """ "can I reach the towel without moving", "could I water the plant from where I stand"."""

    thing: Thing


@dataclass(frozen=True, slots=True)
class AskClear:
    """ "can I still walk forward"."""

    place: Place


@dataclass(frozen=True, slots=True)
class AskSame:
    """ "are both of the same colour"."""

    first: Thing
    second: Thing
    which: Comparand


@dataclass(frozen=True, slots=True)
class AskRoom:
    """ "am I in a bedroom"."""

    room: str


@dataclass(frozen=True, slots=True)
class AskClaim:
    """A yes-no question whose claim cannot be checked ("is anything written on it")."""

    thing: Thing


SituatedTree = (
    AskProperty
    | AskCount
    | AskDirection
    | AskWhich
    | AskState
    | AskWhat
    | AskExists
    | AskVisible
    | AskReach
    | AskClear
    | AskSame
    | AskRoom
    | AskClaim
)
