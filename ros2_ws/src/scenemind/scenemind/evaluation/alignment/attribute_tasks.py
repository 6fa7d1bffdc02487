"""Tasks about what things are like: colour, material, shape."""

from __future__ import annotations

from collections.abc import Iterator

from scenemind.evaluation.alignment.draft import Draft, Draw, shuffled
from scenemind.evaluation.alignment.planting import other_colours
from scenemind.evaluation.alignment.true_scene import all_words
from scenemind.memory import MapObject


def color(draw: Draw) -> Draft | None:
    """ "What is the color of the screen?", which is seen in another one."""
    for thing in _with(draw, "color"):
        draw.planting.miscolor(thing)
        return Draft(draw.ask("color", thing.attributes["color"], noun=thing.label))
    return None


def material(draw: Draw) -> Draft | None:
    """ "What is the tv made from?": a wrong material, or none."""
    for thing in _with(draw, "material"):
        draw.planting.misjudge(thing, "material", draw.rng.choice((None, None, "")))
        return Draft(draw.ask("material", thing.attributes["material"], noun=thing.label))
    return None


def shape(draw: Draw) -> Draft | None:
    """ "What is the shape of the door?"."""
    for thing in _with(draw, "shape"):
        draw.planting.misjudge(thing, "shape")
        return Draft(draw.ask("shape", thing.attributes["shape"], noun=thing.label))
    return None


def is_shaped(draw: Draw) -> Draft | None:
    """ "Is the blue box triangular in shape?": it is not, but seen so."""
    for thing in _with(draw, "shape"):
        wrong = draw.rng.choice(_others(thing, "shape"))
        draw.planting.misjudge(thing, "shape", wrong)
        return Draft(draw.ask("is_shaped", "no", noun=thing.label, value=wrong))
    return None


def is_made_of(draw: Draw) -> Draft | None:
    """ "Is the armchair made from wood?"."""
    for thing in _with(draw, "material"):
        wrong = draw.rng.choice(_others(thing, "material"))
        draw.planting.misjudge(thing, "material", wrong)
        return Draft(draw.ask("is_made_of", "no", noun=thing.label, value=wrong))
    return None


def is_there_colored(draw: Draw) -> Draft | None:
    """ "Is there any white recycling bin in the room?": its colour was seen wrongly."""
    for thing in _with(draw, "color"):
        true = thing.attributes["color"]
        draw.planting.miscolor(thing)
        return Draft(draw.ask("is_there_colored", "yes", noun=thing.label, value=true))
    return None


def same_color(draw: Draw) -> Draft | None:
    """ "Are the shelf and the desk of the same color?": one of them is seen in another."""
    for first, second in _pairs(draw, "color"):
        is_same = first.attributes["color"] == second.attributes["color"]
        theirs = second.attributes["color"]
        if not is_same and theirs not in other_colours(first.attributes["color"]):
            continue
        draw.planting.miscolor(first, "" if is_same else theirs)
        answer = "yes" if is_same else "no"
        return Draft(draw.ask("same_color", answer, noun=first.label, other=second.label))
    return None


def two_same_color(draw: Draw) -> Draft | None:
    """ "Are the two doors in the same color?"."""
    for thing in shuffled(draw, draw.scene.things):
        both = draw.scene.counted(thing.label) or ()
        colours = {other.attributes.get("color", "") for other in both}
        if len(both) == 2 and len(colours) == 1 and "" not in colours:
            draw.planting.miscolor(thing)
            return Draft(draw.ask("two_same_color", "yes", noun=thing.label))
    return None


def same_material(draw: Draw) -> Draft | None:
    """ "Are the sink and the bathtub made from the same materials?"."""
    for first, second in _pairs(draw, "material"):
        is_same = first.attributes["material"] == second.attributes["material"]
        theirs = second.attributes["material"]
        draw.planting.misjudge(first, "material", None if is_same else theirs)
        answer = "yes" if is_same else "no"
        return Draft(draw.ask("same_material", answer, noun=first.label, other=second.label))
    return None


def unknown_material(draw: Draw) -> Draft | None:
    """ "What is the partition made from?": it is taken for another thing, of another material."""
    for thing in _with(draw, "material"):
        if draw.planting.mislabel(thing):
            draw.planting.misjudge(thing, "material")
            return Draft(draw.ask("material", thing.attributes["material"], noun=thing.label))
    return None


def unknown_shape(draw: Draw) -> Draft | None:
    """ "Is the red backpack oblong in shape?": taken for another thing, colour and shape wrong."""
    for thing in _with(draw, "shape"):
        true = thing.attributes.get("color")
        if true is None or not draw.planting.mislabel(thing):
            continue
        draw.planting.miscolor(thing)
        wrong = draw.rng.choice(_others(thing, "shape"))
        draw.planting.misjudge(thing, "shape", wrong)
        words = {"noun": thing.label, "value": wrong, "color": true}
        return Draft(draw.ask("is_shaped_colored", "no", **words))
    return None


def _with(draw: Draw, key: str) -> Iterator[MapObject]:
    yield from (o for o in shuffled(draw, draw.scene.unique) if o.attributes.get(key))


def _pairs(draw: Draw, key: str) -> Iterator[tuple[MapObject, MapObject]]:
    things = list(_with(draw, key))
    yield from zip(things[::2], things[1::2], strict=False)


def _others(thing: MapObject, key: str) -> list[str]:
    true = thing.attributes[key].split()[-1]
    return [word for word in all_words(key) if word.split()[-1] != true]
