"""From the commands of a correcting sentence to edits of the journal, and the response."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from scenemind.language import lexicon, trees
from scenemind.language.english import joined, normal, number_word, plural, shown, with_article
from scenemind.language.trees import Redo, Undo
from scenemind.language.vocabulary import Thesaurus
from scenemind.memory import (
    Correction,
    Edit,
    MapObject,
    MemoryAccess,
    SimilarObject,
)
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.corrections.separation import find_split_places
from scenemind.memory.types import NOTE, EditKind
from scenemind.reasoning.query import ErrorCode, Query, ReasoningError
from scenemind.reasoning.symbolic.attribute_scores import ATTRIBUTE_NOUNS, letter_score
from scenemind.reasoning.symbolic.premises import (
    Meant,
    denial_of,
    meant_as_one,
    meant_by,
    presence_of,
)
from scenemind.reasoning.symbolic.relation_scores import ATTACHED
from scenemind.reasoning.symbolic.replies import (
    all_of,
    be,
    bounded,
    candidates,
    listed,
    metres,
    sentence,
    the,
)
from scenemind.reasoning.symbolic.resolver import Resolver

_FORGOT, _NOTED = "I forgot ", "Noted of "
_SHALL_I = "Shall I do that?"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a correction is put to the person before it is written.

    Attributes:
        code: of the failure where no yes can follow. `not_understood`: a model may read it better.
        text: what the map says, or what would change.
        question: what a yes answers; empty where the text asks.
        suggestion: a sentence that says the same and is written at once; empty for none.
    """

    code: ErrorCode
    text: str
    question: str = _SHALL_I
    suggestion: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.question}".strip()


@dataclass(frozen=True, slots=True, eq=False)
class Intent:
    """Intent of a correcting sentence.

    Attributes:
        edits: to be written; empty where only the response is given.
        response: sentence after they are written.
        journal_action: undo or redo, instead of edits.
        objects: objects of the sentence.
        doubt: None: the edits may be written at once.
    """

    edits: tuple[Edit, ...]
    response: str
    journal_action: trees.Undo | trees.Redo | None = None
    objects: tuple[MapObject, ...] = ()
    doubt: Doubt | None = None


def intent_of(
    commands: Sequence[trees.Command],
    query: Query,
    resolver_of: Callable[[Query], Resolver],
    memory: MemoryAccess,
    by: str,
) -> Intent:
    """Intent of the commands of one sentence together.

    Args:
        by: name of the speaker, the owner of "mine".

    Raises:
        ReasoningError: `not_found`, `ambiguous` or `invalid_request`.
        SceneMemoryError: similar objects cannot be searched for.
    """
    if len(commands) == 1 and not isinstance(commands[0], trees.OfOne | trees.IsAt | trees.Merge):
        return _of_journal(commands[0], resolver_of(query), memory, by)
    from scenemind.language.corrections.grammar import is_of_last

    parts: list[Intent] = []
    unplaced = left_out = ""
    first: ReasoningError | None = None
    subject: trees.Subject | None = None
    spoken_of: tuple[int, ...] = ()
    for command in commands:
        if not isinstance(command, trees.OfOne | trees.IsAt | trees.Merge):
            raise ReasoningError(
                "invalid_request", "Say that in a sentence of its own; nothing was changed."
            )
        before, subject = subject, getattr(command, "subject", None)
        is_last = bool(spoken_of) and (is_of_last(command) or before == subject)
        is_same = is_last and is_of_last(command)
        about = replace(query, marked_object_ids=spoken_of) if is_same else query
        is_moved = is_last and isinstance(command, trees.AddRelation) and _is_removal(parts[-1])
        try:
            part = _of_command(command, resolver_of(about), by)
        except ReasoningError as error:
            is_open = error.failure.code == "ambiguous" and parts
            if error.failure.code != "not_found" and not is_open:
                raise
            first = first or error
            if is_moved:
                unplaced = f" Where it is now I do not know: {error}"
            else:
                left_out = f"{left_out} {error}".strip()
            continue
        if part.edits and any(part.edits == one.edits for one in parts):
            continue  # "it is a stool, call it that"
        # "I took the cup away, it is on the shelf now": it is there, and not gone.
        parts[len(parts) - is_moved :] = [part]
        spoken_of = tuple(dict.fromkeys(edit.object_ids[0] for edit in parts[-1].edits))
    if first is not None and not parts:
        raise first
    # "I took the book away, it is not on the cabinet any more": the rest follows from the first.
    made = [edit for part in parts for edit in part.edits]
    removed = {edit.object_ids[0] for edit in made if edit.kind == "delete_object"}
    parts = [part for part in parts if not _follows(part, removed)]
    if len(parts) == 1:
        whole = replace(parts[0], response=f"{parts[0].response}{unplaced}")
        return _without(left_out, whole) if left_out else whole
    edits = tuple(edit for part in parts for edit in part.edits)
    doubts = [part.doubt for part in parts if part.doubt is not None]
    text = " ".join(doubt.text for doubt in doubts)
    response = " ".join(part.response for part in parts) + unplaced
    are_claims = all(part.response.startswith(("Now ", _FORGOT)) for part in parts)
    ask = f"Shall I note that {_claimed(response)}?" if are_claims else "Shall I do all of that?"
    doubt = Doubt(doubts[0].code, text, ask) if doubts else None
    objects = _objects(edits, resolver_of(query))
    are_guesses = all(each.code == "not_understood" for each in doubts)
    if are_guesses and (doubts or _is_exchange(edits, objects)):
        doubt = doubt_of_guess(response)  # "you mixed up the cup and the mug"
    whole = Intent(edits, response, None, objects, doubt)
    return _without(left_out, whole) if left_out else whole


def _without(left_out: str, intent: Intent) -> Intent:
    """An intent of a part of what was said, to be confirmed, where the rest cannot be done."""
    if intent.doubt is not None:
        return replace(intent, doubt=replace(intent.doubt, text=f"{left_out} {intent.doubt.text}"))
    rest = f"Shall I note the rest: that {_claimed(intent.response)}?"
    return replace(intent, doubt=Doubt("not_found", left_out, rest))


def _is_exchange(edits: Sequence[Edit], objects: Sequence[MapObject]) -> bool:
    """Whether things get each other's names."""
    labels = {thing.object_id: thing.label for thing in objects}
    names = {edit.object_ids[0]: edit.value for edit in edits if edit.kind == "rename"}
    is_all = len(names) == len(edits) == len(labels) > 1
    return is_all and sorted(names.values()) == sorted(labels.values())


def _is_removal(part: Intent) -> bool:
    return part.edits != () and all(edit.kind == "delete_object" for edit in part.edits)


def _follows(part: Intent, removed: Collection[int]) -> bool:
    """Whether a part says nothing but where things are not that are removed."""
    return part.edits != () and all(
        edit.kind == "delete_relation" and edit.object_ids[0] in removed for edit in part.edits
    )


def _of_journal(command: trees.Command, at: Resolver, memory: MemoryAccess, by: str) -> Intent:
    """Intent of a command about earlier corrections."""
    match command:
        case trees.Undo() | trees.Redo():
            return Intent((), "", command)
        case trees.Similar(object_ids=ids):
            return _of_similar(ids, at, memory)
        case trees.Deny():
            return _denied(command, at, by)
    return Intent((), "Thank you. I changed nothing.")


def _denied(command: trees.Deny, at: Resolver, by: str) -> Intent:
    """Intent of what things are not: that is forgotten, and what they are is asked."""
    key, denied = command.key, command.denied
    denied = by if (key, denied) == ("owner", lexicon.SPEAKER) else denied
    meant = meant_by(command.subject, at, "" if key else denied)
    names, are = joined([the(thing) for thing in meant.objects]), be(len(meant.objects))
    if not key:
        rows = [at.scene.row_of_id[thing.object_id] for thing in meant.objects]
        is_name = denied not in lexicon.LOOKS  # "no longer red"
        if rows and is_name and not at.label_scores(denied)[rows].any():
            known = f"I do not have {names} as {with_article(denied)}."
            them = "is it" if len(rows) == 1 else "are they"
            return Intent((), f"{known} What {them} instead?", objects=meant.objects)
        return Intent((), f"What {are} {names} instead?", objects=meant.objects)
    so = [thing for thing in meant.objects if letter_score(thing, key, denied)]
    otherwise = [thing for thing in meant.objects if thing.attributes.get(key) and thing not in so]
    if otherwise:
        each = bounded([f"{the(o)} is {shown(o.attributes[key])}" for o in otherwise])
        return Intent((), f"That is what I have: {each}.", objects=meant.objects)
    edits = tuple(Edit("set_attribute", (thing.object_id,), key) for thing in so)
    asks = {"owner": f"Whose {are} {names}?", "color": f"What colour {are} {names}?"}
    ask = asks.get(key, f"What {are} {names} instead?")
    told = sentence(f"{names} {are} not {shown(denied)}") if so and key != "owner" else ""
    doubt = Doubt("invalid_request", meant.objection) if meant.objection else None
    return Intent(edits, f"{told} {ask}".strip(), None, meant.objects, doubt)


def _of_similar(ids: tuple[int, ...], at: Resolver, memory: MemoryAccess) -> Intent:
    """Intent of "the same for objects 4 and 9"; without numbers, of all similar objects.

    Raises:
        ReasoningError: `not_found`: nothing is similar, or there is no such object.
    """
    edit, similar = find_repeatable(memory)
    known = at.scene.row_of_id
    unknown = [str(i) for i in ids if i not in known]
    if unknown:
        raise at.no_object(joined(unknown))
    # The map may have changed between the snapshot and the search.
    reasons = {s.object_id: ", ".join(s.reasons) for s in similar if s.object_id in known}
    objects = tuple(at.scene.objects[known[i]] for i in ids or reasons)
    if not objects:
        raise ReasoningError("not_found", "I know of no similar ones for which that is not so yet.")
    edits = tuple(replace(edit, object_ids=(thing.object_id,)) for thing in objects)
    response = _told(edit, objects)
    if ids:
        return Intent(edits, response, None, objects)
    why = bounded([f"{the(o)}: {reasons[o.object_id] or 'somewhat alike'}" for o in objects])
    numbers = bounded([str(thing.object_id) for thing in objects])
    what = "Object" if len(objects) == 1 else "Objects"
    text = f"{what} {numbers} {be(len(objects))} similar ({why})."
    return Intent(
        edits, response, None, objects, Doubt("ambiguous", text, _question(edits, response))
    )


def _objects(edits: Sequence[Edit], at: Resolver) -> tuple[MapObject, ...]:
    """Objects that the edits change, without parts of the building."""
    ids = dict.fromkeys(i for edit in edits for i in edit.object_ids if i >= 0)
    return tuple(at.scene.objects[at.scene.row_of_id[i]] for i in ids)


def _of_command(
    command: trees.OfOne | trees.IsAt | trees.Merge, at: Resolver, by: str = ""
) -> Intent:
    """Intent of one command, with a doubt where its words are wrong about its objects, where it
    changes more of them than they name, or where it may not be meant so.

    Raises:
        ReasoningError: see `intent_of`.
    """
    is_guess = isinstance(command, trees.IsAt) or (
        isinstance(command, trees.AddRelation) and command.is_wish
    )
    if isinstance(command, trees.IsAt):
        command = _known_or_renamed(command, at)
    if isinstance(command, trees.SetAttribute) and _is_owned_by_thing(command, at):
        anchor, is_guess = trees.NounPhrase(command.value, definite=True), True
        command = trees.AddRelation(command.subject, "near", anchor)
    if isinstance(command, trees.Merge):
        meant = meant_as_one(command, at)
        edits, response = merged(command, meant.objects, at)
    else:
        denied = command.denied if isinstance(command, trees.Rename | trees.IsA) else ""
        if isinstance(command, trees.Split):
            denied = normal(command.noun)
        meant = _meant(command, at, denied)
        edits, response = _edits_of(command, meant.objects, at, by)
    objection = meant.objection
    if not objection and isinstance(command, trees.Rename | trees.IsA | trees.SetAttribute):
        objection = denial_of(command, meant.objects, at)
    if not objection and isinstance(command, trees.DeleteObject):
        objection = presence_of(command, meant.objects, at)
    doubt = None
    apart = ""
    if isinstance(command, trees.Merge) and not is_order_by_numbers(command):
        apart = far_apart(meant.objects, at)
    if objection:
        doubt = Doubt("invalid_request", objection, _question(edits, response), order_of(edits))
    elif meant.is_open and len(meant.objects) > 1:
        one = "make one of" if isinstance(command, trees.Merge) else "change"
        names = listed(meant.objects)
        doubt = Doubt("ambiguous", f"That would {one} {len(meant.objects)} objects: {names}.")
    elif apart:
        order = f"merge objects {joined([str(thing.object_id) for thing in meant.objects])}"
        doubt = Doubt("invalid_request", apart, "Are they one thing all the same?", order)
    elif is_guess:
        doubt = doubt_of_guess(response)
    return Intent(tuple(edits), response, None, _objects(edits, at), doubt)


def _meant(command: trees.OfOne, at: Resolver, denied: str) -> Meant:
    """The objects of a command; of several that fit "the green one" those that may be called as it
    says: "it is a fruit bowl, the green one".

    Raises:
        ReasoningError: see `meant_by`.
    """
    subject = _subject_of(command, at)
    try:
        return meant_by(subject, at, denied)
    except ReasoningError as error:
        if error.failure.code == "not_found" and isinstance(command, trees.AddRelation):
            raise _unseen(command, at) or error from error
        kind = command.label.split()[-1] if isinstance(command, trees.Rename | trees.IsA) else ""
        is_open = error.failure.code == "ambiguous" and kind and at.label_scores(kind).any()
        if not (is_open and isinstance(subject, trees.NounPhrase) and not subject.noun):
            raise
        return meant_by(replace(subject, noun=kind), at)


def _is_owned_by_thing(command: trees.SetAttribute, at: Resolver) -> bool:
    """Whether a thing is said to belong to a desk, and not to somebody."""
    rows = at.scene.rows_surely(command.value.lower()) if command.key == "owner" else []
    return any(not sense_of(owner.label).moves for owner in at.scene.objects_at(rows))


def doubt_of_guess(response: str, suggestion: str = "") -> Doubt:
    """The doubt of an uncertain reading, from the response that its edits would get."""
    means = f"Do you mean that {_claimed(response)}?"
    if response.startswith(_NOTED):
        means = f"Shall I note of {response.removeprefix(_NOTED).rstrip('.')}?"
    text = f"I am not sure that I understood you. {means}"
    return Doubt("not_understood", text, "", suggestion)


def doubt_of_wish(edits: Sequence[Edit], objects: Sequence[MapObject], response: str) -> Doubt:
    """The doubt of edits that the words name, but neither state nor ask for."""
    names = joined([the(thing) for thing in objects])
    text = f"I am not sure that you want that changed: {names}."
    return Doubt("not_understood", text, _question(edits, response))


def order_of(edits: Sequence[Edit]) -> str:
    """A sentence that orders one edit of one object, which is written at once; empty for others."""
    match edits:
        case [Edit(kind="delete_object", object_ids=(one,))]:
            return f"delete object {one}"
        case [Edit(kind="rename", object_ids=(one,), value=label)]:
            return f"rename object {one} to {label}"
    return ""


def _claimed(response: str) -> str:
    """What a response claims: "the cup is blue" of "Now the cup is blue."."""
    claims = [claim.removeprefix("Now ") for claim in response.rstrip(".").split(". ")]
    gone = [claim.removeprefix(_FORGOT) for claim in claims]
    each = (
        one if one == claim else f"{one} is gone" for one, claim in zip(gone, claims, strict=True)
    )
    return " and that ".join(each)


def _question(edits: Sequence[Edit], response: str) -> str:
    """The question for edits that wait for a yes: "Rename it to stool?"."""
    it, its = ("it", "its") if len(edits) == 1 else ("them", "their")
    name_of_key = ATTRIBUTE_NOUNS.get(edits[0].key, edits[0].key)
    orders = {
        "rename": f"Rename {it} to {shown(edits[0].value)}?",
        "set_attribute": f"Set {its} {name_of_key} to {shown(edits[0].value)}?",
        "delete_object": f"Delete {it}?",
    }
    alike = {(edit.kind, edit.key, edit.value) for edit in edits}
    if len(alike) == 1 and edits[0].kind in orders:
        return orders[edits[0].kind]
    return f"Shall I note that {_claimed(response)}?"


def _edits_of(
    command: trees.OfOne, objects: Sequence[MapObject], at: Resolver, by: str
) -> tuple[list[Edit], str]:
    """Edits of a command for its objects, and a sentence that reports them."""
    match command:
        case trees.Rename(label=label):
            return _of_each(Edit("rename", (), value=label), objects)
        case trees.IsA(label=label):
            edits = _described_edits(command, objects, at)
            if any(edit.kind == "rename" for edit in edits):
                label = " ".join(word for word in label.split() if word not in lexicon.SIZES)
            return edits, _told(Edit("rename", (), value=label), objects)
        case trees.SetAttribute(key=key, value=value):
            value = by if (key, value) == ("owner", lexicon.SPEAKER) else value
            return _of_each(Edit("set_attribute", (), key, value), objects)
        case trees.DeleteObject():
            return _of_each(Edit("delete_object", ()), objects)
        case trees.Confirm(label=label):
            confirmed = _of_each(Edit("confirm", ()), objects)
            if not label or not at.is_named_otherwise(objects, label):
                return confirmed
            renamed, told = _of_each(Edit("rename", (), value=label), objects)
            return [*renamed, *confirmed[0]], told
        case trees.Split(count=count, noun=noun):
            if len(objects) > 1:
                rows = np.array([at.scene.row_of_id[thing.object_id] for thing in objects])
                raise at.ambiguous(command.subject, rows)
            check_several_of(objects[0], count, noun, at)
            return split(objects[0], count)
        case trees.AddRelation() | trees.DeleteRelation():
            return _related(command, objects, at)


def _described_edits(command: trees.IsA, objects: Sequence[MapObject], at: Resolver) -> list[Edit]:
    """Edits of "that is a red cup".

    An object that is called so already only gets the attributes. Others get a name and the
    attributes, unless these may be part of the name ("a paper bag"), or sizes, which are measured.
    """
    edits: list[Edit] = []
    for thing in objects:
        is_renamed = _is_name(command) or not _is_called(thing, command, at)
        if is_renamed:
            label = command.label if _is_name(command) or _tells_kind(command) else command.noun
            edits.append(Edit("rename", (thing.object_id,), value=label))
        if not edits or edits[-1].value != command.label:
            edits += [
                Edit("set_attribute", (thing.object_id,), key, value)
                for key, value in command.attributes
                if not (is_renamed and key == "size")
            ]
    return edits


def _is_called(thing: MapObject, command: trees.IsA, at: Resolver) -> bool:
    return not at.is_named_otherwise([thing], command.noun)


def _is_name(command: trees.IsA) -> bool:
    """Whether the whole label is a known name, such as "paper towel"."""
    return normal(command.label) in Thesaurus.load().known()


def _tells_kind(command: trees.IsA) -> bool:
    """Whether a material is given, which often is part of a name (a colour is not)."""
    return any(key == "material" for key, _ in command.attributes)


def _known_or_renamed(command: trees.IsAt, at: Resolver) -> trees.AddRelation | trees.Rename:
    """The relation of the one object of that name; without one, a renaming of the object there.

    Raises:
        ReasoningError: `not_found`: no object has the name, or may have it.
    """
    known = [o for o in at.scene.objects if not at.is_named_otherwise([o], command.noun)]
    place = next(iter(trees.parts_of(command.subject.conditions, trees.Related)), None)
    if known and place is not None and not command.is_missed:
        named = trees.NounPhrase(command.noun, definite=True)
        predicate = "near" if place.predicate == "between" else place.predicate
        return trees.AddRelation(named, predicate, place.anchors[0])
    there = _things_at(place, at)
    if len(there) == 1 and not command.is_missed:
        return trees.Rename(command.subject, command.noun)
    raise _not_seen(command.noun, known, there)


def _things_at(place: trees.Related | None, at: Resolver) -> tuple[MapObject, ...]:
    """What is at a place; nothing where that is not known."""
    there = trees.NounPhrase("", True, conditions=(place,)) if place else None
    with suppress(ReasoningError):
        found = at.existing(there).objects if there else ()
        return tuple(thing for thing in found if thing.object_id >= 0)
    return ()


def _unseen(command: trees.AddRelation, at: Resolver) -> ReasoningError | None:
    """The refusal to put a thing somewhere that nothing is called; None where something is."""
    noun = command.subject.noun if isinstance(command.subject, trees.NounPhrase) else ""
    if not noun or at.label_scores(noun).any():
        return None
    return _not_seen(noun, (), _things_at(trees.Related(command.predicate, (command.anchor,)), at))


def _not_seen(noun: str, known: Sequence[MapObject], there: Sequence[MapObject]) -> ReasoningError:
    """The refusal to add a thing, to be raised, with what may be meant.

    Args:
        known: things of its name. there: things that are where it is said to be.
    """
    one = shown(noun)
    text = "What I have not seen I cannot add: the camera has to see it."
    text = text if known else f"I know no {one}. {text}"
    if known:
        text += f" What I have called so: {candidates(known)}."
    elif there:
        text += f" What I have there: {candidates(there)}. If one of them is {with_article(one)},"
        text += f' say its number ("object {there[0].object_id} is {with_article(one)}").'
    return ReasoningError("not_found", text)


def _subject_of(command: trees.OfOne, at: Resolver) -> trees.Subject:
    """The subject; the cup in "it is a red cup", where nothing is marked."""
    if (
        isinstance(command, trees.IsA)
        and command.subject == trees.Marked()
        and not (at.has_marks or command.denied)
    ):
        return trees.NounPhrase(command.noun, definite=True)
    return command.subject


def _related(
    command: trees.AddRelation | trees.DeleteRelation, objects: Sequence[MapObject], at: Resolver
) -> tuple[list[Edit], str]:
    is_new = isinstance(command, trees.AddRelation)
    kind: EditKind = "add_relation" if is_new else "delete_relation"
    edits, told = [], []
    for thing in objects:
        other = _other(command.anchor, thing, at, denied="" if is_new else command.predicate)
        if other is thing:
            related = lexicon.spoken(command.predicate or "on")
            raise ReasoningError("invalid_request", f"{the(other)} cannot be {related} itself.")
        predicate = command.predicate or ("on" if _may_carry(other, thing) else "next to")
        predicates = [predicate]
        if not is_new and predicate == "on":  # what is not on the wall does not hang on it either
            rows = [at.scene.row_of_id[each.object_id] for each in (thing, other)]
            predicates += [
                name
                for name in ATTACHED
                for row, _ in at.scene.relations_of(rows[0], name)
                if row == rows[1]
            ]
        spoken = f"{'not ' * (not is_new)}{lexicon.spoken(predicate)}"
        told.append(f"{the(thing)} is {spoken} {the(other)}")
        edits += [Edit(kind, (thing.object_id, other.object_id), each) for each in predicates]
    return edits, f"Now {joined(told)}."


def _may_carry(carrier: MapObject, thing: MapObject) -> bool:
    """Whether there is room on a thing for another, as far as their widths tell."""
    return all(c > t for c, t in zip(carrier.box.size[:2], thing.box.size[:2], strict=True))


def _other(reference: trees.Reference, thing: MapObject, at: Resolver, *, denied: str) -> MapObject:
    """The anchor of a relation; of several walls, the nearest one; of several things of which one
    is denied, the one with which it holds, or the only one that is near."""
    rows = at.existing(reference).rows
    if denied:
        related = at.scene.relations_of(at.scene.row_of_id[thing.object_id], denied)
        held = np.intersect1d(rows, [row for row, _ in related])
        if len(held) == 1:
            return at.scene.objects[int(held[0])]
    gaps = at.scene.gaps_to_m(at.scene.row_of_id[thing.object_id])
    building = rows[~at.scene.is_object[rows]]
    if denied and np.count_nonzero(gaps[rows] <= _APART_M) == 1:
        building = rows
    if not len(building):
        return at.scene.objects[at.single(reference)]
    return at.scene.objects[building[np.argmin(gaps[building])]]


def _of_each(edit: Edit, objects: Sequence[MapObject]) -> tuple[list[Edit], str]:
    """The edit of each object, and a sentence that reports them."""
    return [replace(edit, object_ids=(o.object_id,)) for o in objects], _told(edit, objects)


def _told(edit: Edit, objects: Sequence[MapObject]) -> str:
    """What an edit has changed of several objects."""
    names, is_one = bounded([the(thing) for thing in objects]), len(objects) == 1
    verb = be(len(objects))
    match edit.kind:
        case "rename":
            return (
                f"Now {names} {verb} {with_article(edit.value) if is_one else plural(edit.value)}."
            )
        case "set_attribute" if not edit.value:
            return f"I forgot the {edit.key} of {names}."
        case "set_attribute" if edit.key == "owner":
            return f"Now {names} {'belongs' if is_one else 'belong'} to {edit.value}."
        case "set_attribute" if edit.key == "name":
            return f"Now {names} {verb} called {edit.value}."
        case "set_attribute" if edit.key == NOTE:
            return f"{_NOTED}{names}: {edit.value}."
        case "set_attribute":
            return f"Now {names} {verb} {edit.value}."
        case "delete_object":
            return f"{_FORGOT}{names}."
        case _:
            return f"Thank you: {names} {verb} certain now."


_KINDS = ("rename", "set_attribute", "delete_object", "confirm")
_DONE = {
    "rename": "the name of",
    "set_attribute": "an attribute of",
    "delete_object": "the deletion of",
    "confirm": "the confirmation of",
    "add_relation": "a relation of",
    "delete_relation": "a relation of",
    "merge": "the merging of",
    "split": "the splitting of",
}


def change_journal(
    memory: MemoryAccess, wanted: Undo | Redo, own_ids: Collection[int] = ()
) -> tuple[str, list[Correction]]:
    """Response, and the entries that were undone or redone, oldest first; all of a sentence or
    none.

    Args:
        own_ids: entries of this dialogue; "that" is one of them, if any of them qualifies.

    Raises:
        SceneMemoryError: there is nothing to undo or redo, no such correction, or another
            contradicts it.
    """
    is_undo = isinstance(wanted, Undo)
    act = memory.undo if is_undo else memory.redo
    if wanted.correction_id is not None:
        entries = act(wanted.correction_id)
    else:
        known = [entry for entry in memory.corrections() if entry.undone != is_undo]
        own = [entry for entry in known if entry.correction_id in own_ids]
        last = max(own, key=lambda e: (e.undone_ns, e.correction_id), default=None)
        together = (e for e in known if last is not None and e.as_one == last.as_one)
        entries = act(*(entry.correction_id for entry in together))
    if len(entries) == 1:
        named = f'orrection {entries[0].correction_id} ("{entries[0].reason}")'
        return f"I took back c{named}." if is_undo else f"C{named} stands again.", entries
    if is_undo:
        return f"I took back {_all_of(entries)}.", entries
    return f"I did {_all_of(entries)} again.", entries


def find_repeatable(memory: MemoryAccess) -> tuple[Edit, list[SimilarObject]]:
    """The newest correction, and similar objects for which it may hold, best first.

    Raises:
        ReasoningError: `not_found`: nothing was corrected, or not a single object.
        SceneMemoryError: its object has vanished.
    """
    standing = [entry for entry in memory.corrections() if not entry.undone]
    if not standing:
        raise ReasoningError("not_found", "There is no correction yet that could hold for others.")
    newest = standing[-1]
    if newest.edit.kind not in _KINDS:
        raise ReasoningError(
            "not_found",
            f'The newest correction ("{shown(newest.reason)}") is about these things only.',
        )
    edit = replace(newest.edit, object_ids=_corrected_with(newest, standing))
    return edit, memory.find_similar(edit)


def _corrected_with(newest: Correction, standing: Sequence[Correction]) -> tuple[int, ...]:
    """Objects of all entries that one sentence wrote, the newest entry's first."""
    same = replace(newest.edit, object_ids=())
    together = [
        entry.edit.object_ids
        for entry in reversed(standing)
        if entry.stamp_ns == newest.stamp_ns and replace(entry.edit, object_ids=()) == same
    ]
    return tuple(dict.fromkeys(i for ids in together for i in ids))


def _all_of(entries: Sequence[Correction]) -> str:
    """Several entries in words: "both corrections of "these are stools": 3 (the name of ...)"."""
    each = [
        f"{entry.correction_id} ({_DONE[entry.edit.kind]} object {entry.edit.object_ids[0]})"
        for entry in entries
    ]
    them = all_of(len(entries), "correction")
    return f'{them} of "{shown(entries[0].reason)}": {bounded(each)}'


# Parts of one thing have less air between them.
_APART_M = 0.5


def merged(
    command: trees.Merge, objects: Sequence[MapObject], at: Resolver
) -> tuple[list[Edit], str]:
    """The edit that makes several objects one, and a sentence that reports it.

    Raises:
        ReasoningError: `invalid_request`: they are called otherwise, or only one is meant.
    """
    ids = tuple(thing.object_id for thing in objects)
    if command.noun and all(at.is_named_otherwise([o], command.noun) for o in objects):
        numbers = joined([str(i) for i in ids])
        way_out = f' If they are one thing, say "merge objects {numbers}".' if len(ids) > 1 else ""
        raise ReasoningError(
            "invalid_request",
            f"What is meant ({joined([the(o) for o in objects])}) is not called"
            f' "{command.noun}", so I changed nothing.{way_out}',
        )
    if len(objects) < 2:
        one = joined([the(o) for o in objects])
        raise ReasoningError(
            "invalid_request",
            f"Only {one} is meant: mark all that are the same, or say their numbers.",
        )
    first, *others = objects
    text = f"Now {joined([the(o) for o in others])} {be(len(others))} part of {the(first)}."
    return [Edit("merge", ids)], text


def is_order_by_numbers(command: trees.Merge) -> bool:
    """Whether the things are numbered, and nothing else is said of them."""
    is_bare = (isinstance(one, trees.ObjectNumber) and not one.noun for one in command.subjects)
    return not command.noun and all(is_bare)


def far_apart(objects: Sequence[MapObject], at: Resolver) -> str:
    """Which of the objects stands far from all others; empty where none does."""
    rows = [at.scene.row_of_id[thing.object_id] for thing in objects]
    for row in rows:
        others = [other for other in rows if other != row]
        gaps = at.scene.gaps_to_m(row)[others]
        if gaps.size and gaps.min() > _APART_M:
            nearest = at.scene.objects[others[int(np.argmin(gaps))]]
            names = f"{the(at.scene.objects[row])} and {the(nearest)}"
            return sentence(f"{names} are {metres(float(gaps.min()))} apart")
    return ""


def check_several_of(thing: MapObject, count: int, noun: str, at: Resolver) -> None:
    """Check that the parts are of the object's kind: "2 years" are no desks.

    Raises:
        ReasoningError: `invalid_request`: it has another name.
    """
    if noun and at.is_named_otherwise([thing], noun):
        raise ReasoningError(
            "invalid_request",
            f'{sentence(the(thing))[:-1]} is not called "{noun}", so I changed nothing. If it is'
            f' several things, say "split object {thing.object_id} in {number_word(count)}".',
        )


def split(thing: MapObject, count: int) -> tuple[list[Edit], str]:
    """The edit that makes one object several, and a sentence that reports it.

    Raises:
        ReasoningError: `invalid_request`: nothing is seen that parts it.
    """
    if not len(thing.points):
        raise ReasoningError(
            "invalid_request",
            f"The surface of {the(thing)} is not known here: split it where it was mapped.",
        )
    places = find_split_places(thing.points, count)
    if places is None:
        raise ReasoningError(
            "invalid_request",
            f"I see no gap in {the(thing)} that parts it in {number_word(count)}, so I leave it"
            " whole: look at it from more sides, or split it by a place in each part (the edit"
            " `split`).",
        )
    text = f"Now {the(thing)} is {number_word(count)} things, parted where there is a gap."
    return [Edit("split", (thing.object_id,), places=tuple(places))], text
