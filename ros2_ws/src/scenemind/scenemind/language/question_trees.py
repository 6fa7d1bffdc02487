"""Trees of the shapes of questions whose tree is more than their values; see `questions.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from inspect import signature
from typing import Any, Literal

from scenemind.language import lexicon, trees
from scenemind.language.clauses import PARTS
from scenemind.language.english import is_plural, normal, plural, singular, word_set
from scenemind.language.follow_ups import called, kind_of
from scenemind.language.measures import length_words
from scenemind.language.qualities import find_attribute
from scenemind.language.referring.chunks import ROOMS
from scenemind.language.referring.whole import except_things
from scenemind.language.shapes import Bound
from scenemind.language.time_expressions import TimeExpression

# What leads to rooms.
_WAYS = word_set(
    "door doors doorway gate exit entrance corridor hallway hall passage path way stairs staircase"
    " steps opening tunnel bridge ramp lift elevator"
)
# What the robot has of things, as a name for all of them.
_RECORDS = word_set("detections objects labels things entries findings records")
# What things have, and are not; adverbs and measures, which no name of a thing ends with.
_NO_ENDS = word_set(
    "got missing moved gone added removed down free stay stays stayed fullest emptiest switched"
    " turned plugged maybe perhaps possibly probably already yet now today tonight tomorrow exactly"
    " roughly altogether somewhere anywhere metres meters centimetres centimeters inches m cm mm"
)
_SIDE_OF: dict[str, str] = {
    "leftmost": "left of", "rightmost": "right of",
    "frontmost": "in front of", "rearmost": "behind",
}  # fmt: skip
_NO_THINGS = word_set("way color colour size height width length depth material shape space")
_NO_THINGS |= {"free space", "empty space"}


def _resolved(condition: trees.Condition, meant: trees.Reference) -> trees.Condition:
    """A condition whose "it" is the thing that is meant."""
    if not isinstance(condition, trees.Related):
        return condition
    anchors = tuple(meant if anchor == trees.Marked() else anchor for anchor in condition.anchors)
    return replace(condition, anchors=anchors)


def _measure(said: Bound) -> trees.Rank:
    return trees.Rank(said["by"], anchor=said.get("anchor"))


def _options(said: Bound) -> tuple[trees.Reference, ...]:
    """Things to choose from."""
    each = (said.get(name) for name in ("first", "third", "second"))
    first, *more = _looks(said.get("of_them") or tuple(filter(None, each)))
    if not _are_alike((first, *more)):
        return ()
    # "The yellow chair or the blue one", "the round table or the long one", "the red or the blue
    # cup".
    kind = next((kind_of(option.noun) for option in (first, *more) if option.noun), "")
    # "The sofa or the fridge near it".
    return tuple(
        called(it, kind) if kind and isinstance(it, trees.NounPhrase) and not it.noun else it
        for it in (first, *(trees.with_part(it, trees.Marked(), first) for it in more))
    )


def _looks(options: Sequence[trees.Reference]) -> tuple[trees.Reference, ...]:
    """Options in which "the red" is a red thing, where each has a look: "the red or the blue"."""
    found = [_look_of(option) for option in options]
    if None in found:
        return tuple(options)
    return tuple(option for option in found if option is not None)


def _look_of(option: trees.Reference) -> trees.NounPhrase | None:
    if not isinstance(option, trees.NounPhrase):
        return None
    words = option.noun.split()
    look = find_attribute(words, 0) if words else None
    if look is not None and look[1] == len(words):
        return replace(option, noun="", definite=True, conditions=(look[0], *option.conditions))
    has_look = any(isinstance(each, trees.HasAttribute) for each in option.conditions)
    return option if has_look else None


def _are_alike(options: Sequence[trees.Reference]) -> bool:
    """Whether all are said with "the", or none; else the first is the end of what stands before
    them: "the front door, the chair or the table"."""
    return len({o.definite for o in options if o.noun}) < 2


def built_question(shape: str, values: Bound) -> trees.Question | None:
    """The tree of a shape with its values; None where they do not go together, or where there is no
    subject."""
    said = {name: value for name, value in values.items() if name not in ("_", "more")}
    if said.get("noun") in lexicon.ANYTHING:
        said["noun"] = ""
    if shape in _OF_ANYTHING:
        said.setdefault("subject", _OF_ANYTHING[shape])
    if "more" in values:
        said["subject"] = _with(said["subject"], values["more"])
        if said["subject"] is None:
            return None
    build = _BUILT.get(shape) or getattr(trees, shape)
    question: trees.Question | None = build(**said) if has_subject(build, said) else None
    named = (phrase.noun for phrase in trees.parts_of(question, trees.NounPhrase))
    return None if any(map(_is_no_thing, named)) else question


def _is_no_thing(noun: str) -> bool:
    """Whether a noun is that of an attribute, or ends with what is part of no name: "my glasses
    maybe", "two by three metres"."""
    return noun in _NO_THINGS or noun.split(" ")[-1] in _NO_ENDS


def has_subject(build: Callable[..., Any], said: Bound) -> bool:
    """Whether there is a subject among the values for what builds a tree, if it needs one; a phrase
    if it takes no other."""
    needs, of_phrase = _needed_subject(build)
    if "subject" not in said:
        return not needs
    return not of_phrase or isinstance(said["subject"], trees.NounPhrase)


@cache
def _needed_subject(build: Callable[..., Any]) -> tuple[bool, bool]:
    """Whether a subject is needed, and whether it has to be a phrase."""
    subject = signature(build).parameters.get("subject")
    if subject is None:
        return False, False
    return subject.default is subject.empty, str(subject.annotation).endswith("NounPhrase")


def _with(subject: trees.Reference, more: trees.NounPhrase) -> trees.Reference | None:
    """A subject with conditions that follow a verb: "chairs are black"."""
    if not isinstance(subject, trees.NounPhrase) or (subject.ranks and more.ranks):
        return None
    return replace(
        subject,
        conditions=(*subject.conditions, *more.conditions),
        ranks=(*subject.ranks, *more.ranks),
    )


def _where_at(subject: trees.Reference, moment: TimeExpression) -> trees.Question | None:
    return None if moment.moment is None else trees.WhereAt(subject, moment.moment)


def _changed(
    kinds: list[trees.ChangeKind],
    since: TimeExpression | None = None,
    **of: Any,
) -> trees.Question | None:
    if of.get("subject") is not None and not kinds:
        return None
    return trees.Changed(tuple(kinds), None if since is None else since.moment, **of)


def _claim(
    subject: trees.Reference,
    condition: trees.Condition | None = None,
    things: tuple[trees.Reference, Sequence[str]] | None = None,
) -> trees.Question | None:
    """A yes-no question; of no certain thing, it asks whether there is such a thing."""
    if things is not None:
        if not isinstance(subject, trees.NounPhrase):
            return None
        but = except_things(things[0], subject, things[1])
        if but is None:
            return None
        subject = subject.that(but)
    if not isinstance(subject, trees.NounPhrase):
        return trees.Exists(subject) if condition is None else trees.Verify(subject, condition)
    if condition is None:
        return trees.Exists(subject)
    is_thing = (not subject.noun and not subject.conditions) or subject.bound != ""
    is_use = getattr(condition, "key", "") == "affordance"
    is_use |= subject.bound != ""  # "are more than two chairs black"
    if (is_use or isinstance(condition, trees.Related)) and (is_thing or not subject.definite):
        return trees.Exists(subject.that(condition))
    return trees.Verify(subject, condition)


def _is_the(
    subject: trees.Reference, thing: trees.NounPhrase | trees.Rank
) -> trees.Question | None:
    """ "Is the desk the largest table", "is the red cup the only one"."""
    if isinstance(thing, trees.Rank):
        thing = trees.NounPhrase("one", definite=True, ranks=(thing,))
    if thing.noun == "one":
        thing = replace(thing, noun=normal(subject.noun))
    if thing.ranks:
        return trees.Verify(subject, trees.Among(thing))
    if thing.count != 1:
        return None
    one = trees.Exists(replace(thing, definite=False, bound="exactly"))
    among = replace(thing, count=None, noun=plural(thing.noun) if thing.noun else "things")
    return trees.Joined((one, trees.Verify(subject, trees.Among(among))), "and")


def _of_either(
    kind: Callable[[trees.Reference], trees.Question], word: Literal["and", "or"]
) -> Callable[..., trees.Question | None]:
    """ "Which chairs are red or blue"."""

    def build(
        subject: trees.NounPhrase, first: trees.Condition, second: trees.Condition
    ) -> trees.Question | None:
        each = (subject.that(c) for c in (first, second))
        return trees.Joined(tuple(map(kind, each)), word)

    return build


def _belongings(owner: str, noun: str = "") -> trees.Question:
    return _all_that(trees.HasAttribute("owner", owner.lower()), noun)


def _all_that(condition: trees.Condition, noun: str = "") -> trees.Question:
    return trees.ListObjects(trees.NounPhrase(noun, conditions=(condition,)))


def _usable(use: str, subject: trees.NounPhrase) -> trees.Question:
    said = (trees.HasAttribute("affordance", use), *subject.conditions)
    return trees.ListObjects(replace(subject, conditions=said))


def _not_the_other(subject: trees.NounPhrase, other: trees.NounPhrase) -> trees.Question | None:
    """A phrase with what it is not: "the book on the shelf, not the one on the table"."""
    if other.ranks:
        return None
    denied = tuple(replace(each, negated=not each.negated) for each in other.conditions)
    return trees.Ground(subject.that(*denied))


def _ground_all(**each: trees.Reference) -> trees.Question | None:
    """ "The couch and the fridge"; but "the cup on the table and shelf" is at both."""
    named = [each[name] for name in ("first", "third", "fourth", "second") if name in each]
    is_each = all(one.noun or isinstance(one, trees.ObjectNumber) for one in named)
    placed = (one.conditions + one.ranks for one in named[:-1])
    if not is_each or any(trees.noun_phrases(tuple(placed))):
        return None
    return trees.Joined(tuple(map(trees.Ground, named)), "and")


def _exists_either(
    subject: trees.Reference, first: trees.NounPhrase, second: trees.NounPhrase
) -> trees.Question | None:
    """ "Is there a plant next to the sofa or next to the table?"."""
    each = tuple(trees.Exists(of) for one in (first, second) if (of := _with(subject, one)))
    return trees.Joined(each, "or") if len(each) > 1 else None


def _enough(subject: trees.NounPhrase, people: int) -> trees.Question | None:
    if subject.count is not None:
        return None
    return trees.Exists(replace(subject, count=people))


def _ask_room(noun: str = "") -> trees.Question | None:
    is_room = not noun or noun.split()[-1] in ROOMS or noun.endswith("room")
    return trees.AskRoom(noun) if is_room else None


def _only_one(subject: trees.NounPhrase) -> trees.Question | None:
    return trees.Exists(replace(subject, count=1, bound="exactly"))


def _fits_between(
    first: trees.Reference, second: trees.Reference | None = None, **what: Any
) -> trees.Question | None:
    """Of "between the benches" both ends are the two."""
    if second is None:
        if not isinstance(first, trees.NounPhrase) or first.count not in (None, 2):
            return None
        first = second = replace(first, count=2, definite=True)
    return trees.FitsBetween(first, second, **what)


def _size_both_ways(subject: trees.Reference, first: Any, second: Any) -> trees.Question:
    """ "How wide and high is the window"."""
    return trees.Joined(tuple(trees.Size(subject, by) for by in (first, second)), "and")


def _fits_under(
    subject: trees.Reference,
    length_m: float | None = None,
    thing: trees.Reference | None = None,
) -> trees.Question:
    return trees.FitsBetween(subject, trees.NounPhrase("floor", definite=True), length_m, thing)


def _exists_any(
    first: trees.Reference,
    second: trees.Reference,
    word: Any,
    third: trees.Reference | None = None,
) -> trees.Question:
    """ "Is there a cup or a bowl", "a red or a blue cup", "a cup on the table or the desk"."""
    either = _at_either(first, second) if third is None and word == "or" else None
    if either is not None:
        return trees.Exists(either)
    found = find_attribute(first.noun.split(), 0)
    if found is not None and first == trees.NounPhrase(first.noun):
        others = (c for c in second.conditions if getattr(c, "key", "") != found[0].key)
        if isinstance(second, trees.NounPhrase):
            first = replace(second, conditions=(found[0], *others))
    if isinstance(first, trees.NounPhrase) and isinstance(second, trees.NounPhrase):
        # "A kettle or a toaster in the kitchen": both there.
        of_both = tuple(c for c in second.conditions if _is_place(c))
        if not any(map(_is_place, first.conditions)):
            first = first.that(*of_both)
    each = (first, second) if third is None else (first, third, second)
    return trees.Joined(tuple(map(trees.Exists, each)), word)


def _at_either(first: trees.Reference, second: trees.Reference) -> trees.NounPhrase | None:
    """A thing at one of two: "a cup on the table" or "the desk"; None for others."""
    if not isinstance(first, trees.NounPhrase) or not isinstance(second, trees.NounPhrase):
        return None
    *more, place = first.conditions or (None,)
    if not (isinstance(place, trees.Related) and _is_place(place) and second.definite):
        return None
    either = replace(place, anchors=(*place.anchors, second))
    return replace(first, conditions=(*more, either))


def _is_place(condition: trees.Condition) -> bool:
    return isinstance(condition, trees.Related) and condition.predicate != "supports"


def _is_called(subject: trees.Reference, noun: str) -> trees.Question | None:
    """ "Is this a cup"; but "is the vase near a plant" is no question for the vase near me."""
    if isinstance(subject, trees.NounPhrase) and trees.relations_to_viewer(subject):
        return None
    return trees.Verify(subject, trees.Described(noun))


def _is_longer(
    subject: trees.Reference, length_m: float, by: trees.Superlative
) -> trees.Question | None:
    """ "Would a 2 m ladder be taller than the plant": whether that is not taller than 2 m."""
    size = length_words(by, length_m)
    return trees.Verify(subject, trees.HasAttribute("size", size, True)) if size else None


def _has_room_on(subject: trees.Reference, **what: Any) -> trees.Question | None:
    is_building = subject.noun in lexicon.BUILDING  # on the floor stands nearly all
    return None if is_building else trees.HasRoomOn(subject, **what)


def _is_clear(subject: trees.Reference, may_hold: bool = True) -> trees.Question | None:
    """ "Is the table clear": whether nothing is on it but its own cushions. What holds things may
    be empty inside."""
    surfaces = lexicon.SURFACES | lexicon.HOLDING if may_hold else lexicon.SURFACES
    if singular(subject.noun.split(" ")[-1]) not in surfaces:
        return None
    own = (trees.Described(name, negated=True) for name in sorted(lexicon.UPHOLSTERY))
    others = own if singular(subject.noun.split(" ")[-1]) in lexicon.SEATS else ()
    on_it = trees.NounPhrase("", conditions=(trees.Related("on", (subject,)), *others))
    return trees.Exists(replace(on_it, count=0, bound="at most"))


def _is_wide_enough(
    way: trees.Reference, subject: trees.Reference | None = None, length_m: float | None = None
) -> trees.Question | None:
    """ "Is the door wide enough for the couch", "could a 70 cm trolley get through it"."""
    if singular(way.noun.split(" ")[-1]) not in lexicon.OPENINGS:
        return None
    if subject is not None:
        return trees.FitsThrough(subject, way=way)
    wider = length_words("widest", length_m or 0.0)
    return trees.Verify(way, trees.HasAttribute("size", wider))


def _best(
    subject: trees.NounPhrase, rank: trees.Rank, are_several: bool = False
) -> trees.Question | None:
    """One of several by a comparison: "which of the two tables is the higher one"; as many as are
    said: "which two chairs are the tallest"."""
    count = subject.count if are_several else None
    return trees.ListObjects(replace(subject, count=count, ranks=(*subject.ranks, rank)))


def _compare(
    options: tuple[trees.Reference, ...], rank: trees.Rank, noun: str = ""
) -> trees.Question | None:
    """ "Which is bigger, the cup or the bowl", "which cup is bigger, the red or the old one"."""
    named = (_called(one, noun) for one in options)
    return trees.Compare(tuple(named), rank) if options else None


def _called(reference: trees.Reference, noun: str) -> trees.Reference:
    """A thing of a kind that was named before it: "the red one" of "which cup"."""
    if noun and isinstance(reference, trees.NounPhrase) and not reference.noun:
        return replace(reference, noun=normal(noun))
    return reference


def _compare_to(
    subject: trees.Reference,
    by: trees.Superlative,
    first: trees.Reference,
    second: trees.Reference,
    third: trees.Reference | None = None,
) -> trees.Question:
    """ "Is the cup closer to the bottle or to the bowl": which of them is closer to the cup."""
    others = (second,) if third is None else (third, second)  # "the red chair or the black one"
    options = (first, *(_called(other, first.noun) for other in others))
    return trees.Compare(options, trees.Rank(by, anchor=subject))


def _exists_between(first: trees.Reference, second: trees.Reference) -> trees.Question:
    between = trees.Related("between", (first, second))
    return trees.Exists(trees.NounPhrase("", conditions=(between,)))


def _choose(
    subject: trees.Reference,
    first: trees.Condition | str,
    second: trees.Condition | trees.NounPhrase | str,
    anchor: trees.Reference | None = None,
) -> trees.Question | None:
    if isinstance(first, trees.Related) and isinstance(second, trees.NounPhrase):
        second = trees.Related(first.predicate, (second,))  # "on the table or the desk"
    if isinstance(first, str) and isinstance(second, str):
        of = (anchor or trees.Viewer(),)
        first, second = trees.Related(first, of), trees.Related(second, of)
    if isinstance(first, str) or isinstance(second, str | trees.NounPhrase):
        return None
    if isinstance(first, trees.Related):
        second = _resolved(second, first.anchors[-1])
    return trees.Choose(subject, (first, second))


def _same(
    first: trees.Reference,
    key: trees.Attribute,
    second: trees.Reference | None = None,
    third: trees.Reference | None = None,
    of_any: bool = False,
) -> trees.Question:
    said = (first, third, second)
    return trees.Same(tuple(one for one in said if one is not None), key, of_any)


def _how_much_more(
    first: trees.Reference,
    second: trees.Reference,
    rank: trees.Rank | None = None,
    by_key: trees.Dimension = "",
) -> trees.Question | None:
    longest: dict[str, trees.Superlative] = {"height": "tallest", "width": "widest"}
    rank = rank or trees.Rank(longest.get(by_key, "longest"))
    return None if rank.anchor is not None else trees.HowMuchMore(first, second, rank)


def _surest_of(subject: trees.NounPhrase, by: trees.Superlative) -> trees.Question | None:
    noun = "" if subject.noun in _RECORDS else subject.noun
    return trees.ListObjects(replace(subject, noun=noun, ranks=(trees.Rank(by),)))


def _on_each(
    subject: trees.Reference, anchors: trees.Reference, predicate: str = ""
) -> trees.Question | None:
    """ "Does every desk have a lamp on it", "do the desks have a lamp": at it."""
    both = (subject, anchors)
    if not all(isinstance(one, trees.NounPhrase) and one.noun for one in both):
        return None
    each = replace(anchors, noun=normal(anchors.noun), definite=False, count=None)  # type: ignore[arg-type]
    return None if predicate == "of" else trees.OnEach(subject, predicate, each)  # type: ignore[arg-type]


def _distance_of_pair(subject: trees.NounPhrase) -> trees.Question | None:
    if not is_plural(subject.noun):
        return None
    first = replace(subject, count=2, definite=True)
    return trees.Distance(first, first)


def _claim_of_each(word: Literal["and", "or"]) -> Callable[..., trees.Question]:
    def build(condition: trees.Condition, **of: trees.Reference) -> trees.Question:
        each = (trees.Verify(one, condition) for one in _options(of))
        return trees.Joined(tuple(each), word)

    return build


def _which_of(
    subject: trees.NounPhrase,
    condition: trees.Condition,
    first: trees.Reference,
    second: trees.Reference,
) -> trees.Question | None:
    """ "Which bag is on the shelf, the red one or the blue one"."""
    named = (_called(one, subject.noun) for one in (first, second))
    return trees.Joined(tuple(trees.Verify(one, condition) for one in named), "or")


def _count_both(
    first: trees.Reference, second: trees.Reference, where: trees.NounPhrase | None = None
) -> trees.Question | None:
    """ "How many chairs and tables are there", "... are at the window"."""
    each = [one if where is None else _with(one, where) for one in (first, second)]
    return trees.Joined(tuple(trees.Count(one) for one in each if one is not None), "and")


def _counts_at(
    subject: trees.Reference,
    first: trees.NounPhrase,
    second: trees.NounPhrase,
    how: Literal["more", "fewer"],
    asks: Literal["whether", "which"] = "whether",
) -> trees.Question | None:
    """ "Are there more chairs at the desk than at the table", "at the desk or at the table"."""
    here, there = (_with(subject, where) for where in (first, second))
    return None if here is None or there is None else trees.CompareCounts(here, there, how, asks)


def _seats(kind: Callable[[trees.Reference], trees.Question]) -> Callable[..., Any]:
    """ "Which chairs are free", "is there a free chair": nobody is at them."""

    def build(subject: trees.NounPhrase, free: bool) -> trees.Question | None:
        at = trees.Related("next to", (trees.NounPhrase("person"),), negated=free)
        if not subject.noun:
            return None
        return kind(subject.that(at))

    return build


def _is_either(subject: trees.Reference, noun: str, other: str) -> trees.Question | None:
    """ "Is the white thing a jug or a vase"; of a room, its things tell."""
    if getattr(subject, "noun", "") in ("room", "place"):
        return None
    return trees.Choose(subject, (trees.Described(noun), trees.Described(other)))


def _on_same_carrier(
    first: trees.Reference, second: trees.Reference, predicate: str, noun: str
) -> trees.Question:
    """ "Is the tape on the same shelf as the glue": on the shelf that carries the glue."""
    way = "contains" if predicate == "inside" else "supports"
    shared = trees.NounPhrase(noun, True, conditions=(trees.Related(way, (second,)),))
    return trees.Verify(first, trees.Related(predicate, (shared,)))


def _has_more(
    options: tuple[trees.Reference, ...],
    subject: trees.NounPhrase,
    predicate: str,
    how: Literal["more", "fewer"],
    noun: str = "",
) -> trees.Question | None:
    """ "Which has more things on it, the desk or the table"."""
    if len(options) != 2:
        return None
    first, second = (
        replace(subject, conditions=(trees.Related(predicate, (_called(one, noun),)),))
        for one in options
    )
    return trees.CompareCounts(first, second, how, "which")


def _of_most(
    subject: trees.NounPhrase, condition: trees.Condition, share: Literal["most", "none"]
) -> trees.Question | None:
    """ "Are most of the chairs black", "is none of the chairs black"."""
    if subject.bound:
        return None
    if share == "most":
        return trees.Verify(replace(subject, bound="most"), condition)
    return trees.Verify(subject, replace(condition, negated=not condition.negated))


def _everything(
    place: trees.Condition,
    noun: str = "",
    condition: trees.Condition | None = None,
    use: str = "",
) -> trees.Question | None:
    """ "Is everything on the table a book": whether nothing there is something else."""
    said = trees.Described(noun) if noun else condition
    said = trees.HasAttribute("affordance", use) if use else said
    if said is None or not isinstance(place, trees.Related):
        return None
    other = replace(said, negated=not said.negated)
    return trees.Exists(trees.NounPhrase("", count=0, conditions=(place, other), bound="at most"))


def _count(subject: trees.Reference, **of: Any) -> trees.Question:
    """ "How many doors are on the left": on that side of the one who asks, not the leftmost."""
    if isinstance(subject, trees.NounPhrase):
        sides = [
            rank
            for rank in subject.ranks
            if rank.superlative in _SIDE_OF and rank == trees.Rank(rank.superlative)
        ]
        at = (trees.Related(_SIDE_OF[r.superlative], (trees.Viewer(),)) for r in sides)
        left = tuple(rank for rank in subject.ranks if rank not in sides)
        subject = replace(subject, conditions=(*subject.conditions, *at), ranks=left)
    return trees.Count(subject, **of)


def _count_at(subject: trees.NounPhrase, of: trees.Reference) -> trees.Question | None:
    """ "How many chairs belong to the table"."""
    if normal(subject.noun) in PARTS:
        return None
    near = trees.Related("next to", (of,))
    return trees.Count(subject.that(near))


def _leads_to(subject: trees.Reference, goes: bool = False) -> trees.Question | None:
    """The rooms by what leads there, or by a door or a way that goes there; a cable does not."""
    is_way = not goes or subject.noun.rpartition(" ")[2] in _WAYS
    return _all_that(trees.Related("near", (subject,)), "room") if is_way else None


def _opposite_sides(
    first: trees.Reference, second: trees.Reference, subject: trees.Reference
) -> trees.Question:
    """ "Are the cup and the bowl on opposite sides of the table": whether it is between them."""
    ends = _options({"first": first, "second": second})
    return trees.Verify(subject, trees.Related("between", ends))


# Shapes whose tree is more than their values.
_BUILT: dict[str, Callable[..., trees.Question | None]] = {
    "AnySeat": _seats(trees.Exists),
    "Belongings": _belongings,
    "CountSeats": _seats(trees.Count),
    "HasMore": _has_more,
    "InverseOf": lambda subject, predicate: _all_that(trees.Related(predicate, (subject,))),
    "IsEither": _is_either,
    "ListSeats": _seats(trees.ListObjects),
    "OfMost": _of_most,
    "Everything": _everything,
    "OnSameCarrier": _on_same_carrier,
    "CountEither": _of_either(trees.Count, "and"),
    "IsThe": _is_the,
    "ListEither": _of_either(trees.ListObjects, "or"),
    "ThatPlace": trees.Ground,
    "Best": _best,
    "Changed": _changed,
    "Choose": _choose,
    "Claim": _claim,
    "ClaimBoth": _claim_of_each("and"),
    "ClaimEither": _claim_of_each("or"),
    "Count": _count,
    "CountAt": _count_at,
    "Compare": _compare,
    "CompareTo": _compare_to,
    "CountBoth": _count_both,
    "CountsAt": _counts_at,
    "DistanceFromHere": lambda first: trees.Distance(first, trees.Viewer()),
    "EnoughOf": _enough,
    "DistanceOfPair": _distance_of_pair,
    "HowMuchMore": _how_much_more,
    "SurestOf": _surest_of,
    "ExistsAny": _exists_any,
    "LeftBehind": lambda subject: None if subject == trees.Marked() else trees.Exists(subject),
    "ExistsBetween": _exists_between,
    "ExistsEither": _exists_either,
    "IsCalled": _is_called,
    "IsUsable": lambda use, subject, way="": _claim(
        subject, trees.HasAttribute("affordance", f"{use} {way}".strip())
    ),
    "LeadsTo": _leads_to,
    "IsOwned": lambda subject, owner: trees.Verify(
        subject, trees.HasAttribute("owner", owner.lower())
    ),
    "AskRoom": _ask_room,
    "AskName": lambda subject: trees.AskAttribute(subject, "name"),
    "FitsBetween": _fits_between,
    "FitsOn": lambda subject, length_m: trees.Verify(
        subject, trees.HasAttribute("size", length_words("longest", length_m))
    ),
    "HasRoomOn": _has_room_on,
    "IsClear": _is_clear,
    "IsLonger": _is_longer,
    "IsWideEnough": _is_wide_enough,
    "FitsUnder": _fits_under,
    "SizeBothWays": _size_both_ways,
    "GroundAll": _ground_all,
    "NotTheOther": _not_the_other,
    "NothingThere": lambda subject: trees.Exists(replace(subject, count=0, bound="at most")),
    "OnEach": _on_each,
    "OnlyOne": _only_one,
    "OppositeSides": _opposite_sides,
    "People": trees.ListObjects,
    "CanReach": lambda subject: _claim(subject, trees.Related("within reach", (trees.Viewer(),))),
    "Reachable": lambda: _all_that(trees.Related("within reach", (trees.Viewer(),))),
    "Same": _same,
    "SeenBefore": lambda first, second: trees.IsMore(first, second, trees.Rank("earliest")),
    "HowManySit": lambda: trees.Count(trees.NounPhrase("seat")),
    "SeatsFor": lambda people: _enough(trees.NounPhrase("seat"), people),
    "SeenFirst": lambda options: _compare(options, trees.Rank("earliest")),
    "UsableWith": lambda use: _all_that(trees.HasAttribute("affordance", f"{use} with")),
    "UsableAt": lambda use, subject: _usable(lexicon.at_place(use), subject),
    "Usable": lambda use, subject: _usable(use, subject),
    "WhereAt": _where_at,
    "WhichOf": _which_of,
    "WhereBoth": lambda first, second: trees.Joined(
        (trees.Where(first), trees.Where(second)), "and"
    ),
}
# What shapes without a subject ask for.
_OF_ANYTHING: dict[str, trees.Reference] = {
    **dict.fromkeys(
        (
            "Count",
            "Exists",
            "HasMore",
            "ListObjects",
            "NothingThere",
            "Usable",
            "UsableAt",
            "WhichOf",
        ),
        trees.NounPhrase(""),
    ),
    **dict.fromkeys(("HowSure", "ThatPlace"), trees.Marked()),
    "People": trees.NounPhrase("person"),
}
# Values of the parts of `questions.yaml`.
MADE: dict[str, Callable[[Bound], Any]] = {
    "options": _options,
    "of_them": _options,
    "measure": _measure,
}
