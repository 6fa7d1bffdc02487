"""Replies: a sentence with its confidence and objects, and the words it is made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scenemind.geometry import Box3D
from scenemind.language import verbalization
from scenemind.language.english import (
    joined,
    number_word,
    plural,
    shown,
    singular,
    with_article,
)
from scenemind.language.trees import Reference
from scenemind.memory import MapObject
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.types import LIKELY, NOTE
from scenemind.reasoning.query import ReasoningError

MAX_LISTED = 8
_NAMED = 4
_VERBS = {
    "material": "is made of",
    "affordance": "can be used to",
    "dimensions": "measures",
    "texture": "has this texture:",
    "owner": "belongs to",
    NOTE: "has this note:",
}
_SAID_BACK = {"me": "you", "my": "your", "the marked": "that"}
_OF_ASKER = re.compile(r"\b(?:me|my|the marked)\b")
_BUILDING = frozenset(("floor", "wall", "ceiling"))
# Most characters of a text from outside that may be a sentence.
AT_LENGTH = 200
_NS_PER_S = 1_000_000_000
_LATELY_NS = 2 * _NS_PER_S  # people are still where they were seen so lately
_SPANS = (("days", 86_400), ("h", 3_600), ("min", 60))
# Confidence of "there is none", which is weaker evidence than a detection.
ABSENCE_CONFIDENCE = LIKELY
# Of what is taken for a ghost.
GHOST = "I looked there often and hardly ever saw it: it was probably never there"


def the(obj: MapObject) -> str:
    """Definite name: "the dining table (object 3)", "the floor", "wall -3"."""
    if obj.object_id < 0:
        return f"{obj.label} {obj.object_id}" if obj.label == "wall" else f"the {obj.label}"
    return f"the {shown(obj.label)} (object {obj.object_id})"


def one(obj: MapObject) -> str:
    """Indefinite name: "a cup (object 5)", "wall -3"."""
    if obj.object_id < 0:
        return the(obj)
    return f"{with_article(shown(obj.label))} (object {obj.object_id})"


def listed(objects: Sequence[MapObject]) -> str:
    """Names in a list: "a cup (object 5), a laptop (object 6) and 3 more"."""
    return bounded([one(obj) for obj in objects])


def doubtful(objects: Sequence[MapObject], how: str = "") -> str:
    """A note on what is likelier not there: "; doubtful is one more: a chair (object 5)"; empty
    without objects.

    Args:
        how: what is done with them.
    """
    if not objects:
        return ""
    them = "is one more" if len(objects) == 1 else f"are {number_word(len(objects))} more"
    return f"; doubtful{how} {them}: {listed(objects)}"


def brief_name(objects: Sequence[MapObject]) -> str:
    """Label of the first object that is no part of the building, if there is one."""
    first = next((obj for obj in objects if obj.label not in _BUILDING), objects[0])
    return shown(first.label)


def counted(count: int, noun: str) -> str:
    """Number with noun: "no chairs", "1 chair", "3 chairs", from either form of the noun."""
    head, _, last = (noun or "object").rpartition(" ")
    name = f"{head} {singular(last)}".strip()
    if count == 1:
        return f"1 {name}"
    return f"{count or 'no'} {plural(name)}"


def all_of(count: int, noun: str) -> str:
    """ "both chairs", "all 3 chairs", "the 1 chair"."""
    if count == 2:
        return f"both {counted(count, noun).removeprefix('2 ')}"
    return f"{'the' if count == 1 else 'all'} {counted(count, noun)}"


def none_of(count: int, noun: str) -> str:
    """Subject of a singular verb: "neither of the 2 chairs", "none of the 3 chairs"."""
    return f"{'neither' if count == 2 else 'none'} of the {counted(count, noun)}"


def tally(objects: Sequence[MapObject]) -> str:
    """Counts by label: "3 chairs, a table and 2 cups", the most frequent first."""
    counts: dict[str, int] = {}
    for obj in objects:
        label = shown(obj.label)
        counts[label] = counts.get(label, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return joined([with_article(k) if n == 1 else f"{n} {plural(k)}" for k, n in ordered])


def span_words(ns: int) -> str:
    """Time span: "40 s", "3 min", "2 days"."""
    seconds = max(0, ns) / _NS_PER_S
    unit, length = next(((u, n) for u, n in _SPANS if seconds >= 2 * n), ("s", 1))
    return f"{seconds / length:.0f} {unit}"


def may_have_left(obj: MapObject, now_ns: int) -> bool:
    """True for people and animals that were not seen lately."""
    return now_ns - obj.last_seen_ns > _LATELY_NS and sense_of(obj.label).moves


def last_seen(obj: MapObject, now_ns: int) -> str:
    """ "the person (object 3) was last seen 40 s before the newest frame"."""
    ago = span_words(now_ns - obj.last_seen_ns)
    return f"{the(obj)} was last seen {ago} before the newest frame"


def place_words(box: Box3D, floor_z: float) -> str:
    """Centre of a box, in words."""
    x, y, z = box.center
    return f"at x {_number(x)}, y {_number(y)}, {_number(z - floor_z)} m above the floor"


def candidates(objects: Sequence[MapObject]) -> str:
    """Numbered names with positions, for a question back."""
    names = [
        f"{_numbered(o)} at x {_number(o.box.center[0])}, y {_number(o.box.center[1])}"
        for o in objects[:MAX_LISTED]
    ]
    if len(objects) > MAX_LISTED:
        names.append(f"and {len(objects) - MAX_LISTED} more")
    return "; ".join(names)


def _numbered(obj: MapObject) -> str:
    if obj.object_id < 0:
        return the(obj)
    return f"object {obj.object_id}, {with_article(shown(obj.label))}"


def noun_of(reference: Reference, fallback: str = "object") -> str:
    """Noun of a reference, for the answer; "object" where it has none."""
    return shown(reference.noun or fallback)


def metres(value: float) -> str:
    """Length with two decimals, the accuracy of a depth camera."""
    return f"{value:.2f} m"


def bounded(parts: Sequence[str], most: int = MAX_LISTED, *, count: int | None = None) -> str:
    """Parts in a list of bounded length.

    Args:
        count: how many there are in all, where only the first `most` were made.
    """
    extra = (len(parts) if count is None else count) - most
    return joined([*parts[:most], f"{extra} more"] if extra > 0 else parts)


def mean_existence(objects: Sequence[MapObject]) -> float:
    """How sure it is, on average, that objects are there."""
    return float(np.mean([obj.confidence for obj in objects]))


def to_asker(text: str) -> str:
    """Words of a question, as they are said back: "behind you"."""
    return _OF_ASKER.sub(lambda found: _SAID_BACK[found[0]], text)


def beyond_noun(reference: Reference) -> str:
    """What is said of things, as after "is": " on the table", " behind you"."""
    return to_asker(verbalization.beyond_noun(reference))


def be(count: int) -> str:
    """Form of "be": "is" or "are"."""
    return "is" if count == 1 else "are"


def sentence(text: str) -> str:
    """Text with a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def _number(value: float) -> str:
    text = f"{value:.1f}"
    return "0.0" if text == "-0.0" else text


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """What is said, its confidence, and the objects in it, most relevant first.

    Attributes:
        text: a clause, which `sentence` gives a capital and a full stop.
        brief: the answer in a word or few; empty where a sentence is needed.
        is_usual: it is what is usual of such things, and was not seen.
    """

    text: str
    confidence: float
    objects: tuple[MapObject, ...] = ()
    brief: str = ""
    is_usual: bool = False

    @property
    def sentence(self) -> str:
        """The text as a sentence."""
        return sentence(self.text)


def yes_or_no(is_so: bool) -> str:
    """Yes or no."""
    return "yes" if is_so else "no"


def usually(value: str, share: float, *objects: MapObject) -> Reply:
    """What nobody has seen, and is usual of a share of such things."""
    text = f"I cannot see that; usually {value}"
    return Reply(text, share, objects, value, is_usual=True)


def not_known(name: str, objects: Sequence[MapObject], help_on: str = "") -> ReasoningError:
    """The error that an attribute of objects is not known, to be raised."""
    several = bounded([the(thing) for thing in objects], _NAMED)
    return ReasoningError("not_found", f"The {name} of {several} is not known{help_on}.")


def not_known_whether(what: str, objects: Sequence[MapObject]) -> ReasoningError:
    """The error that nothing known of objects tells what is asked, to be raised."""
    several = bounded([the(thing) for thing in objects], _NAMED)
    text = f"I cannot tell: a map holds nothing of {what}. What I know are places, sizes and looks"
    return ReasoningError("not_found", f"{text}, here of {several}.")


def value_words(key: str, value: str) -> str:
    """An attribute with its verb: " is red", " is made of wood", " can be used to sit on it"."""
    said = shown(value, AT_LENGTH)
    if key == "caption":
        return f' looks like this: "{said.rstrip(".")}"'
    return f" {_VERBS.get(key, 'is')} {said}"
