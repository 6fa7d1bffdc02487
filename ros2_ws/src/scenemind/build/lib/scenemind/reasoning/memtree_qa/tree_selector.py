"""Frame selection by the memory tree (MemTree3D, sections 3.2 and 3.3)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel, ConfigDict

from scenemind.language.english import normal
from scenemind.language.quoting import quoted, tame
from scenemind.memory import KeyFrame, MapObject, MemoryAccess, MemorySnapshot, TreeJson
from scenemind.memory.finding.reference import mentioned_labels
from scenemind.memory.tree.tree_json import Detail
from scenemind.models import BadFormError, ChatMessage, ChatModel
from scenemind.reasoning.frame_choice import FrameChooser, Wanted
from scenemind.reasoning.memtree_qa.frame_notes import (
    LONGEST_SAID,
    circumstances,
    named,
    object_table,
)
from scenemind.reasoning.method import Asking
from scenemind.reasoning.method_cases import asks_for
from scenemind.reasoning.prompts import (
    ObjectWords,
    Word,
    ask_form,
    fill_prompt,
    label_name,
    read_prompt,
)
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.stored_frames import Looked, Selection

_PROMPTS = "scenemind.reasoning.memtree_qa"
_LONGEST_REASONING = 2000
_NAMED_MISTAKES = 5
# What is known of objects takes at most this share of the tree's tokens, or so many.
_TABLE_SHARE, _SMALL_TABLE = 0.25, 150
_NO_IMAGE = "No image is stored of any location that was mapped."


class TreeSelector:
    """A `FrameSelector`, and one that `LooksElsewhere`: MemTree3D's key frame selection.

    Differences from the paper: objects are named by id, so that a label may occur many times; no
    model is asked where there is no choice; a malformed choice is asked for again, and filled up
    where it is still short; and where the locations do not fill `count` frames, further views do
    (`FrameChooser`). A question that counts things that were detected gets frames of all of them.

    The constant parts come first in the prompt: the task, then the tree, whose text only grows at
    its end, and the question last, for providers that cache prompts.
    """

    name = "tree"

    def __init__(self, model: ChatModel, tree_tokens: int = 8000) -> None:
        """
        Args:
            model: the LLM.
            tree_tokens: longest text of the tree and of what is known of its objects; see
                `MemoryAccess.tree_json`.
        """
        self._model = model
        self._tree_tokens = tree_tokens

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """See `FrameSelector`; `count` is the paper's k."""
        return self.select_elsewhere(query, memory, count, asking, Looked())

    def select_elsewhere(
        self, query: Query, memory: MemoryAccess, count: int, asking: Asking, looked: Looked
    ) -> Selection:
        """See `LooksElsewhere`."""
        asking = asking.with_new_progress()
        progress = asking.progress
        progress.report("select")
        tree, snapshot = memory.tree_json(self._tree_tokens), memory.snapshot()
        locations = read_tree(tree)
        if not locations:
            raise ReasoningError(
                "empty_memory",
                "The memory's tree lists no location yet: start mapping, or load a saved memory.",
            )
        chooser = FrameChooser(memory, looked.frame_numbers)
        asked = _asked_for(query, snapshot, memory.frame_index().labels)
        thought, picks = "", list[Pick]()
        is_count = bool(asked.keys) and asks_for("counts", query.text)
        if is_count:
            chooser.cover(asked, count)
            progress.note(
                f"{len(chooser.frames)} frames show all that was detected of what it counts"
            )
        if not chooser.frames:
            unseen = chooser.unseen_locations
            left = {i: there for i, there in locations.items() if i in unseen}
            if len(left) > count:
                thought, picks = self._choose(
                    query, tree, snapshot, left, asked, count, looked, asking
                )
            else:
                progress.note("no choice: a picture of every location, and further views")
                picks = [Pick(i, asked.keys, asked.cues) for i in left]
            progress.note(*_picked(picks, snapshot.objects))
        wanted = _all_wanted(picks) if any(pick.keys for pick in picks) else asked

        # Scoring-based frame selection (section 3.3): of each location the frame with the highest
        # Score(f). Where the tree lists each object only at the first location that saw it, a pick
        # means its objects, wherever they are seen best.
        is_once = tree.detail >= Detail.OBJECTS_ONCE
        for pick in picks:
            is_anywhere = is_once and locations[pick.location_id].object_ids.intersection(pick.keys)
            own = Wanted(pick.keys, pick.cues) if pick.keys or pick.cues else wanted
            chooser.take(own, None if is_anywhere else pick.location_id)
        if not is_count:
            chooser.fill(wanted, count)
        frames = chooser.chosen(wanted)
        if not frames:
            why = "All that is stored was looked at." if looked.frames else _NO_IMAGE
            raise ReasoningError("empty_memory", why)
        progress.note(
            *(
                f"frame {frame.frame_number} of location {frame.location_id},"
                f" score {frame.score:.2f}"
                for frame in frames
            )
        )
        keys = dict.fromkeys(i for i in wanted.keys if isinstance(i, int))
        cues = dict.fromkeys(i for i in wanted.cues if isinstance(i, int) and i not in keys)
        return Selection(
            frames,
            thought,
            tuple(progress.steps),
            _in_view(keys, frames),
            _in_view(cues, frames),
        )

    def _choose(
        self,
        query: Query,
        tree: TreeJson,
        snapshot: MemorySnapshot,
        locations: ShownTree,
        asked: Wanted,
        count: int,
        looked: Looked,
        asking: Asking,
    ) -> tuple[str, list[Pick]]:
        """LLM querying for location selection (section 3.2): from the tree's locations and objects
        as JSON, the k locations that the LLM picks, and the key and cue objects of each.

        Args:
            locations: to choose from.

        Returns:
            What the model thought, and its picks.

        Raises:
            ModelError: the model failed, or its second reply is of no use as well.
        """
        progress = asking.progress
        progress.note(_summary(tree))
        labels = {label for location in locations.values() for label in location.ids_of}
        reader = ChoiceReader(locations, ObjectWords(snapshot.objects, labels), count)
        room = max(_SMALL_TABLE, round(_TABLE_SHARE * tree.tokens))
        room = min(self._tree_tokens - tree.tokens, room)
        table = object_table(snapshot.objects.values(), asked.object_ids, room)
        messages = _messages(query, tree, snapshot, table, reader.wanted, looked, locations)
        choice = self._ask(messages, reader, asking)
        picks = reader.picks(choice)
        if len(picks) < reader.count:
            picks = reader.filled_up(picks)
            progress.note(f"filled up to {len(picks)} locations by what they list")
        return tame(choice.think, _LONGEST_REASONING), picks

    def _ask(
        self, messages: Sequence[ChatMessage], reader: ChoiceReader, asking: Asking
    ) -> LocationChoice:
        """
        Raises:
            ModelError: the model failed, or its second reply is of no use as well.
        """
        try:
            return ask_form(
                self._model, messages, LocationChoice, asking, "select", reader.complaint
            )
        except BadFormError as error:
            if not isinstance(error.form, LocationChoice):
                raise
            asking.progress.note(
                f"took what is right of the second reply: {reader.complaint(error.form)}"
            )
            return error.form


def _messages(
    query: Query,
    tree: TreeJson,
    snapshot: MemorySnapshot,
    table: str,
    wanted: str,
    looked: Looked,
    left: Collection[int],
) -> list[ChatMessage]:
    """Args: left: ids of the locations to choose from."""
    question = fill_prompt(
        _PROMPTS,
        "choose_locations_question",
        reading=tree.reading,
        tree=tree.text.rstrip(),
        objects=table,
        circumstances=circumstances(query, snapshot),
        question=quoted(query.text, LONGEST_SAID),
        looked=_looked_at(looked, left),
        wanted=wanted,
    )
    return [
        ChatMessage("system", read_prompt(_PROMPTS, "choose_locations")),
        ChatMessage("user", question),
    ]


def _looked_at(looked: Looked, left: Collection[int]) -> str:
    if not looked.frames:
        return ""
    said = quoted(looked.thought, LONGEST_SAID)
    gone, again = _ids(looked.location_ids), _ids(looked.location_ids.intersection(left))
    return (
        f"Pictures of locations {gone} were looked at and do not show it: {said} Of these there are"
        f" other views of {again or 'none'}.\n"
    )


def _ids(location_ids: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(location_ids)))


def _asked_for(query: Query, snapshot: MemorySnapshot, detected: Sequence[str]) -> Wanted:
    """What the question itself names or points at: objects, and labels that were detected."""
    things = sorted(snapshot.objects.values(), key=lambda thing: -thing.confidence)
    labels = {thing.label for thing in things} | {*detected}
    named = mentioned_labels(labels, query.text)

    def words(said: Collection[str]) -> Iterator[Word]:
        yield from (thing.object_id for thing in things if thing.label in said)
        yield from sorted(map(label_name, said))

    marked = (i for i in query.marked_object_ids if i in snapshot.objects)
    keys = tuple(dict.fromkeys((*marked, *words(named.subjects))))
    return Wanted(keys, tuple(word for word in words(named.others) if word not in keys))


def _all_wanted(picks: Sequence[Pick]) -> Wanted:
    keys = dict.fromkeys(word for pick in picks for word in pick.keys)
    cues = dict.fromkeys(word for pick in picks for word in pick.cues if word not in keys)
    return Wanted(tuple(keys), tuple(cues))


def _summary(tree: TreeJson) -> str:
    left_out = f"; {tree.locations_left_out} are left out" if tree.locations_left_out else ""
    return (
        f"told the model of {tree.locations_shown} locations with {tree.objects_shown} objects"
        f" (about {tree.tokens} tokens{left_out})"
    )


def _picked(picks: Sequence[Pick], objects: Mapping[int, MapObject]) -> Iterator[str]:
    for pick in picks:
        of = {"key": pick.keys, "cue": pick.cues}
        said = [f"{k} {', '.join(_named(w, objects) for w in ws)}" for k, ws in of.items() if ws]
        yield f"location {pick.location_id}: {'; '.join(said) or 'no objects'}"


def _named(word: Word, objects: Mapping[int, MapObject]) -> str:
    return quoted(word) if isinstance(word, str) else named(objects[word])


def _in_view(object_ids: Iterable[int], frames: Sequence[KeyFrame]) -> tuple[int, ...]:
    """The objects that a frame shows, since a label may mean many; all where none is shown."""
    seen = {i for frame in frames for i in frame.boxes_px}
    return tuple(i for i in object_ids if i in seen) or tuple(object_ids)


class ChosenLocation(BaseModel):
    """A location with objects by id; labels are accepted as well, since models often give them."""

    model_config = ConfigDict(extra="forbid")

    location: int
    key_objects: list[int | str]
    cue_objects: list[int | str]


class LocationChoice(BaseModel):
    """The form of the LLM's reply (Fig. 9): reasoning first, then locations with their objects."""

    model_config = ConfigDict(extra="forbid")

    think: str
    locations: list[ChosenLocation]


@dataclass(frozen=True, slots=True)
class Pick:
    """A picked location, with the key and cue objects that its frame should show, as `Wanted`."""

    location_id: int
    keys: tuple[Word, ...] = ()
    cues: tuple[Word, ...] = ()


class ChoiceReader:
    """Validates and repairs the choices of a model that was shown a tree."""

    def __init__(self, tree: ShownTree, words: ObjectWords, count: int) -> None:
        """
        Args:
            count: locations to pick; all of the tree where it has fewer.
        """
        self._tree = tree
        self._words = words
        self.count = min(count, len(tree))
        self.wanted = "1 location" if self.count == 1 else f"{self.count} different locations"

    def complaint(self, choice: LocationChoice) -> str | None:
        """The mistakes in a choice, for the model; None where there are none."""
        chosen = [place.location for place in choice.locations]
        mistakes = []
        if unknown := [str(i) for i in dict.fromkeys(chosen) if i not in self._tree]:
            mistakes.append(f"there is no location {_some(unknown)}")
        if unknown := [_shown(word) for word in self._unknown_words(choice)]:
            mistakes.append(f"there is no object {_some(unknown)}")
        if len(set(chosen)) != len(chosen) or len(chosen) != self.count:
            mistakes.append(f"choose exactly {self.wanted} of the list")
        return "; ".join(mistakes) or None

    def picks(self, choice: LocationChoice) -> list[Pick]:
        """The choice without unknown, repeated and surplus locations and objects."""
        known = {
            place.location: place
            for place in reversed(choice.locations)
            if place.location in self._tree
        }
        first_to_last = [p.location for p in choice.locations if p.location in known]
        places = [known[i] for i in dict.fromkeys(first_to_last)][: self.count]
        return [self._pick(place) for place in places]

    def filled_up(self, picks: Sequence[Pick]) -> list[Pick]:
        """The picks and further locations, as many as were asked for: first those that list most
        key objects, then most cue objects, then most objects; of equals the newer ones."""
        wanted = _all_wanted(picks)

        def worth(location_id: int) -> tuple[int, int, int, int]:
            there = self._tree[location_id]
            keys, cues = (sum(map(there.lists, words)) for words in (wanted.keys, wanted.cues))
            return keys, cues, there.size, location_id

        others = self._tree.keys() - {pick.location_id for pick in picks}
        best = sorted(others, key=worth, reverse=True)[: self.count - len(picks)]
        return [*picks, *(_pick_of(i, self._tree[i], wanted) for i in best)]

    def _pick(self, place: ChosenLocation) -> Pick:
        keys = self._words_of(place.key_objects, place.location)
        cues = self._words_of(place.cue_objects, place.location)
        return Pick(place.location, keys, tuple(word for word in cues if word not in keys))

    def _words_of(self, words: Iterable[Word], location_id: int) -> tuple[Word, ...]:
        """Ids of the objects that words mean, and the labels that this location only counts."""
        here = self._tree[location_id]
        found: list[Word] = []
        for word in words:
            found += self._words.find(word, here.object_ids) or ()
            label = self._words.find_label(word)
            if label is not None and label in here.counted:
                found.append(label)
        return tuple(dict.fromkeys(found))

    def _unknown_words(self, choice: LocationChoice) -> Iterator[Word]:
        words = dict.fromkeys(
            word for p in choice.locations for word in (*p.key_objects, *p.cue_objects)
        )
        return (w for w in words if self._words.find(w) is None and w not in self._listed)

    @cached_property
    def _listed(self) -> set[Word]:
        """Ids that the model was shown; the tree may be a moment newer than the map."""
        return {object_id for there in self._tree.values() for object_id in there.object_ids}


def _pick_of(location_id: int, there: ShownLocation, wanted: Wanted) -> Pick:
    keys, cues = (tuple(filter(there.lists, words)) for words in (wanted.keys, wanted.cues))
    return Pick(location_id, keys, cues)


def _some(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _NAMED_MISTAKES else ""
    return ", ".join(names[:_NAMED_MISTAKES]) + more


def _shown(word: Word) -> str:
    return str(word) if isinstance(word, int) else quoted(word)


@dataclass(frozen=True, slots=True)
class ShownLocation:
    """A location as a line of the tree's JSON lists it.

    Attributes:
        ids_of: label, in its normal form -> ids of objects; empty where they are only counted.
        size: number of listed objects, those that are only counted included.
        counted: labels of which some or all are only counted.
    """

    ids_of: Mapping[str, tuple[int, ...]]
    size: int
    counted: frozenset[str] = frozenset()

    @property
    def object_ids(self) -> set[int]:
        return {object_id for ids in self.ids_of.values() for object_id in ids}

    def lists(self, word: Word) -> bool:
        """It names this object, or counts things of this label."""
        return word in self.object_ids or word in self.counted


ShownTree = Mapping[int, ShownLocation]
"""Location id -> its line, oldest first."""


def read_tree(tree: TreeJson) -> ShownTree:
    """The locations that a tree's JSON lists, as the model was shown them."""
    values = map(json.loads, tree.text.splitlines())
    return {value["id"]: _location(value.get("sees", {})) for value in values}


def _location(sees: Mapping[str, int | list[int | str]]) -> ShownLocation:
    ids_of = {
        normal(label): tuple(i for i in seen if isinstance(i, int))
        if isinstance(seen, list)
        else ()
        for label, seen in sees.items()
    }
    counted = {
        normal(label)
        for label, seen in sees.items()
        if isinstance(seen, int) or not all(isinstance(item, int) for item in seen)
    }
    return ShownLocation(ids_of, sum(map(_count, sees.values())), frozenset(counted))


def _count(seen: int | list[int | str]) -> int:
    """The number of objects in `2`, `[3, 11]` or `[5, "+9"]`."""
    if isinstance(seen, int):
        return seen
    return sum(1 if isinstance(item, int) else int(item) for item in seen)
