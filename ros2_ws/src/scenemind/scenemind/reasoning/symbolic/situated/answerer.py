"""A situated question answered in a word, with what it rests on."""

from __future__ import annotations

import numpy as np

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import MethodReply
from scenemind.reasoning.symbolic.locating import brief_landmark
from scenemind.reasoning.symbolic.phrasing import listed
from scenemind.reasoning.symbolic.reply import ABSENCE_CONFIDENCE
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.situated.answers import answer
from scenemind.reasoning.symbolic.situated.finding import Finder
from scenemind.reasoning.symbolic.situated.grammar import read_question
from scenemind.reasoning.symbolic.situated.short import Short
from scenemind.reasoning.symbolic.situated.surroundings import Surroundings
from scenemind.reasoning.symbolic.situated.tree import AskDirection
from scenemind.reasoning.symbolic.situated.unused import unused_words
from scenemind.reasoning.symbolic.viewpoint import viewpoint_of
from scenemind.reasoning.types import Query
from scenemind.words.english import shown
from scenemind.words.vocabulary import Vocabulary

# Words that were read only in part make an answer a guess, and one that rests on no object is what
# is usual.
_GUESS, _USUAL = ABSENCE_CONFIDENCE, 0.2


def answer_briefly(
    query: Query, scene: Scene, vocabulary: Vocabulary, config: RelationConfig
) -> MethodReply:
    """Always an answer, for `always_answer`: at least a likely one."""
    viewpoint = _viewpoint(query, scene, vocabulary)
    question = read_question(query.text)
    finder = Finder(Surroundings(scene, viewpoint), vocabulary, config)
    short = answer(question, finder)
    if isinstance(question, AskDirection) and short.rows and not _stands_somewhere(query):
        # Nobody asks for the way: "where is it" wants a place.
        place = brief_landmark(scene, short.rows[0])
        short = Short(place, short.rows) if place and _asks_where(query) else short
    unused = unused_words(question, finder.classes)
    things = [scene.objects[row] for row in short.rows]
    steps = [
        f"read as a situated question: {type(question).__name__}",
        f"directions and distances are from {viewpoint.describe()}",
        f"rests on: {listed(things)}" if things else "nothing seen answers it: what is usual",
    ]
    if unused:
        steps.append(f"could not use: {shown(', '.join(unused))}")
    return MethodReply(
        f"{short.text[:1].upper()}{short.text[1:]}.",
        _GUESS * float(np.mean([t.confidence for t in things])) if things else _USUAL,
        tuple(thing for thing in things if thing.object_id >= 0),
        steps=tuple(steps),
        brief=short.text,
    )


def _stands_somewhere(query: Query) -> bool:
    return query.viewpoint is not None or bool(query.situation.strip())


def _asks_where(query: Query) -> bool:
    return query.text.lower().lstrip().startswith("where")


def _viewpoint(query: Query, scene: Scene, vocabulary: Vocabulary) -> Viewpoint:
    """Where they stand; in the middle of the scene where nothing tells it."""
    try:
        return viewpoint_of(query, scene, vocabulary)
    except ReasoningError:
        middle = (scene.low.min(axis=0) + scene.high.max(axis=0)) / 2.0
        return Viewpoint(middle, np.array((1.0, 0.0)), "the middle of the map, looking along x")
