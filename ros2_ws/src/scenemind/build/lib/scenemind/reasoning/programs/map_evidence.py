"""How complete the map is: what the stored frames show, against what is mapped.

A program counts objects of the map, and a map misses things, merges neighbours, and holds some
twice. Frames tell: a detection that belongs to no object, and things of one kind side by side in a
single picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scenemind.language.english import normal
from scenemind.language.quoting import quoted, tame
from scenemind.language.vocabulary import Thesaurus
from scenemind.memory import FrameIndex, MemorySnapshot
from scenemind.memory.tree.tree_json import estimate_tokens
from scenemind.reasoning.frame_choice import Wanted
from scenemind.reasoning.prompts import label_name

BoxPx = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels."""
# Detections below it are mostly of something else.
_LEAST_SCORE = 0.25
# In one frame, a box without an object is of a thing that has one where it is covered so far by
# that one's box; two boxes of one object are of two things where they hardly touch, and the object
# is perhaps several things where that is so in two frames.
_ONE_THING, _APART, _APART_FRAMES = 0.6, 0.1, 2
# Tokens of the report on the whole map, and of the list of what is not mapped in it.
_MOST_TOKENS, _MOST_LISTED = 140, 65
_MOST_PLACES = 16  # of one category


@dataclass(frozen=True, slots=True)
class KindEvidence:
    """What the map and the stored frames hold of some categories together.

    Attributes:
        name: the categories, quoted.
        mapped: objects of the map.
        in_one_frame: the largest number of things in a single frame.
        unmapped: detections that belong to no object, in all frames.
        merged_ids: objects that are two things side by side in some frames.
    """

    name: str
    mapped: int
    in_one_frame: int
    unmapped: int
    merged_ids: tuple[int, ...]

    @property
    def speaks_for_more(self) -> bool:
        """Whether frames show things that the map lacks, or holds as one."""
        return self.in_one_frame > self.mapped or self.unmapped > 0 or bool(self.merged_ids)

    @property
    def is_confirmed(self) -> bool:
        """Whether one frame shows all that is mapped, at least one, and no frame shows more."""
        return 0 < self.mapped == self.in_one_frame and not self.speaks_for_more

    def describe(self) -> str:
        """In words, for a model or a person, without a full stop."""
        seen = f", one picture up to {self.in_one_frame}" * (self.in_one_frame > 0)
        said = [f"the map has {self.mapped} {self.name}{seen}"]
        if self.unmapped:
            said.append(f"{self.unmapped} detections are of no mapped object")
        if self.merged_ids:
            said.append(f"{_listed(self.merged_ids)} may each be several things")
        return "; ".join(said)


class MapEvidence:
    """The stored frames of a memory against its objects.

    Attributes:
        index: of the stored frames.
        rows: (M,) rows of the index's detections that are sure enough.
        object_ids: (M,) of those; 0: none.
        kinds: (M,) category of each, a place in `kind_names`: that of its object, else the
            detector's label.
    """

    def __init__(self, snapshot: MemorySnapshot, index: FrameIndex) -> None:
        self.index = index
        self.rows = np.flatnonzero(index.detection_scores >= _LEAST_SCORE)
        self.object_ids: NDArray[np.int32] = index.detection_objects[self.rows]
        self._objects = snapshot.objects
        self._floor_m2 = sum(p.seen_m2 for p in snapshot.structure.values() if p.kind == "floor")
        of_label = [tame(label) for label in index.labels]
        of_object = {i: tame(thing.label) for i, thing in snapshot.objects.items()}
        self.kind_names = sorted({*of_label, *of_object.values()})
        place = {name: i for i, name in enumerate(self.kind_names)}
        self._mapped = Counter(of_object.values())
        labels = np.array([place[name] for name in of_label], np.intp)
        self.kinds = labels[index.detection_labels[self.rows]] if len(labels) else self.rows
        for object_id in np.unique(self.object_ids).tolist():
            if object_id in of_object:
                self.kinds[self.object_ids == object_id] = place[of_object[object_id]]

    @property
    def has_frames(self) -> bool:
        """Whether there is anything to compare the map with."""
        return len(self.index) > 0

    def detections_of(self, names: Collection[str]) -> NDArray[np.intp]:
        """The detections of some categories and their synonyms, as places in `rows`."""
        wanted = self._wanted(names)
        return np.flatnonzero(np.isin(self.kinds, [self.kind_names.index(n) for n in wanted]))

    def spelt_out(self, wanted: Wanted) -> Wanted:
        """The same with the objects and the detector's labels that its categories stand for."""
        names = [key for key in wanted.keys if isinstance(key, str)]
        of_kind = self.object_ids[self.detections_of(names)]
        ids = dict.fromkeys((*wanted.object_ids, *np.unique(of_kind[of_kind > 0]).tolist()))
        return replace(wanted, keys=(*ids, *map(label_name, self._wanted(names))))

    def unmapped_in(self, frame_number: int) -> list[tuple[str, BoxPx]]:
        """Labels and boxes of a frame's detections without an object, each thing once."""
        at = np.flatnonzero(self.index.frame_numbers == frame_number)
        here = np.flatnonzero(np.isin(self.index.detection_frames[self.rows], at))
        found: list[tuple[str, BoxPx]] = []
        for kind in np.unique(self.kinds[here]).tolist():
            for place in self._things_in(here[self.kinds[here] == kind]):
                if self.object_ids[place] == 0:
                    x0, y0, x1, y1 = self.index.detection_boxes_px[self.rows[place]].tolist()
                    found.append((self.kind_names[kind], (x0, y0, x1, y1)))
        return found

    def of(self, names: Collection[str]) -> KindEvidence:
        """The evidence on some categories, such as those that one word means."""
        found = self.detections_of(names)
        frames = self.index.detection_frames[self.rows[found]]
        most, unmapped = 0, 0
        twice = Counter[int]()
        for frame in np.unique(frames).tolist():
            things = self.object_ids[self._things_in(found[frames == frame])].tolist()
            most = max(most, len(things))
            unmapped += things.count(0)
            twice.update({i for i in things if i and things.count(i) > 1})
        return KindEvidence(
            " or ".join(quoted(name) for name in names),
            sum(self._mapped[name] for name in self._wanted(names)),
            most,
            unmapped,
            tuple(sorted(i for i, times in twice.items() if times >= _APART_FRAMES)),
        )

    def places_of(self, name: str) -> list[str]:
        """Where the first few objects of a category are, and their sizes, for a model: two that
        nearly coincide are perhaps one thing."""
        wanted = set(self._wanted((name,)))
        things = [thing for thing in self._objects.values() if tame(thing.label) in wanted]
        return [
            f"{thing.object_id} at {x + 0.0:.1f},{y + 0.0:.1f}"
            f" ({'x'.join(f'{side:.1f}' for side in thing.yaw_box.size)})"
            for thing in things[:_MOST_PLACES]
            for x, y, _ in [thing.box.center]
        ]

    def describe(self) -> str:
        """The completeness of the whole map for a model, in short sentences of at most 140 tokens
        together; empty without frames."""
        text = ""
        for sentence in self._sentences() if self.has_frames else ():
            longer = f"{text} {sentence}".strip()
            if estimate_tokens(longer) > _MOST_TOKENS:
                break
            text = longer
        return text

    def _sentences(self) -> Iterator[str]:
        count = len(self.rows)
        share = float(np.mean(self.object_ids != 0)) if count else 1.0
        floor = f", {self._floor_m2:.0f} m2 of floor seen" if self._floor_m2 else ""
        yield (
            f"The map is made from pictures ({len(self.index)} are stored{floor}) and incomplete:"
            f" {share:.0%} of the detections in them became objects."
        )
        names = self.kinds[self.object_ids == 0]
        loose = Counter({self.kind_names[i]: n for i, n in enumerate(np.bincount(names)) if n})
        said = [f"{n} {quoted(name)}" for name, n in loose.most_common() if n > 1]
        while said and estimate_tokens(", ".join(said)) > _MOST_LISTED:
            said.pop()
        if said:
            yield f"Detections of no object: {', '.join(said)}."
        if self._merged_ids:
            yield f"Objects that may be several things: {_listed(self._merged_ids)}."

    @cached_property
    def _merged_ids(self) -> tuple[int, ...]:
        names = {tame(self._objects[i].label) for i in self._seen_twice() if i in self._objects}
        return tuple(sorted(i for name in names for i in self.of((name,)).merged_ids))

    def _seen_twice(self) -> list[int]:
        """Objects with two boxes in one frame, wherever they are."""
        frames = self.index.detection_frames[self.rows].astype(np.int64)
        pairs, counts = np.unique((frames << 32) + self.object_ids, return_counts=True)
        ids: list[int] = np.unique(pairs[counts > 1] & 0xFFFFFFFF).tolist()
        return [i for i in ids if i]

    def _things_in(self, found: NDArray[np.intp]) -> NDArray[np.intp]:
        """One detection of each thing of one kind in one frame, as places in `rows`."""
        found = found[np.argsort(self.object_ids[found] == 0, kind="stable")]
        boxes = self.index.detection_boxes_px[self.rows[found]].astype(np.float64)
        kept: list[int] = []
        ids: list[int] = []
        for row, object_id in enumerate(self.object_ids[found].tolist()):
            limits = [_APART if i == object_id else _ONE_THING for i in ids]
            is_shown = object_id != 0 and object_id not in ids
            if is_shown or not (_covered(boxes[row], boxes[kept]) > limits).any():
                kept.append(row)
                ids.append(object_id)
        return found[kept]

    def _wanted(self, names: Collection[str]) -> list[str]:
        """The categories that are called so, in any spelling, or by a synonym."""
        forms = {normal(name) for name in names}
        forms |= {other for name in list(forms) for other in Thesaurus.load().synonyms(name)}
        return [name for name in self.kind_names if normal(name) in forms]


def _covered(box: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N,) of a box and N others: the share of the smaller one that both cover."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=1)
    sizes = np.prod(others[:, 2:] - others[:, :2], axis=1)
    return np.asarray(shared / np.maximum(np.minimum(sizes, np.prod(box[2:] - box[:2])), 1e-9))


def _listed(ids: Collection[int]) -> str:
    return ", ".join(map(str, ids))
