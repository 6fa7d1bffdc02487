"""From "that is a red cup" to edits: what is a part of the name, and what is an attribute."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import Edit, MapObject
from scenemind.reasoning.symbolic.command_syntax import IsA
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.words.english import normal
from scenemind.words.thesaurus import Thesaurus


def described_edits(command: IsA, objects: Sequence[MapObject], at: Resolver) -> list[Edit]:
    """What is called so already only gets the attributes. What was taken for another thing gets
    them too ("a red cup"), unless they may be a part of its name ("a paper bag").
    """
    edits: list[Edit] = []
    for thing in objects:
        if _is_name(command) or not _is_called(thing, command, at):
            label = command.label if _is_name(command) or _tells_kind(command) else command.noun
            edits.append(Edit("rename", (thing.object_id,), value=label))
        if not edits or edits[-1].value != command.label:
            edits += [
                Edit("set_attribute", (thing.object_id,), key, value)
                for key, value in command.attributes
            ]
    return edits


def _is_called(thing: MapObject, command: IsA, at: Resolver) -> bool:
    return not at.is_named_otherwise([thing], command.noun)


def _is_name(command: IsA) -> bool:
    """A thing of that name is known in the language, such as a "paper towel"."""
    return normal(command.label) in Thesaurus.load().known()


def _tells_kind(command: IsA) -> bool:
    """What a thing is made of often is a part of its name, other than its colour."""
    return any(key == "material" for key, _ in command.attributes)
