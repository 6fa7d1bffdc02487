"""The size of an object: in metres, in words, and relative to its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from pydantic import TypeAdapter

from scenemind.geometry import Box3D
from scenemind.language.english import is_plural, normal, read_table, with_article
from scenemind.language.vocabulary import Thesaurus
from scenemind.perception.standing import Range, Stance

# Longest side in metres from which on an object is medium, large.
MEDIUM_FROM_M = 0.3
LARGE_FROM_M = 1.0
# Tolerance of box sizes: a factor by which an object may be shorter or longer than usual.
_TOLERANCE = 1.1
_MAX_LABEL = 80  # characters at the end of a label, which name the kind


@dataclass(frozen=True, slots=True)
class Kind:
    """The usual size of a kind of objects.

    Attributes:
        name: the kind. shortest_m, longest_m: the usual range of the longest side.
        stands_tall: clearly taller than wide when upright.
        stance: how it stands; None for kinds that hang or lie flat.
        flat_depth_m: least and most depth of a flat kind that is seen from the front; None for
            other kinds.
    """

    name: str
    shortest_m: float
    longest_m: float
    stands_tall: bool
    stance: Stance | None
    flat_depth_m: Range | None


def dimensions_m(yaw_box: Box3D) -> tuple[float, float, float]:
    """Length, width and height in metres: the longer horizontal side first."""
    x, y, height = yaw_box.size
    return max(x, y), min(x, y), height


def dimensions_text(yaw_box: Box3D) -> str:
    """ "1.20 x 0.60 x 0.75 m": length, width, height."""
    return " x ".join(f"{side:.2f}" for side in dimensions_m(yaw_box)) + " m"


def size_name(box: Box3D) -> str:
    """`small`, `medium` or `large` by the longest side."""
    longest = max(box.size)
    if longest < MEDIUM_FROM_M:
        return "small"
    return "medium" if longest < LARGE_FROM_M else "large"


def relative_size(label: str, box: Box3D) -> str | None:
    """ "large for a chair", "usual for a chair"; None for a kind that is not in the table.

    An object that is seen only in part counts as small.
    """
    kind = find_kind(label)
    if kind is None:
        return None
    longest, word = max(box.size), "usual"
    if longest * _TOLERANCE < kind.shortest_m:
        word = "small"
    elif longest > kind.longest_m * _TOLERANCE:
        word = "large"
    return f"{word} for {with_article(kind.name)}"


def find_kind(label: str) -> Kind | None:
    """The kind of objects with this label, by its last words: a "garden chair" is a chair.

    None for unknown kinds and for plural labels: the number of "chairs" in a box is unknown.
    """
    return _find_kind(label[-_MAX_LABEL:])


def find_stance(label: str) -> Stance | None:
    """How things with this label stand; None where they do not, and for unknown kinds."""
    kind = find_kind(label)
    return None if kind is None else kind.stance


@lru_cache(maxsize=4096)
def _find_kind(label: str) -> Kind | None:
    kinds, thesaurus = _kinds(), Thesaurus.load()
    words = label.lower().replace("_", " ").split()
    if words and is_plural(words[-1]):
        return None
    for start in range(len(words)):
        name = normal(" ".join(words[start:]))
        known = [other for other in (name, *sorted(thesaurus.synonyms(name))) if other in kinds]
        if known:
            return kinds[known[0]]
    return None


@cache
def _kinds() -> Mapping[str, Kind]:
    data = read_table("scenemind.memory.attributes", "usual_sizes.yaml")
    tall = frozenset(data["stands_tall"])
    stances = TypeAdapter(dict[str, Stance]).validate_python(data["stances"])
    flat = TypeAdapter(dict[str, Range]).validate_python(data["flat_depths"])
    return {
        name: Kind(name, shortest, longest, name in tall, stances.get(name), flat.get(name))
        for name, (shortest, longest) in data["sizes"].items()
    }
