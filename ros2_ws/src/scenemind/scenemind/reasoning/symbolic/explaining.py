"""Why nothing, or not one thing, was meant: errors that help on."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import MapObject
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import rendering
from scenemind.reasoning.symbolic.phrasing import be, candidates, counted, noun_of
from scenemind.reasoning.symbolic.syntax import NounPhrase, Reference
from scenemind.words.english import normal, shown, singular
from scenemind.words.vocabulary import Vocabulary, did_you_mean

ROOMS_UNKNOWN = (
    "Rooms are not known: the memory holds objects, and the floors, walls and ceilings around them."
)


def is_room(reference: Reference) -> bool:
    """Whether rooms are spoken of, which no memory tells apart."""
    return isinstance(reference, NounPhrase) and normal(reference.noun) == "room"


def missing(
    reference: Reference, known: int, labels: Sequence[str], vocabulary: Vocabulary
) -> ReasoningError:
    """For a reference that fits nothing.

    Args:
        known: how many objects its noun alone fits.
    """
    noun = noun_of(reference)
    if not isinstance(reference, NounPhrase):
        return ReasoningError("not_found", f"There is no {noun} like that in the memory.")
    if not known and is_room(reference):
        return ReasoningError("not_found", ROOMS_UNKNOWN)
    if not known:
        head, _, last = noun.rpartition(" ")
        help_on = did_you_mean(reference.noun, labels, vocabulary)
        one = f"{head} {singular(last)}".strip()
        return ReasoningError("not_found", f"There is no {one} in the memory.{help_on}")
    said = shown(rendering.bare(reference))
    return ReasoningError(
        "not_found",
        f'Nothing in the memory fits "{said}" ({counted(known, noun)} {be(known)} known).',
    )


def ambiguous(reference: Reference, objects: Sequence[MapObject]) -> ReasoningError:
    """For a reference that fits several where one is needed."""
    return ReasoningError(
        "ambiguous",
        f'{len(objects)} objects fit "{rendering.describe(reference)}": {candidates(objects)}.'
        " Say more about it, or give its number.",
    )
