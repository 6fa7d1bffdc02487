"""Objects that are no longer there: where they were, and since when they are gone."""

from __future__ import annotations

from scenemind.memory import MapObject
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.phrasing import (
    bounded,
    coordinates,
    counted,
    noun_of,
    sentence,
    span_words,
    the,
)
from scenemind.reasoning.symbolic.reply import Reply, mean_confidence
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.syntax import HasAttribute, NounPhrase, Reference


def find_gone(subject: Reference, at: Resolver) -> Reply | None:
    """Where the objects that are meant were; None where none of that name and look is gone.

    The answer names them in words only: who gets objects takes it that they are there.
    """
    if not at.scene.snapshot.gone:
        return None
    before = at.among_gone()
    wanted = _by_name_and_look(subject)
    if wanted is None or (isinstance(wanted, NounPhrase) and not before.is_sure_of(wanted.noun)):
        return None
    try:
        rows, scores = before.existing(wanted)
    except ReasoningError:
        return None
    for step in before.steps:
        at.note(f"among what is gone: {step}")
    floor_z, newest_ns = at.scene.floor_z, at.scene.snapshot.stamp_ns
    objects = before.objects(rows)
    if len(objects) == 1:
        text = f"{the(objects[0])} {_was(objects[0], floor_z, newest_ns)}"
    else:
        places = [f"object {o.object_id} {_was(o, floor_z, newest_ns)}" for o in objects]
        text = f"{counted(len(objects), noun_of(subject))} are gone: {bounded(places)}"
    return Reply(sentence(text), mean_confidence(before.scene, rows, scores))


def _by_name_and_look(subject: Reference) -> Reference | None:
    """Without what it says about places: what it was near may have been moved as well."""
    if not isinstance(subject, NounPhrase):
        return subject
    look = tuple(c for c in subject.conditions if isinstance(c, HasAttribute))
    return NounPhrase(subject.noun, conditions=look) if subject.noun else None


def _was(obj: MapObject, floor_z: float, newest_ns: int) -> str:
    """Stamps are the camera's, so times are counted from its newest frame."""
    stay = obj.stays[-1]
    seen, gone = (span_words(newest_ns - stamp) for stamp in (stay.last_seen_ns, stay.gone_ns))
    return (
        f"was {coordinates(obj, floor_z)}, last seen there {seen} before the newest frame, and is"
        f" no longer there since {gone} before it"
    )
