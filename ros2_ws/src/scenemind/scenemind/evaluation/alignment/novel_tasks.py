"""Further questions on an aligned scene, for who has learnt from the corrections."""

from __future__ import annotations

from collections.abc import Iterator

from scenemind.evaluation.alignment.draft import Draw, said, shuffled, wordings
from scenemind.evaluation.alignment.tasks import PlantedError, Wanted
from scenemind.geometry import gap_m
from scenemind.memory import MapObject
from scenemind.words.english import number_word

# The closest one is closer than the next by this much.
_CLOSER_M = 0.3
# The one is a kind of the other.
_KINDS = ({"metal", "stainless steel"}, {"stone", "marble"}, {"paper", "cardboard"})


def novel_question(draw: Draw, asked: Wanted) -> Wanted | None:
    """One that is wrong before the errors are corrected; None: none is clear.

    Args:
        asked: the task's own question, which it must not repeat.
    """
    for error in shuffled(draw, draw.planting.errors):
        found = [w for w in _about(draw, error) if w.question != asked.question]
        if found:
            return draw.rng.choice(found)
    return None


def _about(draw: Draw, error: PlantedError) -> Iterator[Wanted]:
    match error.kind:
        case "label":
            yield from _named(draw, draw.scene.objects[error.object_id])
        case "material":
            yield from _made_of(draw, error)
        case "shape":
            yield from _shaped(draw, error)
        case "color" | "twice" | "joined" | "ghost":
            yield from _coloured(draw, error)
        case "relation":
            yield from _on(draw, error)


def _named(draw: Draw, thing: MapObject) -> Iterator[Wanted]:
    if thing not in draw.scene.unique:
        yield from _coloured(draw, PlantedError("label", thing.object_id, thing.label))
        return
    yield _ask(draw, "where", thing.label, ids={thing.object_id})
    yield _ask(draw, "count", thing.label, answers=("one",))
    for label in sorted({other.label for other in draw.scene.things}):
        group = draw.scene.counted(label) or ()
        by_gap = sorted(group, key=lambda other: gap_m(other.box, thing.box))
        if len(by_gap) < 2 or not _are_perceived(draw, by_gap):
            continue
        first, second = (gap_m(other.box, thing.box) for other in by_gap[:2])
        if second - first >= _CLOSER_M:
            yield _ask(draw, "closest", thing.label, ids={by_gap[0].object_id}, other=label)


def _made_of(draw: Draw, error: PlantedError) -> Iterator[Wanted]:
    of_all = {i: o.attributes.get("material") for i, o in draw.scene.objects.items()}
    if not any(error.value in kinds <= set(of_all.values()) for kinds in _KINDS):
        ids = {i for i, material in of_all.items() if material == error.value}
        yield _ask(draw, "made_of", ids=ids, value=error.value)


def _shaped(draw: Draw, error: PlantedError) -> Iterator[Wanted]:
    group = draw.scene.counted(error.noun) or ()
    so = [o.object_id for o in group if o.attributes.get("shape") == error.value]
    if so == [error.object_id]:
        yield _ask(draw, "shaped", error.noun, answers=("yes",), value=error.value)


def _coloured(draw: Draw, error: PlantedError) -> Iterator[Wanted]:
    seen = draw.scene.objects.get(error.object_id, draw.planting.perceived.get(error.object_id))
    value = seen.attributes.get("color") if seen else None
    group = draw.scene.counted(error.noun)
    if not value or not group:
        return
    count = sum(other.attributes.get("color") == value for other in group)
    named = [o for o in draw.planting.perceived.values() if o.label.endswith(error.noun)]
    if count != sum(other.attributes.get("color") == value for other in named):
        yield _ask(draw, "colored", error.noun, answers=(number_word(count),), value=value)


def _on(draw: Draw, error: PlantedError) -> Iterator[Wanted]:
    anchor = draw.scene.objects[error.anchor_id] if error.anchor_id is not None else None
    if anchor is not None and anchor in draw.scene.unique:
        yield _ask(draw, "what_on", ids={error.object_id}, anchor=anchor.label)


def _are_perceived(draw: Draw, group: list[MapObject]) -> bool:
    """As they are: the question is about the thing that they are close to."""
    return all(draw.planting.perceived.get(o.object_id) is o for o in group)


def _ask(
    draw: Draw,
    kind: str,
    noun: str = "",
    answers: tuple[str, ...] = (),
    ids: set[int] | None = None,
    **words: str,
) -> Wanted:
    wording = draw.rng.choice(wordings()["novel"][kind])
    return Wanted(said(wording, noun=noun, **words), answers, frozenset(ids or ()))
