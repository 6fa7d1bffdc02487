"""The form in which a language model picks locations, what can be wrong with it, and mending."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel, ConfigDict

from scenemind.reasoning.memtree_qa.shown_tree import ShownLocation, ShownTree
from scenemind.reasoning.object_words import ObjectWords, Word
from scenemind.words.quoting import quoted

_NAMED_MISTAKES = 5


class ChosenLocation(BaseModel):
    """Objects by id; labels are understood as well, since models often give them."""

    model_config = ConfigDict(extra="forbid")

    location: int
    key_objects: list[int | str]
    cue_objects: list[int | str]


class LocationChoice(BaseModel):
    """The paper's answer (appendix, Fig. 9): reasoning first, then locations with their objects."""

    model_config = ConfigDict(extra="forbid")

    think: str
    locations: list[ChosenLocation]


@dataclass(frozen=True, slots=True)
class Pick:
    """A location of the tree, and which of its objects a frame should show."""

    location_id: int
    keys: tuple[int, ...] = ()
    cues: tuple[int, ...] = ()


class ChoiceReader:
    """Reads choices from one tree."""

    def __init__(self, tree: ShownTree, words: ObjectWords, count: int) -> None:
        """
        Args:
            count: locations to pick; all where there are fewer.
        """
        self._tree = tree
        self._words = words
        self.count = min(count, len(tree))
        self.wanted = "1 location" if self.count == 1 else f"{self.count} different locations"

    def complaint(self, choice: LocationChoice) -> str | None:
        """What is wrong with a choice, for the model; None: nothing."""
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
        """The choice without what is unknown, double or too much."""
        known = {
            place.location: place
            for place in reversed(choice.locations)
            if place.location in self._tree
        }
        first_to_last = [p.location for p in choice.locations if p.location in known]
        places = [known[i] for i in dict.fromkeys(first_to_last)][: self.count]
        return [self._pick(place) for place in places]

    def filled_up(self, picks: Sequence[Pick]) -> list[Pick]:
        """With as many as were asked for: next come locations that list most of the key objects,
        then of the cue objects, then of anything; of equals the newer ones."""
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
        """Ids that the model was shown: the map may be a moment older than the tree."""
        return {object_id for there in self._tree.values() for object_id in there.object_ids}


def _pick_of(location_id: int, there: ShownLocation, keys: set[int], cues: set[int]) -> Pick:
    seen = there.object_ids
    return Pick(location_id, tuple(sorted(keys & seen)), tuple(sorted((cues - keys) & seen)))


def _some(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _NAMED_MISTAKES else ""
    return ", ".join(names[:_NAMED_MISTAKES]) + more


def _shown(word: Word) -> str:
    return str(word) if isinstance(word, int) else quoted(word)
