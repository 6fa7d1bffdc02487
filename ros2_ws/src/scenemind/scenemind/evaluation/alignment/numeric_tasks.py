"""Tasks about how many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenemind.evaluation.alignment.draft import Draft, Draw, shuffled
from scenemind.evaluation.alignment.planting import may_be_joined
from scenemind.memory import MapObject
from scenemind.words.english import number_word

_MOST_COUNTED = 8
_FEWEST, _MOST_ERRORS = 2, 4


def counted_once_more(draw: Draw) -> Draft | None:
    """ "How many chairs are there in the room?": one is seen twice."""
    for group in _groups(draw):
        draw.planting.see_twice(draw.rng.choice(group))
        return _how_many(draw, group)
    return None


def counted_ghost(draw: Draw) -> Draft | None:
    """One is seen where there is nothing."""
    for group in _groups(draw):
        draw.planting.see_ghost(draw.rng.choice(group))
        return _how_many(draw, group)
    return None


def missed_one(draw: Draw) -> Draft | None:
    """One is taken for another thing."""
    for group in _groups(draw):
        if draw.planting.mislabel(draw.rng.choice(group)):
            return _how_many(draw, group)
    return None


def miscounted(draw: Draw) -> Draft | None:
    """Two to four such errors at once, of different things."""
    wanted = draw.rng.randint(_FEWEST, _MOST_ERRORS)
    for group in _groups(draw):
        if len(group) < 2:
            continue
        left = shuffled(draw, group)
        for plant in shuffled(draw, (_join, _halve, _hide, _invent, _halve, _hide)):
            if len(draw.planting.errors) < wanted:
                plant(draw, left)
        if len(draw.planting.errors) >= _FEWEST and _is_wrong(draw, group):
            return _how_many(draw, group)
        return None  # what was planted cannot be taken back: another scene
    return None


def _join(draw: Draw, left: list[MapObject]) -> None:
    for first in left:
        for second in left:
            if first.object_id < second.object_id and may_be_joined(first, second):
                draw.planting.see_as_one(first, second)
                left.remove(first)
                left.remove(second)
                return


def _halve(draw: Draw, left: list[MapObject]) -> None:
    if left:
        draw.planting.see_twice(left.pop())


def _hide(draw: Draw, left: list[MapObject]) -> None:
    if left:
        draw.planting.mislabel(left.pop())


def _invent(draw: Draw, left: list[MapObject]) -> None:
    if left:
        draw.planting.see_ghost(left[0])


def _is_wrong(draw: Draw, group: Sequence[MapObject]) -> bool:
    """Whether the errors do not make up for each other."""
    noun = group[0].label
    seen = [o for o in draw.planting.perceived.values() if o.label == noun]
    return len(seen) != len(group)


def _how_many(draw: Draw, group: Sequence[MapObject]) -> Draft:
    return Draft(draw.ask("count", number_word(len(group)), noun=group[0].label))


def _groups(draw: Draw) -> Iterator[Sequence[MapObject]]:
    """All things of one name, where a few are called so and nothing else might be."""
    for label in shuffled(draw, sorted({thing.label for thing in draw.scene.things})):
        group = draw.scene.counted(label)
        if group and len(group) <= _MOST_COUNTED and {o.label for o in group} == {label}:
            yield group
