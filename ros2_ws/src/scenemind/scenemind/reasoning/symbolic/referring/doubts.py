"""What is said of a thing and is not so of the one that was taken for it."""

from __future__ import annotations

from scenemind.reasoning.symbolic.referring.description import Description
from scenemind.reasoning.symbolic.referring.grounder import Grounder
from scenemind.reasoning.symbolic.referring.looks import kind_of_look
from scenemind.reasoning.symbolic.referring.telling import told_link

# What fits less than this is not so: a label that is only like the noun, a colour that is hardly
# called so, things at opposite ends of a room that are said to be near.
_LABEL, _COLOUR, _RELATION = 0.5, 0.1, 0.05
KEPT = 0.5
"""What is left of a confidence where something is not so. On rows of Nr3D and Sr3D that is found of
6 % of the choices, and of 14 % (where nothing fits to the letter 36 %) when the target is taken out
of the scene; with the target, such choices are right 0.8 times as often as their share says. Where
one in five things that are asked for is not in the map, that comes to half."""


def doubts(description: Description, grounder: Grounder, row: int) -> list[str]:
    """The parts of the description, in words. Sizes, comparisons and places in a group are none:
    something is always the largest, the nearest one, and the one on the left."""
    index = description.target
    target = description.mentions[index]
    found = []
    if target.noun and grounder.label_fit(target.noun)[row] < _LABEL:
        found.append(target.noun)
    colours = [trait for trait in target.traits if kind_of_look(trait) == "colour"]
    found += [colour for colour in colours if grounder.look_fit(index, colour)[row] < _COLOUR]
    for link in description.links:
        if link.subjects[0] == index:
            fit = grounder.link_fit(link)
            if fit is not None and fit[row] < _RELATION:
                found.append(told_link(description, link))
    return found
