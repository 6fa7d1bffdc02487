"""Whether things are alike: of the same colour, of the same material."""

from __future__ import annotations

import numpy as np

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.phrasing import bounded, sentence, the
from scenemind.reasoning.symbolic.plurals import every_row
from scenemind.reasoning.symbolic.reply import Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.sayings import says, source_note
from scenemind.reasoning.symbolic.syntax import Same
from scenemind.reasoning.symbolic.telling import told
from scenemind.words.english import shown


def same(question: Same, at: Resolver) -> Reply:
    """Yes or no, with what each of them is.

    Raises:
        ReasoningError: `not_found`: there are not two, or of one nobody knows it; `ambiguous`.
    """
    if len(question.subjects) > 1:
        rows = [at.single(subject) for subject in question.subjects]
    else:
        rows = every_row(question.subjects[0], at).tolist()
    things = list({row: at.scene.objects[row] for row in rows}.values())
    if len(things) < 2:
        one = the(things[0])
        raise ReasoningError("not_found", f"Only {one} is meant: there is nothing to compare.")
    key = question.key
    unknown = [thing for thing in things if not thing.attributes.get(key)]
    if unknown:
        names = bounded([the(thing) for thing in unknown])
        raise ReasoningError("not_found", f"The {key} of {names} is not known.")
    first, *others = (thing.attributes[key] for thing in things)
    is_same = all(_alike(key, first, other) for other in others)
    each = [
        f"{the(thing)}{told(key, shown(thing.attributes[key]))}{source_note([thing], key)}"
        for thing in things
    ]
    sure = float(np.mean([thing.confidence for thing in things]))
    text = sentence(f"{'Yes' if is_same else 'No'}, {bounded(each)}")
    return Reply(text, sure, tuple(things), "yes" if is_same else "no")


def _alike(key: str, first: str, second: str) -> bool:
    if key == "color":
        return _plain(first) == _plain(second)
    return first == second or says(first, second) or says(second, first)


def _plain(colours: str) -> set[str]:
    return {lexicon.base_colour(colour) for colour in colours.split(" and ")}
