"""How far and how big."""

from __future__ import annotations

import numpy as np

from scenemind.reasoning.symbolic.building import find_kind
from scenemind.reasoning.symbolic.phrasing import metres, sentence, the
from scenemind.reasoning.symbolic.relation_scores import Anchor, gaps_to
from scenemind.reasoning.symbolic.reply import Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.syntax import Distance, NounPhrase, Reference, Size, Viewer


def distance(question: Distance, at: Resolver) -> Reply:
    """Between surfaces and between centres, of two single objects or one and the viewer."""
    ends = [question.first, question.second]
    if isinstance(ends[0], Viewer) or _is_building(ends[0]):
        ends.reverse()
    first = _end(ends[0], at)
    second = _nearest_part(ends[1], first, at) if _is_building(ends[1]) else _end(ends[1], at)
    row = first.row
    if row is None:
        return Reply("That is no distance at all.", 1.0)
    gap = float(gaps_to(at.scene, second)[row])
    centers = np.linalg.norm(np.subtract(first.box.center, second.box.center))
    obj = at.scene.objects[row]
    if second.row is None:
        where = at.viewpoint().origin
        text = f"{the(obj)} is {metres(gap)} from {where}"
        return Reply(sentence(text), obj.confidence, (obj,), metres(gap))
    other = at.scene.objects[second.row]
    text = f"{the(obj)} is {metres(gap)} from {the(other)}"
    if other.object_id >= 0:
        text += f", {metres(float(centers))} between centres"
    sure = obj.confidence * other.confidence
    return Reply(sentence(text), sure, (obj, other), metres(gap))


def size(question: Size, at: Resolver) -> Reply:
    """The upright box around the object; of a floor or ceiling, how high it is."""
    row = at.single(question.subject)
    obj = at.scene.objects[row]
    long, wide = sorted(obj.box.size[:2], reverse=True)
    high = obj.box.size[2]
    if obj.object_id < 0 and obj.label != "wall":
        above = metres(max(0.0, obj.box.center[2] - at.scene.floor_z))
        sides = "" if question.dimension == "height" else f"{metres(long)} by {metres(wide)}, "
        text = f"{the(obj)} is {sides}{above} above the floor"
        return Reply(sentence(text), obj.confidence, (obj,))
    match question.dimension:
        case "height":
            said = f"{metres(high)} high"
        case "width":
            said = f"{metres(wide)} wide"
        case "length":
            said = f"{metres(long)} long"
        case _:
            said = f"{metres(long)} long, {metres(wide)} wide and {metres(high)} high"
    return Reply(sentence(f"{the(obj)} is {said}"), obj.confidence, (obj,), said)


def _is_building(reference: Reference) -> bool:
    return isinstance(reference, NounPhrase) and find_kind(reference.noun) is not None


def _nearest_part(reference: Reference, first: Anchor, at: Resolver) -> Anchor:
    """ "The wall" is the nearest one, where several may be meant."""
    parts = at.anchors(reference)
    if first.row is None:
        return parts[0]
    gaps = gaps_to(at.scene, first)
    return min(parts, key=lambda part: np.inf if part.row is None else float(gaps[part.row]))


def _end(reference: Reference, at: Resolver) -> Anchor:
    if isinstance(reference, Viewer):
        return Anchor(at.viewpoint().box, None, 1.0)
    row = at.single(reference)
    thing = at.scene.objects[row]
    return Anchor(thing.box, row, 1.0, thing)
