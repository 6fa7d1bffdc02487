"""How far and how big."""

from __future__ import annotations

import numpy as np

from scenemind.reasoning.symbolic.phrasing import metres, sentence, the
from scenemind.reasoning.symbolic.relation_scores import Anchor, gaps_to
from scenemind.reasoning.symbolic.reply import Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.syntax import Distance, Reference, Size, Viewer


def distance(question: Distance, at: Resolver) -> Reply:
    """Between surfaces and between centres, of two single objects or one and the viewer."""
    ends = [_end(question.first, at), _end(question.second, at)]
    if ends[0].row is None:
        ends.reverse()
    first, second = ends
    row = first.row
    if row is None:
        return Reply("That is no distance at all.", 1.0)
    gap = float(gaps_to(at.scene, second)[row])
    centers = np.linalg.norm(np.subtract(first.box.center, second.box.center))
    obj = at.scene.objects[row]
    if second.row is None:
        where = at.viewpoint().origin
        text = f"{the(obj)} is {metres(gap)} from {where}"
        return Reply(sentence(text), obj.confidence, (obj,))
    other = at.scene.objects[second.row]
    text = (
        f"{the(obj)} is {metres(gap)} from {the(other)}, {metres(float(centers))} between centres"
    )
    return Reply(sentence(text), obj.confidence * other.confidence, (obj, other))


def size(question: Size, at: Resolver) -> Reply:
    """The upright box around the object."""
    row = at.single(question.subject)
    obj = at.scene.objects[row]
    long, wide = sorted(obj.box.size[:2], reverse=True)
    high = obj.box.size[2]
    match question.dimension:
        case "height":
            said = f"{metres(high)} high"
        case "width":
            said = f"{metres(wide)} wide"
        case "length":
            said = f"{metres(long)} long"
        case _:
            said = f"{metres(long)} long, {metres(wide)} wide and {metres(high)} high"
    return Reply(sentence(f"{the(obj)} is {said}"), obj.confidence, (obj,))


def _end(reference: Reference, at: Resolver) -> Anchor:
    if isinstance(reference, Viewer):
        return Anchor(at.viewpoint().box, None, 1.0)
    row = at.single(reference)
    return Anchor(at.scene.objects[row].box, row, 1.0)
