"""Phrases of referring expressions and what they stand for; the longest that fits counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenemind.words.english import word_set

Phrase = tuple[str, ...]


def _table(forms: Mapping[str, Iterable[str]]) -> dict[Phrase, str]:
    return {tuple(form.split()): name for name, of in forms.items() for form in of}


def _sides(side: str) -> tuple[str, ...]:
    """ "to the left of", "on the left hand side of", ... without the "of"."""
    hands = (side, f"{side} side", f"{side} hand side", f"{side} end", f"{side} portion")
    starts = (
        *("to the", "on the", "at the", "in the", "to your", "on your", "to its", "on its"),
        *("to the far", "on the far", "at the far", "along the", "on", "to", "towards the", "from the"),
        *("toward the", "from", "off to the", "over on the", "of the", "to the very", "on the very"),
        *("all the way to the", "in the far", "to my", "on my", "the furthest to the"),
        *("furthest to the", "farthest to the", "furthest on the", "most to the", "closest to the"),
    )
    return tuple(f"{start} {hand}" for start in starts for hand in hands)


_UPRIGHT = {
    "top": ("at the top", "on the top", "on top", "on the upper", "up top", "in the top", "up high"),
    "bottom": (
        *("at the bottom", "on the bottom", "on the lower", "in the bottom", "down low"),
        *("on the ground", "on the very bottom", "at the very bottom"),
    ),
    "top ": ("at the very top", "on the very top"),
}
_DEPTH = {
    "front": ("in the front", "at the front", "on the front", "up front", "toward the front"),
    "back": ("in the back", "at the back", "in the rear", "at the rear", "on the back", "towards the back"),
    "middle": (
        *("in the middle", "at the middle", "on the middle", "in the center", "at the center"),
        *("in the centre", "in between", "in the very middle", "to the middle"),
    ),
    "corner": (
        *("in the corner", "at the corner", "on the corner", "in a corner", "at a corner", "in corner"),
        *("into the corner", "near the corner", "by the corner", "closest to the corner"),
        *("in the far corner", "to the corner", "nearest the corner", "in one corner", "in the corners"),
        *("next to the corner", "around the corner", "of the corner"),
    ),
}
_AWAY = {
    "left": _sides("left"),
    "right": _sides("right"),
}
_CORNERS = {
    f"{depth} {side}": (
        f"{start} {said} {side}{end}"
        for start in ("in the", "on the", "at the", "to the", "in the far", "on the far", "the", "far")
        for said in words
        for end in ("", " side", " hand side", " corner", " end")
    )
    for depth, words in (
        ("top", ("top", "upper")), ("bottom", ("bottom", "lower")), ("front", ("front", "near")),
        ("back", ("back", "far", "rear")),
    )
    for side in ("left", "right")
}
PLACES: dict[Phrase, str] = {
    phrase: place.strip()
    for phrase, place in _table({**_UPRIGHT, **_DEPTH, **_AWAY, **_CORNERS}).items()
}
for _phrase in [p for p in PLACES if p[0] in ("the", "far") and len(p) < 4 and p[-1] != "corner"]:
    del PLACES[_phrase]

RELATIONS: dict[Phrase, str] = _table(
    {
        "left of": (*(f"{way} of" for way in _sides("left")), "left of", "left to", "left side of"),
        "right of": (
            *(f"{way} of" for way in _sides("right")), "right of", "right to", "right side of",
        ),
        "in front of": (
            *("in front of", "in the front of", "at the front of", "front of", "before"),
            *("infront of", "on the front of", "on front of"),
        ),
        "behind": ("behind", "in back of", "at the back of", "in the back of", "on the back of"),
        "next to": (
            *("next to", "beside", "besides", "adjacent to", "alongside", "right by", "by", "along"),
            *("along side", "right next to", "at", "against", "attached to", "touching", "abutting"),
            *("up against", "to the side of", "on the side of", "at the side of", "off to the side of"),
            *("connected to", "on either side of", "pushed against", "on one side of", "bordering"),
            *("leaning against", "leaning on", "pushed into", "tucked into", "pushed up to"),
            *("off the side of", "on each side of", "directly next to", "just past", "past"),
        ),
        "near": (
            *("near", "near to", "close to", "nearby", "around", "surrounding", "close by", "about"),
            *("in the vicinity of", "closer to", "nearer to", "nearer", "closer", "within reach of"),
            *("belonging to", "facing", "that faces", "faces", "toward", "towards", "looking at"),
            *("facing towards", "facing toward", "turned towards", "turned toward", "pointing at"),
            *("parallel to", "accompanied by", "surrounded by", "pointed at", "across", "near by"),
            *("grouped with", "paired with", "associated with", "along with", "together with"),
        ),
        "closest": (
            *("closest to", "nearest to", "nearest", "closest", "most close to", "closes to"),
            *("closest by", "the least distance from", "most near"),
        ),
        "farthest": (
            *("farthest from", "furthest from", "farthest away from", "furthest away from"),
            *("farthest to", "furthest to", "farthest", "furthest", "most distant from"),
        ),
        "far": ("far from", "far away from", "away from", "further from", "further away from",
                "farther from", "farther away from", "not near", "not close to", "distant from"),
        "opposite": ("across from", "opposite", "opposite of", "opposite from", "opposite to",
                     "directly across from", "on the opposite side of", "on the other side of",
                     "across the room from"),
        "above": ("above", "over", "higher than", "up above", "overhead of", "atop of", "overlooking"),
        "below": ("below", "under", "underneath", "beneath", "lower than", "at the foot of below",
                  "tucked under", "tucked underneath", "pushed under"),
        "on": (
            *("on", "on top of", "on the top of", "atop", "onto", "resting on", "sitting on"),
            *("on the surface of", "lying on", "hanging on", "mounted on", "hung on", "up on"),
            *("stacked on", "hanging from", "hanging off", "sits on", "on the edge of"),
        ),
        "in": ("in", "inside", "inside of", "within", "into", "built into"),
        "between": (
            *("between", "in between", "in the middle of", "in the center of", "in the centre of"),
            *("middle of", "in the very middle of", "center of", "at the center of", "at the middle of"),
            *("sandwiched between", "near the center of", "near the middle of"),
        ),
        "end of": (
            *("at the end of", "at one end of", "on the end of", "at the head of", "on one end of"),
            *("at the far end of", "at the other end of", "end of", "head of", "at the ends of"),
            *("at either end of", "at the very end of", "on the far end of"),
        ),
        "corner of": ("in the corner of", "at the corner of", "on the corner of", "corner of",
                      "in a corner of", "in corner of", "near the corner of", "in one corner of"),
        "foot of": ("at the foot of", "foot of"),
        "with": (
            *("with", "has", "have", "having", "containing", "holding", "supporting", "that contains"),
            *("covered in", "covered with", "filled with", "that has", "that have", "carrying"),
        ),
        "without": ("without", "missing"),
        "of": ("of", "from", "to"),
    }
)  # fmt: skip

VIEWS: dict[Phrase, str] = _table(
    {
        "facing": (
            *("facing", "looking at", "looking toward", "looking towards", "looking to", "face"),
            *("facing towards", "facing toward", "you look at", "look at", "looking into", "view"),
            *("when viewing", "viewing", "looking straight at", "looking in", "if you faced"),
            *("directly facing", "facing the front of", "looking at the front of", "looking out"),
            *("standing in front of", "stand in front of", "approaching", "staring at"),
            *("sitting in front of", "from the front of", "sitting at", "seated at", "sit at"),
            *("standing at the foot of", "standing at the end of", "from the foot of"),
            *("at the foot of", "stand at the foot of", "looking from the foot of"),
            *("standing at the edge of", "from the end of"),
        ),
        "from": (
            *("walking in", "walk in", "walking into", "walk into", "enter", "entering", "enters"),
            *("entering from", "entering through", "walking in from", "walking in through"),
            *("walk in through", "walk in from", "coming in", "come in", "coming into", "come into"),
            *("come in through", "coming from", "enter through", "enter from", "coming in from"),
            *("with your back to", "with your back against", "back to", "your back to", "my back to"),
            *("standing at", "standing by", "standing in", "stand at", "stand in"),
            *("standing with your back to", "sitting on", "sitting in", "standing on", "lying on"),
            *("laying on", "laying in", "lying in", "looking from", "seen from"),
            *("viewed from", "from the perspective of", "facing away from", "with your back facing"),
            *("standing in the middle of", "standing in the center of", "from the center of"),
            *("from the middle of", "standing in the centre of"),
            *("walking through", "walk through", "standing near", "starting at", "from"),
        ),
    }
)  # fmt: skip
# What says that a view is spoken of, right before one of these.
VIEW_OPENERS = word_set(
    "when if while as you upon once i after assuming imagine standing sitting stand sit"
)
# Words on the look of a thing, or on its place in a group.
LOOKS = word_set(
    "black white grey gray silver red maroon orange yellow golden gold green blue navy teal purple"
    " violet pink brown beige cream tan dark light bright pale colored coloured color"
    " small smaller smallest large larger largest big bigger biggest tall taller tallest short"
    " shorter shortest long longer longest wide wider widest narrow narrower narrowest thin thinner"
    " thinnest thick tiny little huge skinny skinniest low high"
    " flat plain average rusted diced cubed framed painted patterned striped plastic fabric cloth"
    " upholstered cushioned standard normal regular basic simple typical modern old new nice similar"
    " identical matching same empty open opened closed cluttered messy dirty clean stainless steel"
    " chrome shiny glossy rusty office-style curved angled tiered rolling swivel rusty cream"
    " round rounded circular rectangular square oval wooden metal plastic leather glass wood"
)
SIDE_WORDS: dict[str, str] = {
    **dict.fromkeys(("left", "leftmost", "lefthand"), "left"),
    **dict.fromkeys(("right", "rightmost", "righthand"), "right"),
    **dict.fromkeys(("front", "frontmost", "foremost"), "front"),
    **dict.fromkeys(("back", "rear", "backmost"), "back"),
    **dict.fromkeys(("top", "upper", "uppermost", "topmost", "highest", "higher"), "top"),
    **dict.fromkeys(("bottom", "lower", "lowest", "bottommost", "lowermost"), "bottom"),
    **dict.fromkeys(("middle", "center", "centre", "central", "centermost", "middlemost"), "middle"),
    "corner": "corner",
}
# Nobody says these between two words of one noun.
STARTERS = (
    frozenset(SIDE_WORDS) - {"corner", "top", "back", "front", "center", "centre"}
    | word_set("far second third fourth fifth smaller smallest larger largest closest farthest furthest")
    | word_set("nearest")
)
# What a can may be of: "can" is a verb elsewhere.
OF_CANS = word_set("trash garbage soda waste recycling bin rubbish soup spray watering beer drink")
GENERIC = word_set(
    "one object item thing it this that target piece correct which what these those they ones"
    " objects items kind type style version"
)
ROOMS = word_set("room rooms area space house scene apartment office bathroom kitchen bedroom hallway")
PRONOUNS = word_set("it they itself them this that its their these those he she")
BE = word_set("is are was were be being been 's")
DETERMINERS = word_set("the a an another other any some all each both every either its their his your my")
POSTURES = word_set(
    "located placed situated positioned standing sitting lying sits stands lies laying leaning"
    " hanging mounted found hung stacked placed set resting directly right just immediately very"
    " slightly most all pushed tucked facing itself also still only also almost far way closely"
    " kind sort lot not stationed kept hangs leans rests lays up down really quite fairly"
)
NOT = word_set("not n't no isnt doesnt never nothing without neither")
FUNCTION = word_set(
    "and or but then so because where there here who whose how will would should can't could"
    " you i we want need looking look looks see choose select pick find click please do does did"
    " has have to of from that which if when while as than for must may might find go going turned"
    " turn contains contain appears appear seems facing made use used called"
    " upon once it's whose out up down off away back-to directly ok"
    " highlighted referred locate am th thisis iit walk straight ahead beyond talking seen stare"
    " staring well hangs choosing picture's im go goes along get gets thats chose correct mean meant"
    " located described questioned described pictured visible item seem looked run runs continue"
    " continues alone together followed covered installed mounted built fitted pulled tucked set"
    " can viewer us imagine assume same into onto through only just"
)
# "A set of", "one of", "two rolls of": what follows is the thing.
PARTITIVES = word_set(
    "set sets row rows group groups roll rolls pair pairs bunch stack stacks pile piles line couple"
    " series collection cluster clusters strip section sections piece pieces one number several half"
    " lot type kind sort style side sides end edge part portion top back front rest majority columns"
    " column column unit block middle center bank wall"
)
