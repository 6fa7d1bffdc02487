"""What a phrase takes for granted, and the map does not bear out.

"The orange cup by the microwave" presumes an orange cup and a microwave. Where no cup is orange, or
an oven stands in for the microwave, that is said in a sentence each. Answers that rest on it are no
surer than `DOUBTED`, choices of what is meant no surer than `TAKEN_FOR`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from scenemind.language import lexicon, verbalization
from scenemind.language.clauses import PARTS
from scenemind.language.english import normal, plural, shown, singular, with_article
from scenemind.language.lexicon import OF_BOXES
from scenemind.language.measures import compared_by
from scenemind.language.qualities import find_look
from scenemind.language.trees import Condition, HasAttribute, NounPhrase, Related, with_parts
from scenemind.language.vocabulary import Thesaurus
from scenemind.memory import MapObject
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import bearers, is_relative
from scenemind.reasoning.symbolic.label_scores import has_words, label_scores, rows_standing_in
from scenemind.reasoning.symbolic.phrase_scores import PhraseScores, is_in_room
from scenemind.reasoning.symbolic.relation_scores import BESIDE, relations_of
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.usual import find_room

if TYPE_CHECKING:
    from scenemind.reasoning.symbolic.resolver import Resolver
# Most confidence in what rests on a presumption that fails.
DOUBTED = 0.5
# The same where something surely is meant: in what is named or described by other words than the
# map has. On rows of benchmarks such choices are as likely right as all that is said makes them.
TAKEN_FOR = 0.8
_NO_ROOMS = "I know no rooms, so that I looked at the whole map."
_NO_PARTS = "I know things as wholes, so that I did not look at their parts."
_NO_CLOTHES = "I do not know what people wear or carry, so that I did not look at it."
# Attributes that are known of things by other means than their looks, or are no look.
_TOLD = ("affordance", "owner", "note", "name")


def failed_presumptions(
    phrases: Iterable[NounPhrase], scene: Scene, *, looks_of: Iterable[NounPhrase] | None = None
) -> tuple[str, ...]:
    """What phrases presume of the map, and it does not have, in a sentence each.

    Args:
        looks_of: the phrases whose looks are presumed; None: all.
    """
    phrases = list(phrases)
    notes = list(_stand_ins(phrases, scene))
    for phrase in phrases if looks_of is None else looks_of:
        notes += _unborne(phrase, scene)
    return said_once(notes)


def of_whole_map(tree: Any, scene: Scene, notes: list[str]) -> Any:
    """A question without the rooms of its things ("the lamp in the bedroom"), where the map has
    none, and without their parts ("the cabinet with three drawers") and what people wear, which no
    map holds. Nothing but a room stays: "what is in the kitchen" asks for the room.

    Args:
        notes: gets a sentence on what is left out.
    """
    if isinstance(tree, NounPhrase) and tree.noun:
        why = [_unknown(tree, condition, scene) for condition in tree.conditions]
        kept = (one for one, note in zip(tree.conditions, why, strict=True) if not note)
        tree = replace(tree, conditions=tuple(kept))
        notes += [note for note in why if note and note not in notes]
    return with_parts(tree, lambda part: of_whole_map(part, scene, notes))


def _unknown(phrase: NounPhrase, condition: Condition, scene: Scene) -> str:
    """That the map knows no rooms, parts or clothes, of which a condition is; empty for others."""
    if not isinstance(condition, Related) or condition.negated:
        return ""
    anchor, noun = condition.anchors[0], condition.anchors[0].noun
    if condition.predicate in ("inside", "near") and anchor == NounPhrase(noun, definite=True):
        is_room = find_room(noun) == normal(noun) and not scene.matches(noun)
        return _NO_ROOMS if is_room else ""
    is_worn = condition.predicate in ("inside", "supports") and not scene.matches(noun)
    if is_worn and normal(phrase.noun) in Thesaurus.load().synonyms("person") | {"person"}:
        return _NO_CLOTHES
    if condition.predicate != "supports" or singular(noun) not in PARTS:
        return ""
    carriers = {one for row in scene.rows_surely(noun) for one in scene.carriers_of(row)}
    wholes = np.flatnonzero(label_scores(scene, phrase.noun)[0]).tolist()
    return _NO_PARTS if carriers.isdisjoint(wholes) else ""


def with_names(text: str, phrases: Iterable[NounPhrase], scene: Scene) -> str:
    """An answer that says of the things that it names, and that were asked for by the name of
    others, that they are meant: "the cup (object 37), a mug as I take it, is purple"."""
    for noun in dict.fromkeys(phrase.noun for phrase in phrases):
        things = scene.objects_at(rows_standing_in(scene, noun))
        if not _is_called(things, noun):
            continue
        named = [say.the(thing).removeprefix("the ") for thing in things]
        said = [name for name in named if name in text]
        one = shown(normal(noun))
        if not said and len(things) == 1:
            text = f"I take {say.the(things[0])} for {with_article(one)}. {text}"
        elif len(said) == 1 and text.count(said[0]) == 1:
            before, after = text.split(said[0])
            end = "" if after[:1] in (".", ",", ":", ";") else ","
            text = f"{before}{said[0]}, {with_article(one)} as I take it{end}{after}"
        else:
            text = f"I take {plural(shown(things[0].label))} for {plural(one)}. {text}"
    return text


def _is_called(things: Sequence[MapObject], noun: str) -> bool:
    """Whether things are what people mean by a noun, though none bears it. What may be another
    thing was seen under that name, and is doubtful."""
    is_called = Thesaurus.load().is_called
    return bool(things) and all(is_called(thing.label, noun) for thing in things)


def is_unborne(phrase: NounPhrase, look: HasAttribute, scene: Scene) -> bool:
    """Whether an attribute is known of nothing that bears a phrase's noun, and leaves doubt.

    Not of sizes, as one of several is always the large one. What nobody has told of anything, such
    as a material where no model describes, speaks against none: it leaves doubt only where nothing
    else is said.
    """
    if look.negated or look.key in _TOLD:
        return False
    if is_relative(look) and compared_by(look.value) is None:
        return False
    kind = label_scores(scene, phrase.noun)[0]
    if not kind.any() or bearers(scene, kind, look).any():
        return False
    is_alone = phrase.conditions in ((), (look,)) and not phrase.ranks
    rows = np.flatnonzero(kind).tolist()
    return is_alone or any(scene.objects[row].attributes.get(look.key) for row in rows)


def without(noun: str, look: HasAttribute) -> str:
    """That nothing of a noun has a look, as the begin of a sentence."""
    return f"I know no {shown(verbalization.bare(NounPhrase(normal(noun), conditions=(look,))))}"


def said_once(notes: Iterable[str]) -> tuple[str, ...]:
    """Notes without those that only begin another one."""
    kept = list(dict.fromkeys(notes))
    return tuple(one for one in kept if not any(o != one and o.startswith(one[:-1]) for o in kept))


def _unborne(phrase: NounPhrase, scene: Scene) -> Iterator[str]:
    """Looks of a phrase that no thing of its kind has."""
    matches = scene.matches(phrase.noun)
    words = matches[0].unknown if matches else ""
    bare = phrase.noun.removeprefix(words).strip()
    looks = [c for c in phrase.conditions if isinstance(c, HasAttribute)]
    if words and bare != phrase.noun:
        rows = np.flatnonzero(label_scores(scene, phrase.noun)[0]).tolist()
        said = words.split()
        found = find_look(said, 0)
        if all(word in lexicon.LOOKS for word in said):
            looks += [HasAttribute(*lexicon.LOOKS[word]) for word in said]
        elif found is not None and found[1] == len(said):
            looks.append(found[0])
        elif not any(has_words(scene, row, words) for row in rows):
            yield f"I know no {shown(normal(phrase.noun))}."
    for look in looks:
        if is_unborne(replace(phrase, noun=bare), look, scene):
            yield f"{without(bare, look)}."


def _stand_ins(phrases: Iterable[NounPhrase], scene: Scene) -> Iterator[str]:
    """What stands in for each unknown thing."""
    for noun in dict.fromkeys(phrase.noun for phrase in phrases):
        things = scene.objects_at(rows_standing_in(scene, noun))
        if things and not _is_called(things, noun):
            names = say.the(things[0]) if len(things) == 1 else say.listed(things)
            one = noun if " " in noun else singular(noun)
            known = f"the nearest that I know {say.be(len(things))} {names}"
            may = ", which may be one" if scene.matches(noun)[0].label in scene.may_be else ""
            yield f"I know no {shown(one)}; {known}{may}."


# Scores below which a part of the phrase fails, and distance up to which things are nearly beside
# others, unless something must be named.
_LABEL, _LOOK, _RELATION, _BESIDE_M = 0.5, 0.1, 0.05, 3.0
# Most confidence where what is said is nearly so, or another one has the look, as light changes
# looks.
NEARLY = 0.7
# Relations of a match of which so many only nearly hold are no match.
_TOO_MANY = 2


@dataclass(frozen=True, slots=True)
class Unfit:
    """A part of a phrase that is not so of an object.

    Attributes:
        claim: it, in words as after "is".
        limit: the most confidence that it leaves.
        is_near: a relation or a look that fits more or less, but does not hold to the letter.
        is_of_distance: and that has no sharp end, such as "near".
        of_all: of no object of the kind it holds.
        is_of_look: an attribute.
    """

    claim: str
    limit: float = DOUBTED
    is_near: bool = False
    is_of_distance: bool = False
    of_all: bool = False
    is_of_look: bool = False


def unfit_parts(
    phrase: NounPhrase,
    at: Resolver,
    row: int,
    *,
    is_exact: bool = False,
    beside_m: float = _BESIDE_M,
) -> Iterator[Unfit]:
    """Parts of a phrase that are not so of an object.

    Sizes, comparisons and places in a group are none: one object is always the largest, the
    nearest, and the one on the left.

    Args:
        is_exact: all relations are known to hold of it to the letter, read in some way.
        beside_m: distance up to which things are nearly beside others.
    """
    label_fit = at.graded.label_fit(phrase.noun)
    if phrase.noun and label_fit[row] < _LABEL:
        yield Unfit(phrase.noun)
    for condition in phrase.conditions:
        if isinstance(condition, Related) and not is_in_room(condition):
            itself = np.arange(len(label_fit)) == row
            fit = at.graded.relation_fit(condition, itself)
            if fit is None:
                continue
            alike = label_fit >= _LABEL
            holds = is_exact | at.holds(condition, alike | itself)
            if fit[row] < _RELATION or not holds[row]:
                of_all = not holds[alike].any()
                is_near = bool(fit[row] >= _RELATION) or _is_beside(row, condition, at, beside_m)
                limit = NEARLY if is_near else DOUBTED
                is_of_distance = condition.predicate in (*BESIDE, *OF_BOXES)
                claim = verbalization.claim(condition)
                yield Unfit(claim, limit, is_near, is_near and is_of_distance, of_all)
        elif isinstance(condition, HasAttribute) and not is_relative(condition):
            yield from _unfit_look(phrase, condition, at.graded, row)


def _unfit_look(
    phrase: NounPhrase, look: HasAttribute, graded: PhraseScores, row: int
) -> Iterator[Unfit]:
    """A look of a phrase that an object has otherwise, or that nothing of its kind has."""
    scene, of_row = graded.scene, np.zeros(len(graded.scene))
    of_row[row] = 1.0
    if look.negated or look.key == "affordance" or bearers(scene, of_row, look)[row]:
        return
    of_all = is_unborne(phrase, look, scene)
    if of_all or scene.objects[row].attributes.get(look.key):
        fit = graded.look_fit(phrase, look)
        is_near = fit is None or bool(fit[row] >= _LOOK)
        limit = TAKEN_FOR if of_all and is_near else NEARLY
        if of_all and look.key != "color":  # benchmarks tell nothing of them
            limit = DOUBTED
        yield Unfit(verbalization.claim(look), limit, is_near, of_all=of_all, is_of_look=True)


def is_near_miss(wrong: Sequence[Unfit]) -> bool:
    """Whether an object may be meant, of which so much is not so."""
    related = [unfit for unfit in wrong if not unfit.is_of_look]
    return len(related) < _TOO_MANY and all(unfit.is_near for unfit in wrong)


def _is_beside(row: int, condition: Related, at: Resolver, most_m: float) -> bool:
    """Whether a relation is that of being beside a thing, and some such thing is not far away."""
    if condition.predicate not in BESIDE or condition.negated:
        return False
    ends = (end for anchor in condition.anchors for end in at.graded.likely_rows(anchor))
    denied = relations_of(at.scene).denied
    return any(
        at.scene.gaps_to_m(end)[row] <= most_m
        for end in ends
        if not denied(condition.predicate, [end])[row]
    )
