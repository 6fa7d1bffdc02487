"""What of a phrase is not so of an object, or only nearly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scenemind.language import verbalization
from scenemind.language.lexicon import OF_BOXES
from scenemind.language.trees import HasAttribute, NounPhrase, Related
from scenemind.reasoning.symbolic.attribute_scores import bearers, is_relative
from scenemind.reasoning.symbolic.phrase_scores import PhraseScores, is_in_room
from scenemind.reasoning.symbolic.presumptions import DOUBTED, TAKEN_FOR, is_unborne
from scenemind.reasoning.symbolic.relation_scores import BESIDE, relations_of

if TYPE_CHECKING:
    from scenemind.reasoning.symbolic.resolver import Resolver

# Scores below which a part of the phrase fails, and distance up to which things are nearly beside
# others.
_LABEL, _LOOK, _RELATION, _BESIDE_M = 0.5, 0.1, 0.05, 3.0
# Most confidence where what is said is nearly so, or another one has the look, as light changes
# looks.
NEARLY = 0.7
# Relations of a match of which so many only nearly hold are no match.
_TOO_MANY = 2
# A picture on a wall is over what stands just before it: least fit.
_UPRIGHT, _OVER = ("above", "below"), 0.5


@dataclass(frozen=True, slots=True)
class Unfit:
    """A part of a phrase that is not so of an object.

    Attributes:
        claim: it, in words as after "is".
        limit: the most confidence that it leaves.
        is_near: a relation or a look that fits more or less, but does not hold to the letter.
        is_of_distance: and that has no sharp end, such as "near".
        of_all: of no object of the kind it holds.
        is_of_look: an attribute.
        is_over: above or below, and just beside.
    """

    claim: str
    limit: float = DOUBTED
    is_near: bool = False
    is_of_distance: bool = False
    of_all: bool = False
    is_of_look: bool = False
    is_over: bool = False


def unfit_parts(
    phrase: NounPhrase, at: Resolver, row: int, *, is_exact: bool = False
) -> Iterator[Unfit]:
    """Parts of a phrase that are not so of an object.

    Sizes, comparisons and places in a group are none: one object is always the largest, the
    nearest, and the one on the left.

    Args:
        is_exact: all relations are known to hold of it to the letter, read in some way.
    """
    label_fit = at.graded.label_fit(phrase.noun)
    if phrase.noun and label_fit[row] < _LABEL:
        yield Unfit(phrase.noun)
    for condition in phrase.conditions:
        if isinstance(condition, Related) and not is_in_room(condition):
            itself = np.arange(len(label_fit)) == row
            fit = at.graded.relation_fit(condition, itself)
            if fit is None:
                continue
            alike = label_fit >= _LABEL
            holds = is_exact | at.holds(condition, alike | itself)
            if fit[row] < _RELATION or not holds[row]:
                of_all = not holds[alike].any()
                is_near = bool(fit[row] >= _RELATION) or _is_beside(row, condition, at)
                limit = NEARLY if is_near else DOUBTED
                is_of_distance = condition.predicate in (*BESIDE, *OF_BOXES)
                claim = verbalization.claim(condition)
                is_over = condition.predicate in _UPRIGHT and bool(fit[row] >= _OVER)
                of_distance = is_near and is_of_distance
                yield Unfit(claim, limit, is_near, of_distance, of_all, is_over=is_over)
        elif isinstance(condition, HasAttribute) and not is_relative(condition):
            yield from _unfit_look(phrase, condition, at.graded, row)


def _unfit_look(
    phrase: NounPhrase, look: HasAttribute, graded: PhraseScores, row: int
) -> Iterator[Unfit]:
    """A look of a phrase that an object has otherwise, or that nothing of its kind has."""
    scene, of_row = graded.scene, np.zeros(len(graded.scene))
    of_row[row] = 1.0
    if look.negated or look.key == "affordance" or bearers(scene, of_row, look)[row]:
        return
    of_all = is_unborne(phrase, look, scene)
    if of_all or scene.objects[row].attributes.get(look.key):
        fit = graded.look_fit(phrase, look)
        is_near = fit is None or bool(fit[row] >= _LOOK)
        limit = TAKEN_FOR if of_all and is_near else NEARLY
        if of_all and look.key != "color":  # benchmarks tell nothing of them
            limit = DOUBTED
        yield Unfit(verbalization.claim(look), limit, is_near, of_all=of_all, is_of_look=True)


def is_near_miss(wrong: Sequence[Unfit]) -> bool:
    """Whether an object may be meant, of which so much is not so."""
    related = [unfit for unfit in wrong if not unfit.is_of_look]
    return len(related) < _TOO_MANY and all(unfit.is_near for unfit in wrong)


def _is_beside(row: int, condition: Related, at: Resolver) -> bool:
    """Whether a relation is that of being beside a thing, and some such thing is not far away."""
    if condition.predicate not in BESIDE or condition.negated:
        return False
    ends = (end for anchor in condition.anchors for end in at.graded.likely_rows(anchor))
    denied = relations_of(at.scene).denied
    return any(
        at.scene.gaps_to_m(end)[row] <= _BESIDE_M
        for end in ends
        if not denied(condition.predicate, [end])[row]
    )
