"""What a phrase is likely to mean where it cannot be taken to the letter."""

from __future__ import annotations

import logging
from dataclasses import replace

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.symbolic.grammar import parse_question
from scenemind.reasoning.symbolic.readings import is_description
from scenemind.reasoning.symbolic.referring.referring import refer
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.types import Query
from scenemind.words.vocabulary import Vocabulary

_log = logging.getLogger(__name__)

_MORE_LIKELY = 0.5
# That what nothing fits to the letter is in the map at all. Of such phrases of Nr3D nearly as many
# are answered when their target is taken out of the scene (45 %) as when it is there (49 %), so
# that this is how often it is there: of ten things that people ask for, one is taken not to be.
_IS_THERE = 0.9


def refer_likely(
    query: Query, scene: Scene, vocabulary: Vocabulary, error: ReasoningError
) -> GroundReply:
    """What fits best in place of an error of the grammar: always for a phrase that it does not
    read; for one that nothing fits to the letter only what is more likely meant than not.

    Raises:
        ReasoningError: that error.
    """
    is_read = error.failure.code != "not_understood"
    if is_read and not _may_be_loose(query, error):
        raise error
    try:
        reply = refer(query, scene, vocabulary)
    except ReasoningError as nothing:
        _log.debug("no expression either: %s", nothing)
        raise error from nothing
    if not is_read:
        return reply
    sure = tuple(_IS_THERE * confidence for confidence in reply.confidences)
    if sure[0] <= _MORE_LIKELY:
        raise error
    return replace(reply, confidences=sure, steps=(f"to the letter: {error}", *reply.steps))


def _may_be_loose(query: Query, error: ReasoningError) -> bool:
    return error.failure.code == "not_found" and is_description(parse_question(query.text))
