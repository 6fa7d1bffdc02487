"""Yes or no to claims about things and rooms, and which room it is."""

from __future__ import annotations

from scenemind.reasoning.symbolic.situated import ordinary
from scenemind.reasoning.symbolic.situated.finding import Finder
from scenemind.reasoning.symbolic.situated.properties import property_of
from scenemind.reasoning.symbolic.situated.short import Short, yes_or_no
from scenemind.reasoning.symbolic.situated.tree import AskExists, AskSame, Thing

# A room is of a kind that is as likely as the likeliest, or nearly.
_AS_LIKELY = 0.75
_SHOWN = 3


def exists(question: AskExists, finder: Finder) -> Short:
    """What has no such class is not there, unless it may be no thing at all ("light")."""
    thing = question.thing
    if thing.noun and not finder.classes.named(thing.noun).any():
        return yes_or_no(not question.is_there)
    rows = finder.holding(thing)
    return yes_or_no(len(rows) > 0, *rows[:_SHOWN].tolist())


def claim(thing: Thing, finder: Finder) -> Short:
    """A claim about something that is not there is false; others are taken to be true."""
    row = finder.find_named(thing)
    if row is None:
        return yes_or_no(False)
    absent = any(ordinary.is_known(word) and not finder.classes.sure_labels(word)
                 for word in thing.hints)  # fmt: skip
    return yes_or_no(not absent, row)


def same(question: AskSame, finder: Finder) -> Short:
    """Whether two things are alike in what is asked."""
    first, second = finder.find_named(question.first), finder.find_named(question.second)
    if first is None or second is None:
        return yes_or_no(question.which == "thing")
    things = finder.scene.objects[first], finder.scene.objects[second]
    if question.which == "thing":
        values = {thing.label for thing in things}
    else:
        values = {property_of(thing, question.which) for thing in things}
    return yes_or_no(len(values) == 1, first, second)


def room(words: str, finder: Finder) -> Short:
    """Whether it is such a room by what stands in it; without words which one it is."""
    weights = {kind: _weight(kind, finder) for kind in ordinary.room_kinds()}
    likeliest = max(weights, key=lambda kind: weights[kind])
    if not words:
        return Short(likeliest)
    kind = ordinary.find_room(words)
    return yes_or_no(kind is not None and weights[kind] >= _AS_LIKELY * weights[likeliest] > 0.0)


def _weight(kind: str, finder: Finder) -> float:
    weights = ordinary.room_weights(kind)
    return sum(weight for name, weight in weights.items() if finder.classes.sure_labels(name))
