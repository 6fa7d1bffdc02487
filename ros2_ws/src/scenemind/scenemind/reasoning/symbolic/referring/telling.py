"""What was understood of an expression, and what was not, in words."""

from __future__ import annotations

from scenemind.reasoning.symbolic.referring.description import Description, Link, Mention, Placed
from scenemind.reasoning.symbolic.referring.grounder import Grounder
from scenemind.reasoning.symbolic.referring.looks import LOOKS_KNOWN
from scenemind.words.english import joined, ordinal, shown

_PLACES = {
    "corner": "in the corner",
    "room middle": "in the middle of the room",
    "middle": "in the middle",
    "top": "at the top",
    "bottom": "at the bottom",
    "front": "in the front",
    "back": "in the back",
}
_VIEWS = {"facing": "seen by who faces", "from": "seen from"}


def told(description: Description) -> str:
    """The target and all that is said of it: "chair (black), next to desk, in the corner"."""
    target = description.target
    parts = [_mention(description.mentions[target])]
    for link in description.links:
        if target in (*link.subjects, *link.anchors):
            parts.append(told_link(description, link))
    parts += [_place(place) for place in description.places if place.subject == target]
    view = description.view
    if view is not None:
        what = "the door" if view.mention is None else _mention(description.mentions[view.mention])
        parts.append(f"{_VIEWS[view.kind]} {what}")
    return ", ".join(shown(part) for part in parts)


def told_link(description: Description, link: Link) -> str:
    """A relation of the target's: "next to desk", "with lamp above chair"."""
    anchors = joined([_mention(description.mentions[anchor]) for anchor in link.anchors])
    text = f"{'not ' if link.negated else ''}{link.predicate} {anchors}"
    if link.order > 1:
        text = f"{ordinal(link.order)} {text}"
    if description.target in link.subjects:
        return text
    return f"with {_mention(description.mentions[link.subjects[0]])} {text}"


def unused(description: Description, grounder: Grounder) -> list[str]:
    """Nouns that no object bears, and words on looks that nothing is known of."""
    found: list[str] = []
    for index, mention in enumerate(description.mentions):
        if mention.noun and not grounder.prior(index).any():
            found.append(mention.noun)
        found += [
            trait for trait in (*mention.traits, *mention.without) if trait not in LOOKS_KNOWN
        ]
    return list(dict.fromkeys(shown(words) for words in found))


def _mention(mention: Mention) -> str:
    noun = mention.noun or "object"
    looks = [*mention.traits, *(f"not {trait}" for trait in mention.without)]
    return f"{noun} ({joined(looks)})" if looks else noun


def _place(place: Placed) -> str:
    where = _PLACES.get(place.place, f"on the {place.place}")
    order = f"{ordinal(place.order)} " if place.order > 1 else ""
    return f"{'not ' if place.negated else ''}{order}{where}"
