"""The closed classes of words: relations, colours, sizes, superlatives, fillers.

Phrases are tuples of lower-case words; where several fit, the longest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenemind.reasoning.symbolic.syntax import Attribute, Superlative
from scenemind.words.english import word_set

Phrase = tuple[str, ...]


def _phrases(table: Mapping[str, Iterable[str]]) -> dict[Phrase, str]:
    return {tuple(form.split()): name for name, forms in table.items() for form in forms}


# Canonical predicate -> how people say it. The first form is the one used in answers.
_RELATION_FORMS: dict[str, tuple[str, ...]] = {
    "on": ("on", "on top of", "upon", "atop", "on the top of", "on the surface of"),
    "supports": ("supporting", "holding", "with"),
    "inside": ("in", "inside", "inside of", "within"),
    "next to": (
        "next to", "beside", "besides", "by", "at", "adjacent to", "alongside", "by the side of",
        "at the side of", "against",
    ),
    "near": ("near", "near to", "close to", "around", "nearby", "in the vicinity of"),
    "above": ("above", "over"),
    "below": ("below", "under", "beneath", "underneath"),
    "left of": (
        "left of", "to the left of", "on the left of", "on the left side of", "to the left side of",
        "at the left of", "on left of", "to left of", "on the left hand side of",
    ),
    "right of": (
        "right of", "to the right of", "on the right of", "on the right side of",
        "to the right side of", "at the right of", "on right of", "to right of",
        "on the right hand side of",
    ),
    "in front of": ("in front of", "in the front of", "front of"),
    "behind": ("behind", "in back of", "at the back of", "in the back of"),
    "between": ("between", "in between", "in the middle of", "in the center of"),
    "closest to": (
        "closest to", "nearest to", "nearest", "closest", "closer to", "nearer to",
    ),
    "farthest from": (
        "farthest from", "furthest from", "farthest away from", "furthest away from",
        "most distant from", "far from", "far away from",
    ),
}  # fmt: skip
RELATIONS = _phrases(_RELATION_FORMS)
PREDICATES = tuple(name for name in _RELATION_FORMS if name not in ("closest to", "farthest from"))
SPOKEN = {name: forms[0] for name, forms in _RELATION_FORMS.items()}
# What memories call the same relations beyond the forms above.
STORED = RELATIONS | _phrases(
    {"on": ("hanging on", "mounted on", "standing on", "lying on", "affixed on", "supported by"),
     "supports": ("supports",),
     "inside": ("embedded in",),
     "left of": ("left",), "right of": ("right",), "in front of": ("front",)}
)  # fmt: skip
VIEW_DEPENDENT = ("left of", "right of", "in front of", "behind")
# Words of posture before a relation say nothing more: "the cup standing on the table".
POSTURES = word_set(
    "located standing lying sitting resting placed positioned situated hanging mounted"
    " kept found put lies stands sits seen visible"
)

COLOURS: dict[str, str] = {
    name: spelling
    for spelling, names in {
        "black": ("black",),
        "grey": ("grey", "gray", "silver"),
        "white": ("white",),
        "red": ("red", "maroon", "crimson"),
        "orange": ("orange",),
        "yellow": ("yellow", "golden"),
        "green": ("green", "olive"),
        "blue": ("blue", "navy", "cyan", "turquoise", "teal"),
        "purple": ("purple", "violet"),
        "pink": ("pink", "magenta"),
        "brown": ("brown",),
        "beige": ("beige", "cream", "tan"),
        "multicoloured": ("multicoloured", "multicolored", "colourful", "colorful"),
    }.items()
    for name in names
}
SHADES = frozenset(("light", "dark", "bright", "pale", "deep"))
SIZES = {
    word: size
    for size, words in {
        "small": ("small", "little", "tiny", "mini"),
        "medium": ("medium", "mid-sized", "medium-sized"),
        "large": ("large", "big", "huge"),
    }.items()
    for word in words
}
MATERIALS = word_set(
    "wooden wood metal metallic steel plastic glass leather fabric cloth ceramic stone paper"
    " cardboard rubber concrete marble"
)
STATES = word_set("open closed empty full broken dirty clean locked on off")
ATTRIBUTE_NAMES: dict[str, Attribute] = {
    "color": "color",
    "colour": "color",
    "size": "size",
    "material": "material",
    "state": "state",
}

_SUPERLATIVE_FORMS: dict[Superlative, tuple[str, ...]] = {
    "largest": ("largest", "biggest"),
    "smallest": ("smallest", "littlest", "tiniest"),
    "tallest": ("tallest",),
    "shortest": ("shortest",),
    "widest": ("widest",),
    "longest": ("longest",),
    "highest": ("highest", "topmost", "uppermost"),
    "lowest": ("lowest", "bottommost"),
    "leftmost": ("leftmost",),
    "rightmost": ("rightmost",),
    "closest": ("closest", "nearest"),
    "farthest": ("farthest", "furthest"),
}
SUPERLATIVES: dict[str, Superlative] = {
    form: name for name, forms in _SUPERLATIVE_FORMS.items() for form in forms
}

DEFINITE = frozenset(("the", "this", "that", "these", "those", "my", "your", "our", "its"))
INDEFINITE = frozenset(("a", "an", "any", "some", "all", "every", "each", "another", "other"))
ANYTHING = word_set(
    "object objects thing things item items anything something everything one ones stuff what"
)
VIEWERS = frozenset(("me", "you", "us", "robot", "myself", "yourself"))
POINTERS = frozenset(("this", "that", "it", "these", "those", "them", "they"))
BE = frozenset(("is", "are", "was", "were", "be"))
# A noun ends before these even without a relation.
NOUN_END = BE | word_set(
    "a an the made that which who and or not do does did have has can there here to from"
    " than as but with where what how why when if then i we you it he she they"
    " will would could should must may might shall"
)
# Said around a question without changing it.
OPENINGS = _phrases(
    {
        "": (
            "please", "hey", "hi", "hello", "ok", "okay", "robot", "so", "well",
            "can you tell me", "could you tell me", "tell me", "do you know",
            "i want to know", "i would like to know", "can you", "could you", "would you",
        )
    }
)  # fmt: skip
CLOSINGS = _phrases(
    {
        "": (
            "please", "now", "right now", "currently", "here", "at the moment", "around here",
            "in the room", "in this room", "in the scene", "in the memory", "in the map",
            "in the place", "in this place", "in the environment", "in view", "there",
            "do you see", "can you see", "did you see", "have you seen", "you see", "you can see",
            "you have seen", "do you know", "do you know of", "do we have", "do you remember",
            "exist", "over there",
        )
    }
)  # fmt: skip


def longest(table: Mapping[Phrase, str], words: tuple[str, ...], start: int) -> tuple[str, int]:
    """Name and length of the longest phrase of the table at a position; ("", 0) for none."""
    for length in range(min(7, len(words) - start), 0, -1):
        phrase = words[start : start + length]
        if phrase in table:
            return table[phrase], length
    return "", 0


def base_colour(name: str) -> str:
    """The plain colour in a name ("dark gray" -> "grey"); the name itself where none is known."""
    last = name.lower().replace("-", " ").split()[-1:]
    return COLOURS.get(last[0], last[0]) if last else ""
