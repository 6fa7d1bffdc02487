"""Frame selection by the memory tree (MemTree3D, sections 3.2 and 3.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel, ConfigDict

from scenemind.language.english import normal
from scenemind.language.quoting import quoted, tame
from scenemind.memory import KeyFrame, MapObject, MemoryAccess, TreeJson
from scenemind.memory.tree.tree_json import Detail
from scenemind.models import BadFormError, ChatMessage, ChatModel
from scenemind.reasoning.memtree_qa.frame_notes import LONGEST_SAID, circumstances, named
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import ObjectWords, Word, ask_form, fill_prompt, read_prompt
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.stored_frames import Selection

_PROMPTS = "scenemind.reasoning.memtree_qa"
_LONGEST_REASONING = 2000
_NAMED_MISTAKES = 5


class TreeSelector:
    """A `FrameSelector`: MemTree3D's key frame selection.

    Differences from the paper: objects are named by id, so that a label may occur many times; a
    malformed choice is asked for again, and filled up where it is still short; and a location
    without a stored image is replaced by another one.

    The constant parts come first in the prompt: the task, then the tree, whose text only grows at
    its end, and the question last, for providers that cache prompts.
    """

    name = "tree"

    def __init__(self, model: ChatModel, tree_tokens: int = 8000) -> None:
        """
        Args:
            model: the LLM.
            tree_tokens: longest text of the tree; see `MemoryAccess.tree_json`.
        """
        self._model = model
        self._tree_tokens = tree_tokens

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """See `FrameSelector`; `count` is the paper's k."""
        asking = asking.with_new_progress()
        progress = asking.progress
        progress.report("select")
        # LLM querying for location selection (section 3.2): the tree's locations and objects as
        # JSON, the k locations that the LLM picks, and the key and cue objects of each.
        tree, snapshot = memory.tree_json(self._tree_tokens), memory.snapshot()
        locations = read_tree(tree)
        if not locations:
            raise ReasoningError(
                "empty_memory",
                "The memory's tree lists no location yet: start mapping, or load a saved memory.",
            )
        progress.note(_summary(tree))
        labels = {label for location in locations.values() for label in location.ids_of}
        reader = ChoiceReader(locations, ObjectWords(snapshot.objects, labels), count)
        messages = _messages(tree, circumstances(query, snapshot), query, reader.wanted)
        choice = self._ask(messages, reader, asking)
        picks = reader.picks(choice)
        if len(picks) < reader.count:
            picks = reader.filled_up(picks)
            progress.note(f"filled up to {len(picks)} locations by what they list")
        progress.note(*_picked(picks, snapshot.objects))

        # Scoring-based frame selection (section 3.3): of each location the frame with the highest
        # Score(f), which `Memory.select_key_frames` computes.
        objects_once = tree.detail >= Detail.OBJECTS_ONCE
        frames = picked_frames(memory, picks, locations, count, objects_once)
        if not frames:
            raise ReasoningError(
                "empty_memory", "No image is stored of any location that was mapped."
            )
        progress.note(
            *(
                f"frame {frame.frame_number} of location {frame.location_id},"
                f" score {frame.score:.2f}"
                for frame in frames
            )
        )
        keys = dict.fromkeys(i for pick in picks for i in pick.keys)
        cues = dict.fromkeys(i for pick in picks for i in pick.cues if i not in keys)
        return Selection(
            tuple(frames),
            tame(choice.think, _LONGEST_REASONING),
            tuple(progress.steps),
            _in_view(keys, frames),
            _in_view(cues, frames),
        )

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


def _messages(tree: TreeJson, about: str, query: Query, wanted: str) -> list[ChatMessage]:
    question = fill_prompt(
        _PROMPTS,
        "choose_locations_question",
        reading=tree.reading,
        tree=tree.text.rstrip(),
        circumstances=about,
        question=quoted(query.text, LONGEST_SAID),
        wanted=wanted,
    )
    return [
        ChatMessage("system", read_prompt(_PROMPTS, "choose_locations")),
        ChatMessage("user", question),
    ]


def _summary(tree: TreeJson) -> str:
    left_out = f"; {tree.locations_left_out} are left out" if tree.locations_left_out else ""
    return (
        f"told the model of {tree.locations_shown} locations with {tree.objects_shown} objects"
        f" (about {tree.tokens} tokens{left_out})"
    )


def _picked(picks: Sequence[Pick], objects: Mapping[int, MapObject]) -> Iterator[str]:
    for pick in picks:
        of = {"key": pick.keys, "cue": pick.cues}
        said = [f"{k} {', '.join(named(objects[i]) for i in ids)}" for k, ids in of.items() if ids]
        yield f"location {pick.location_id}: {'; '.join(said) or 'no objects'}"


def _in_view(object_ids: Iterable[int], frames: Sequence[KeyFrame]) -> tuple[int, ...]:
    """The objects that a frame shows, since a label may mean many; all where none is shown."""
    seen = {i for frame in frames for i in frame.boxes_px}
    return tuple(i for i in object_ids if i in seen) or tuple(object_ids)


def picked_frames(
    memory: MemoryAccess,
    picks: Sequence[Pick],
    locations: ShownTree,
    count: int,
    objects_once: bool,
) -> list[KeyFrame]:
    """The best frame of each picked location, best first (section 3.3). A pick without a stored
    image is replaced by the frame of another location that shows the picked objects best.

    Args:
        locations: all locations that the model was shown.
        count: most frames.
        objects_once: the tree listed each object only at the first location that saw it, so that
            a pick means its objects, wherever they are seen best.
    """
    found: dict[int, KeyFrame] = {}
    for pick in picks:
        listed = locations[pick.location_id].object_ids.intersection(pick.keys)
        there = None if objects_once and listed else [pick.location_id]
        # The best frames may be at locations that other picks have taken.
        frames = memory.select_key_frames(pick.keys, pick.cues, len(found) + 1, there)
        frame = next((frame for frame in frames if frame.location_id not in found), None)
        if frame is not None:
            found[frame.location_id] = frame
    missing = min(count, len(locations)) - len(found)
    if missing > 0:
        keys, cues = [i for p in picks for i in p.keys], [i for p in picks for i in p.cues]
        others = [i for i in locations if i not in {*found, *(p.location_id for p in picks)}]
        more = memory.select_key_frames(keys, cues, missing, others)
        found.update((frame.location_id, frame) for frame in more)
    return sorted(found.values(), key=lambda frame: -frame.score)


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
    """A picked location, with the key and cue objects (ids) that its frame should show."""

    location_id: int
    keys: tuple[int, ...] = ()
    cues: tuple[int, ...] = ()


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
        keys = {i for pick in picks for i in pick.keys}
        cues = {i for pick in picks for i in pick.cues}

        def worth(location_id: int) -> tuple[int, int, int, int]:
            there = self._tree[location_id]
            seen = there.object_ids
            return len(keys & seen), len(cues & seen), there.size, location_id

        others = self._tree.keys() - {pick.location_id for pick in picks}
        best = sorted(others, key=worth, reverse=True)[: self.count - len(picks)]
        return [*picks, *(_pick_of(i, self._tree[i], keys, cues) for i in best)]

    def _pick(self, place: ChosenLocation) -> Pick:
        keys = self._ids(place.key_objects, place.location)
        cues = self._ids(place.cue_objects, place.location)
        return Pick(place.location, keys, tuple(i for i in cues if i not in keys))

    def _ids(self, words: Iterable[Word], location_id: int) -> tuple[int, ...]:
        here = self._tree[location_id].object_ids
        return tuple(dict.fromkeys(i for w in words for i in self._words.find(w, here) or ()))

    def _unknown_words(self, choice: LocationChoice) -> Iterator[Word]:
        words = dict.fromkeys(
            word for p in choice.locations for word in (*p.key_objects, *p.cue_objects)
        )
        return (w for w in words if self._words.find(w) is None and w not in self._listed)

    @cached_property
    def _listed(self) -> set[Word]:
        """Ids that the model was shown; the tree may be a moment newer than the map."""
        return {object_id for there in self._tree.values() for object_id in there.object_ids}


def _pick_of(location_id: int, there: ShownLocation, keys: set[int], cues: set[int]) -> Pick:
    seen = there.object_ids
    return Pick(location_id, tuple(sorted(keys & seen)), tuple(sorted((cues - keys) & seen)))


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
    """

    ids_of: Mapping[str, tuple[int, ...]]
    size: int

    @property
    def object_ids(self) -> set[int]:
        return {object_id for ids in self.ids_of.values() for object_id in ids}


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
    return ShownLocation(ids_of, sum(map(_count, sees.values())))


def _count(seen: int | list[int | str]) -> int:
    """The number of objects in `2`, `[3, 11]` or `[5, "+9"]`."""
    if isinstance(seen, int):
        return seen
    return sum(1 if isinstance(item, int) else int(item) for item in seen)
