"""A simulated person: how they say what is wrong, in words of `person.yaml`."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Literal, get_args

from scenemind.evaluation.alignment.draft import said, wordings
from scenemind.evaluation.alignment.tasks import AlignmentTask, Objects, PlantedError

Wording = Literal["first", "more", "development", "fresh"]
WORDINGS: tuple[Wording, ...] = get_args(Wording)
_WORDINGS: Mapping[Wording, str] = {
    "first": "person.yaml",
    "more": "person_more.yaml",
    "development": "person_development.yaml",
    "fresh": "person_fresh.yaml",
}
# Who may click does so about every second time; else they describe what they mean.
_CLICKS = 0.5


@dataclass(frozen=True, slots=True)
class Utterance:
    """
    Attributes:
        marked: ids of the objects that were clicked.
    """

    text: str
    marked: tuple[int, ...] = ()


class Person:
    """Who has one task, and sees what the robot shows: names, colours, boxes and numbers."""

    def __init__(
        self,
        task: AlignmentTask,
        rng: random.Random,
        may_click: bool = True,
        wording: Wording = "first",
    ) -> None:
        """
        Args:
            may_click: False: in words alone, as in the paper's figure 5c.
            wording: which set of wordings they correct in.
        """
        self._task = task
        self._rng = rng
        self._may_click = may_click
        self._ways = _WORDINGS[wording]
        self._said: set[str] = set()

    def correction(
        self, error: PlantedError, shown: Objects, answered: Collection[int]
    ) -> Utterance:
        """What is wrong, in words that were not used before where there are others.

        Args:
            shown: what the robot has now.
            answered: ids of what its last reply spoke of.
        """
        ways = wordings(self._ways)["corrections"][error.kind]
        in_words = [
            wording
            for way in ("words", "answered", "on")
            if self._can_say(way, error, shown, answered)
            for wording in ways.get(way, ())
        ]
        before = any(wording in self._said for wording in (*in_words, *ways["click"]))
        wants_click = before or self._rng.random() < _CLICKS or not in_words
        clicks = self._may_click and wants_click
        usable = list(self._usable(ways["click"] if clicks else in_words or ways["words"], error))
        fresh = [wording for wording in usable if wording not in self._said]
        wording = self._rng.choice(fresh or usable)
        self._said.add(wording)
        ids = (error.object_id,) if error.second_id is None or error.kind == "joined" else (
            error.object_id, error.second_id)  # fmt: skip
        return Utterance(said(wording, **self._words(error)), ids if clicks else ())

    def _can_say(
        self, way: str, error: PlantedError, shown: Objects, answered: Collection[int]
    ) -> bool:
        if way == "answered":
            return set(answered) == {error.object_id}
        if way == "on":
            return error.anchor_id is not None and self._is_as_seen(error.anchor_id, shown)
        if error.kind in ("twice", "joined", "ghost"):
            return True
        name = error.wrong if error.kind == "label" else error.noun
        return sum(thing.label == name for thing in shown.values()) == 1

    def _is_as_seen(self, object_id: int, shown: Objects) -> bool:
        true = self._task.true.get(object_id)
        same = [o.object_id for o in shown.values() if true is not None and o.label == true.label]
        return same == [object_id]

    def _usable(self, wordings_: Collection[str], error: PlantedError) -> Iterator[str]:
        """Those for which all that they name is known."""
        known = self._words(error)
        for wording in wordings_:
            names = {name for _, name, _, _ in Formatter().parse(wording) if name}
            if all(known.get(name.removeprefix("a_")) for name in names - {"nouns"}):
                yield wording

    def _words(self, error: PlantedError) -> dict[str, str]:
        true = self._task.true
        thing = true.get(error.object_id)
        anchor = true.get(error.anchor_id) if error.anchor_id is not None else None
        return {
            "noun": error.noun,
            "wrong": error.wrong,
            "value": error.value,
            "anchor": anchor.label if anchor else "",
            "color": thing.attributes.get("color", "") if thing else "",
            "number": str(error.object_id),
            "second": "" if error.second_id is None else str(error.second_id),
        }

    def taking_back(self) -> Utterance:
        """ "No, undo that"."""
        return Utterance(self._rng.choice(wordings(self._ways)["undo"]))
