"""A description in the making."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from scenemind.reasoning.symbolic.referring import phrases
from scenemind.reasoning.symbolic.referring.chunks import Chunk
from scenemind.reasoning.symbolic.referring.description import (
    Description,
    Link,
    Mention,
    Placed,
    View,
    ViewKind,
)
from scenemind.words.english import normal
from scenemind.words.thesaurus import Thesaurus

# Stands for the target, as long as it is not known which mention that is.
TARGET = -1
# Each costs time, and nobody says more of one thing.
_MOST_LINKS = 24
# Before a side these say how far to it: "the furthest left chair".
_FARTHEST = ("farthest", "furthest")
_SIDES = {
    **phrases.SIDE_WORDS,
    **dict.fromkeys(("closest", "nearest"), "front"),
    **dict.fromkeys(_FARTHEST, "back"),
}
# "To the right is a desk": the desk is to the right of what is spoken of.
_BESIDE = {"left": "left of", "right": "right of", "front": "in front of", "back": "behind"}


@dataclass(slots=True)
class Draft:
    """What was read so far.

    Attributes:
        fronted, fronted_places: said before the thing they are said of: "in the corner is a lamp".
        before: what stood before the target: the bed of "next to the bed is a lamp".
        is_topic: the target was spoken of again.
    """

    mentions: list[Mention] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    places: list[Placed] = field(default_factory=list)
    view: View | None = None
    target: int = TARGET
    fronted: list[Link] = field(default_factory=list)
    fronted_places: list[Placed] = field(default_factory=list)
    before: int | None = None
    is_topic: bool = False

    def add(self, chunk: Chunk) -> int:
        """A new mention; its place."""
        self.mentions.append(mention_of(chunk))
        index = len(self.mentions) - 1
        self._place_by_traits(chunk, index)
        return index

    def merge(self, chunk: Chunk, index: int) -> None:
        """More on a mention's look; its noun where it had none."""
        if index == TARGET:
            index = self.target = len(self.mentions)
            self.mentions.append(Mention(""))
        self.is_topic |= index == self.target
        known, more = self.mentions[index], mention_of(chunk)
        traits = tuple(dict.fromkeys((*known.traits, *more.traits)))
        self.mentions[index] = replace(known, noun=known.noun or more.noun, traits=traits)
        self._place_by_traits(chunk, index)

    def deny(self, chunk: Chunk, index: int) -> None:
        """What a mention is not: "it is not black", "not the middle one"."""
        known = self.mentions[index]
        without = (*known.without, *mention_of(chunk).traits)
        self.mentions[index] = replace(known, without=without)
        self._place_by_traits(chunk, index, negated=True)

    def is_target_again(self, chunk: Chunk) -> bool:
        """Whether "the chair" is the chair that is spoken of all the time."""
        more = mention_of(chunk)
        if more.other:
            return False
        known = self.mentions[self.target].noun
        return not more.noun or not known or _is_called(known, more.noun)

    def bind_fronted(self, index: int) -> None:
        """What was said before its thing is said of this one."""
        self.links.extend(
            replace(link, subjects=(*link.subjects[:-1], index)) for link in self.fronted
        )
        for place in self.fronted_places:
            if index == self.target:
                self.places.append(replace(place, subject=index))
            elif place.place in _BESIDE:
                self.links.append(Link((index,), _BESIDE[place.place], (self.target,)))
        self.fronted.clear()
        self.fronted_places.clear()

    def set_view(self, kind: ViewKind, mention: int | None) -> None:
        """From where it is looked; a mention counts more than none."""
        if self.view is None or mention is not None:
            self.view = View(kind, mention)

    def description(self) -> Description:
        """All of it; an empty mention as the target where nothing was named."""
        if self.target == TARGET and self.view is not None and self.view.mention is not None:
            self.target, self.view = self.view.mention, None  # "look at the lamp"
        if self.target == TARGET:
            self.target = len(self.mentions)
            self.mentions.append(Mention(""))
        self._follow_topic()
        self._name_the_nameless()
        links = (
            replace(link, subjects=self._known(link.subjects), anchors=self._known(link.anchors))
            for link in self.links
        )
        return Description(
            tuple(self.mentions),
            self.target,
            tuple(link for link in links if not set(link.subjects) & set(link.anchors))[
                :_MOST_LINKS
            ],
            tuple(replace(at, subject=self._known((at.subject,))[0]) for at in self.places),
            self.view,
        )

    def _known(self, indices: tuple[int, ...]) -> tuple[int, ...]:
        known = (self.target if index == TARGET else index for index in indices)
        return tuple(dict.fromkeys(known))

    def _follow_topic(self) -> None:
        """ "Next to the sink is a towel. Above the sink is a mirror." speaks of the sink."""
        if self.before is None or self.is_topic:
            return
        head = _head(self.mentions[self.before].noun)
        again = {
            index
            for index, mention in enumerate(self.mentions)
            if index != self.target and head and _head(mention.noun) == head
        }
        if len(again) > 1:
            self.target = self.before
            self.links = [
                replace(link, anchors=tuple(self.target if a in again else a for a in link.anchors))
                for link in self.links
            ]

    def _name_the_nameless(self) -> None:
        """ "The one on the left", after "facing the two windows"; "next to another one"."""
        target = self.mentions[self.target]
        if not target.noun:
            named = [m for m in self.mentions if m.plural and m.noun not in ("", "walls")]
            if self.view is not None and self.view.mention is not None:
                named.append(self.mentions[self.view.mention])
            if named:
                target = self.mentions[self.target] = replace(target, noun=named[0].noun)
        for index, mention in enumerate(self.mentions):
            if mention.other and not mention.noun:
                self.mentions[index] = replace(mention, noun=target.noun)

    def _place_by_traits(self, chunk: Chunk, index: int, *, negated: bool = False) -> None:
        """Sides said before the noun: "the left chair", "the second shelf from the top"."""
        said = [trait for trait in chunk.traits if trait in _SIDES]
        if any(trait in phrases.SIDE_WORDS for trait in said):
            said = [trait for trait in said if trait not in _FARTHEST]
        sides = [_SIDES[trait] for trait in said]
        self.places.extend(Placed(index, side, chunk.order, negated) for side in sides)


def mention_of(chunk: Chunk) -> Mention:
    """A noun chunk as a mention, without its places."""
    looks = tuple(t for t in chunk.traits if t not in ("other", "far") and t not in _SIDES)
    return Mention(chunk.value, looks, plural=chunk.plural, other="other" in chunk.traits)


def _is_called(noun: str, other: str) -> bool:
    """One head, or words for one thing: "trash can" and "bin"."""
    if _head(noun) == _head(other):
        return True
    return normal(other) in Thesaurus.load().synonyms(normal(noun))


def _head(noun: str) -> str:
    return normal(noun).split(" ")[-1]
