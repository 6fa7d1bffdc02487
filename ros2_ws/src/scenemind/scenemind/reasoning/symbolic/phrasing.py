"""Sentences: names of objects, places, numbers."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.reasoning.symbolic.syntax import Reference
from scenemind.words.english import is_plural, joined, plural, shown, singular, with_article

MAX_LISTED = 8
_BUILDING = frozenset(("floor", "wall", "ceiling"))
_MAX_SENTENCE = 200
_NS_PER_S = 1_000_000_000
_SPANS = (("days", 86_400), ("h", 3_600), ("min", 60))


def the(obj: MapObject) -> str:
    """ "the dining table (object 3)", "the floor", "wall -3"."""
    if obj.object_id < 0:
        return f"{obj.label} {obj.object_id}" if obj.label == "wall" else f"the {obj.label}"
    return f"the {shown(obj.label)} (object {obj.object_id})"


def one(obj: MapObject) -> str:
    """ "a cup (object 5)", "wall -3"."""
    if obj.object_id < 0:
        return the(obj)
    return f"{with_article(shown(obj.label))} (object {obj.object_id})"


def listed(objects: Sequence[MapObject]) -> str:
    """ "a cup (object 5), a laptop (object 6) and 3 more"."""
    names = [one(obj) for obj in objects[:MAX_LISTED]]
    extra = len(objects) - MAX_LISTED
    return joined([*names, f"{extra} more"] if extra > 0 else names)


def brief_name(objects: Sequence[MapObject]) -> str:
    """What the first of them is; a part of the building only where nothing else is there."""
    first = next((obj for obj in objects if obj.label not in _BUILDING), objects[0])
    return shown(first.label)


def counted(count: int, noun: str) -> str:
    """ "no chairs", "1 chair", "3 chairs", from either form of the noun."""
    head, _, last = (noun or "object").rpartition(" ")
    name = f"{head} {singular(last)}".strip()
    if count == 1:
        return f"1 {name}"
    return f"{count or 'no'} {plural(name)}"


def tally(objects: Sequence[MapObject]) -> str:
    """ "3 chairs, a table and 2 cups", the most frequent first."""
    counts: dict[str, int] = {}
    for obj in objects:
        label = shown(obj.label)
        counts[label] = counts.get(label, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return joined([with_article(k) if n == 1 else f"{n} {plural(k)}" for k, n in ordered])


def coordinates(obj: MapObject, floor_z: float) -> str:
    """Where the centre stands."""
    return place_words(obj.box, floor_z)


def span_words(ns: int) -> str:
    """ "40 s", "3 min", "2 days"."""
    seconds = max(0, ns) / _NS_PER_S
    unit, length = next(((u, n) for u, n in _SPANS if seconds >= 2 * n), ("s", 1))
    return f"{seconds / length:.0f} {unit}"


def place_words(box: Box3D, floor_z: float) -> str:
    """Where a box has its centre."""
    x, y, z = box.center
    return f"at x {_number(x)}, y {_number(y)}, {_number(z - floor_z)} m above the floor"


def candidates(objects: Sequence[MapObject]) -> str:
    """For asking back which of several is meant."""
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
    """The word a person used, for the answer; "object" where they used none."""
    noun = getattr(reference, "noun", "") or fallback
    return shown(noun)


def said_plural(reference: Reference) -> bool:
    """Whether they spoke of several ("the chairs")."""
    noun = getattr(reference, "noun", "")
    return is_plural(noun.split(" ")[-1]) if noun else False


def shown_at_length(text: str) -> str:
    """Text from outside that may be a sentence of its own."""
    line = " ".join(text[: 4 * _MAX_SENTENCE].split())
    return line if len(line) <= _MAX_SENTENCE else line[: _MAX_SENTENCE - 3] + "..."


def metres(value: float) -> str:
    """Two decimals: what a depth camera is good for."""
    return f"{value:.2f} m"


def bounded(parts: Sequence[str]) -> str:
    """A list of bounded length."""
    extra = len(parts) - MAX_LISTED
    return joined([*parts[:MAX_LISTED], f"{extra} more"] if extra > 0 else parts)


def be(count: int) -> str:
    """ "is" or "are"."""
    return "is" if count == 1 else "are"


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def _number(value: float) -> str:
    text = f"{value:.1f}"
    return "0.0" if text == "-0.0" else text
