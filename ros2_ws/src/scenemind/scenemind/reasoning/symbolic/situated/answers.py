"""Short answers to situated questions, always one: what was found, else what is usual."""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.symbolic.situated import claims, ordinary, states, ways
from scenemind.reasoning.symbolic.situated.finding import Finder
from scenemind.reasoning.symbolic.situated.properties import COMMONEST, property_of
from scenemind.reasoning.symbolic.situated.short import Short, yes_or_no
from scenemind.reasoning.symbolic.situated.tree import (
    AskClaim,
    AskClear,
    AskCount,
    AskDirection,
    AskExists,
    AskProperty,
    AskReach,
    AskRoom,
    AskSame,
    AskState,
    AskVisible,
    AskWhat,
    AskWhich,
    SituatedTree,
    Thing,
)
from scenemind.words.english import number_word


def answer(question: SituatedTree, finder: Finder) -> Short:
    """The answer; never none."""
    match question:
        case AskProperty():
            return _property(question, finder)
        case AskCount():
            return _count(question, finder)
        case AskDirection(goal=goal):
            return ways.direction(goal, finder)
        case AskWhich():
            return _which(question, finder)
        case AskState():
            return states.state(question, finder)
        case AskWhat(thing=thing):
            return _what(thing, finder)
        case AskExists():
            return claims.exists(question, finder)
        case AskVisible():
            return ways.visible(question, finder)
        case AskReach(thing=thing):
            return ways.reach(thing, finder)
        case AskClear(place=place):
            return ways.clear(place, finder)
        case AskSame():
            return claims.same(question, finder)
        case AskRoom(room=room):
            return claims.room(room, finder)
        case AskClaim(thing=thing):
            return claims.claim(thing, finder)


def _property(question: AskProperty, finder: Finder) -> Short:
    row = finder.find_named(question.of)
    if row is None:
        usual = ordinary.usual(question.of.noun, question.which)
        return Short(usual or COMMONEST[question.which])
    return Short(property_of(finder.scene.objects[row], question.which), (row,))


def _count(question: AskCount, finder: Finder) -> Short:
    noun = question.of.noun
    parts = None if finder.classes.sure_labels(noun) else ordinary.find_parts(noun)
    if parts is not None:
        return Short(number_word(parts))
    found = finder.holding(question.of)
    n, rows = len(found), tuple(found.tolist())
    if question.divisor:
        return yes_or_no(n > 0 and n % question.divisor == 0, *rows)
    if not question.parity:
        return Short(number_word(n), rows)
    parity = "odd" if n % 2 else "even"
    return (
        Short(parity, rows)
        if question.parity == "either"
        else yes_or_no(parity == question.parity, *rows)
    )


def _which(question: AskWhich, finder: Finder) -> Short:
    """In the words of the question."""
    measures = finder.measure(question.by)
    rows = {option: finder.find_named(option) for option in question.options}
    known = {option: row for option, row in rows.items() if row is not None}
    if not known:
        return Short(question.options[0].noun)
    best = min(known, key=lambda option: measures[known[option]])
    return Short(best.noun, (known[best],))


def _what(thing: Thing, finder: Finder) -> Short:
    row = finder.find_best(thing)
    if row is None:
        row = finder.find_best(replace(thing, noun="", hints=()))
    return Short("table") if row is None else Short(finder.scene.objects[row].label, (row,))
