"""The closed classes of words: relations, colours, sizes, superlatives, fillers.

Phrases are tuples of lower-case words; where several fit, the longest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenemind.memory.graph.relations.names import RELATION_NAMES, RelationName
from scenemind.reasoning.symbolic.syntax import Attribute, Superlative
from scenemind.words.english import word_set

Phrase = tuple[str, ...]


def _phrases(table: Mapping[str, Iterable[str]]) -> dict[Phrase, str]:
    return {tuple(form.split()): name for name, forms in table.items() for form in forms}


# Spellings that `relations.names` has for programs, and that are other words in a sentence: "the
# left chair", "the front door".
_NOT_IN_SENTENCES = word_set(
    "left right front back forward forwards backward backwards higher lower support embed embedded"
    " farthest furthest"
)
# What people say beyond the spellings of `relations.names`.
_PEOPLE_SAY: dict[str, tuple[str, ...]] = {
    "on": ("on the top of", "on the surface of"),
    "supports": ("holding", "carrying", "with"),
    "hanging on": ("hangs on", "hanging at", "hangs from", "hang from"),
    "affixed on": ("stuck to", "stuck on", "glued to", "fixed to"),
    "mounted on": ("fastened to", "screwed to"),
    "embedded in": ("built into", "set into", "sunk into", "let into"),
    "embeds": ("embedding",),
    "next to": ("at", "against"),
    "besides": ("by the side of", "at the side of"),
    "near": ("in the vicinity of",),
    "within reach": ("in reach of", "reachable from"),
    "left of": (
        "on the left side of", "to the left side of", "at the left of", "on left of", "to left of",
        "on the left hand side of",
    ),
    "right of": (
        "on the right side of", "to the right side of", "at the right of", "on right of",
        "to right of", "on the right hand side of",
    ),
    "in front of": ("in the front of", "front of", "ahead of"),
    "behind": ("in back of", "in the back of"),
    "between": ("in the center of", "in the centre of"),
    "closest": ("closer to", "nearer to"),
    "farthest": ("furthest away from", "most distant from"),
}  # fmt: skip


def _spellings(relation: RelationName) -> tuple[str, ...]:
    of_names = (relation.name, *relation.forms)
    fit = (form for form in of_names if form.split()[0] not in ("is", "are"))
    said = (form for form in fit if form not in _NOT_IN_SENTENCES and "clock" not in form)
    return *said, *_PEOPLE_SAY.get(relation.name, ())


RELATIONS = _phrases({name: _spellings(relation) for name, relation in RELATION_NAMES.items()})
# "With a cup in it" contains it; "far from" compares where one of several is meant.
COMPARING = frozenset(("closest", "farthest"))
PREDICATES = tuple(name for name in RELATION_NAMES if name not in COMPARING | {"far"})
# Canonical name -> how answers say it, where that differs.
_SPOKEN = {
    "supports": "supporting",
    "inside": "in",
    "contains": "containing",
    "embeds": "embedding",
    "besides": "beside",
    "far": "far from",
    "within reach": "within reach of",
}
# Of the viewer, where no anchor is named: "what is within reach?"
OF_VIEWER = frozenset(("near", "around", "within reach", "in front of", "behind"))
# Words of posture before a relation say nothing more: "the cup standing on the table".
POSTURES = word_set(
    "located standing lying sitting resting placed positioned situated hanging mounted hangs"
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
        "small": ("small", "little", "tiny"),
        "medium": ("medium", "mid-sized", "medium-sized"),
        "large": ("large", "big", "huge"),
    }.items()
    for word in words
}
# Said after "is": a word before a noun may be part of a name ("paper towel", "round table").
_QUALITIES: dict[Attribute, frozenset[str]] = {
    "material": word_set(
        "wooden wood metal metallic steel plastic glass leather fabric cloth ceramic stone paper"
        " cardboard rubber concrete marble"
    ),
    "state": word_set(
        "open opened closed shut empty full broken dirty clean locked unlocked folded occupied on"
        " off"
    ),
    "shape": word_set("round flat cylindrical rectangular box-shaped long square circular"),
    "orientation": word_set("upright leaning lying"),
    "texture": word_set("smooth rough soft woven glossy shiny matte striped patterned fluffy"),
}
# Of these the ones that are no things themselves: "the water glass" ends in its noun.
MASSES = _QUALITIES["material"] - {"wooden", "metallic"}
QUALITIES = {word: key for key, words in _QUALITIES.items() for word in words}
ADJECTIVES = frozenset(QUALITIES) - MASSES - {"square"}
ATTRIBUTE_NAMES: dict[str, Attribute] = {
    "color": "color",
    "colour": "color",
    "size": "size",
    "material": "material",
    "state": "state",
    "condition": "state",
    "shape": "shape",
    "form": "shape",
    "orientation": "orientation",
    "posture": "orientation",
    "texture": "texture",
    "surface": "texture",
    "affordance": "affordance",
    "use": "affordance",
    "purpose": "affordance",
    "caption": "caption",
    "description": "caption",
    "owner": "owner",
}
# Of several words.
MATERIALS = _phrases({"material": ("stainless steel", "cast iron", "solid wood", "real leather")})
# What one does with things: "something to sit on".
USES = word_set(
    "sit lie stand sleep lean drink eat open close carry lift push pull move write read cook wash"
    " store hold cut climb"
)

_SUPERLATIVE_FORMS: dict[Superlative, tuple[str, ...]] = {
    "largest": ("largest", "biggest"),
    "smallest": ("smallest", "littlest", "tiniest"),
    "tallest": ("tallest",),
    "shortest": ("shortest",),
    "widest": ("widest",),
    "longest": ("longest",),
    "narrowest": ("narrowest", "slimmest"),
    "highest": ("highest", "topmost", "uppermost"),
    "lowest": ("lowest", "bottommost"),
    "leftmost": ("leftmost",),
    "rightmost": ("rightmost",),
    "middle": ("middle", "central", "middlemost"),
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
    " place spot"
)
VIEWERS = frozenset(("me", "you", "us", "robot", "myself", "yourself"))
POINTERS = frozenset(("this", "that", "it", "these", "those", "them", "they"))
BE = frozenset(("is", "are", "was", "were", "be"))
# A noun ends before these even without a relation.
NOUN_END = BE | word_set(
    "a an the made that which who and or not do does did have has can there here to from"
    " than as but with where what how why when if then i we you it he she they"
    " belongs belong owns owned consists consist looks seems appears rather"
    " will would could should must may might shall"
)
# Said around a question without changing it.
OPENINGS = _phrases(
    {
        "": (
            "please", "ask", "hey", "hi", "hello", "ok", "okay", "robot", "so", "well",
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

# A noun that is asked about ends before these: "what is the lamp for".
AFTER_SUBJECT = frozenset(("for", "look", "used", "good"))


def longest(table: Mapping[Phrase, str], words: tuple[str, ...], start: int) -> tuple[str, int]:
    """Name and length of the longest phrase of the table at a position; ("", 0) for none."""
    for length in range(min(7, len(words) - start), 0, -1):
        phrase = words[start : start + length]
        if phrase in table:
            return table[phrase], length
    return "", 0


def spoken(predicate: str) -> str:
    """How answers say a relation before its anchor; the grammar reads it back."""
    if predicate.endswith("o'clock"):
        return f"at {predicate} of"
    return _SPOKEN.get(predicate, predicate)


def base_colour(name: str) -> str:
    """The plain colour in a name ("dark gray" -> "grey"); the name itself where none is known."""
    last = name.lower().replace("-", " ").split()[-1:]
    return COLOURS.get(last[0], last[0]) if last else ""
