"""The functions that a program may call on one scene, seen from one place (LLM-TPC, table 1 and
Fig. S4).

    api = SceneApi(snapshot, Viewpoint.of_body(world_T_head), config)
    sandbox.run("print(relate_agent(filter(scene(), 'chair'), 'left'))", api.of_sandbox)

Functions have the names and parameters that the paper prints, and each calls at most one
function of this process. From within a callback of the interpreter's own builtins none can be
called: those that programs use so (`sorted`, `max`, `map` ...) are defined anew in
`builtins.py.txt`, and for `list.sort` position, size, distance and colour are there as values.
There `next` also takes what the interpreter makes of a generator expression: a list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from importlib.resources import files

import numpy as np

from scenemind.config import RelationConfig
from scenemind.language.english import normal
from scenemind.language.quoting import quoted, tame
from scenemind.memory import MapObject, MemorySnapshot, StructurePlane
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relation_query import KeptRelations, RelationContext
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.learned_methods import Offer
from scenemind.reasoning.programs.looks import Looks
from scenemind.reasoning.programs.map_evidence import KindEvidence, MapEvidence
from scenemind.reasoning.programs.scene_functions import UNKNOWN, SceneFunctions
from scenemind.reasoning.query import Query
from scenemind.reasoning.sandbox import SandboxApi
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.viewpoint import find_viewpoint as find_described

Row = tuple[int, str, tuple[float, ...], tuple[float, ...], str]
"""Id, category, centre, length-width-height, colour."""
_MOST_PLACED = 6
_NO_POINTS = np.zeros((0, 3), np.float32)


class SceneApi:
    """The scene API for the programs of one question.

    Attributes:
        declared: declarations of learned methods; may be empty.
        categories: number of objects of each category, sorted by name.
    """

    def __init__(
        self,
        snapshot: MemorySnapshot,
        viewpoint: Viewpoint | None,
        config: RelationConfig | None = None,
        learned: Offer | None = None,
        evidence: MapEvidence | None = None,
        looks: Looks | None = None,
    ) -> None:
        """Args:
        viewpoint: the agent's; None: not known, which functions on it report.
        learned: learned methods; None: there are none.
        evidence: of the stored frames, which counts are compared with; None: there is none.
        looks: None: programs cannot look at pictures.
        """
        kept = KeptRelations.of(snapshot.relations, snapshot.levels, snapshot.denied)
        context = RelationContext(config or RelationConfig(), viewpoint, kept)
        building = [*map(_as_thing, snapshot.structure.values())]
        building += [thing for thing in snapshot.objects.values() if _is_of_building(thing.label)]
        ids = {part.object_id for part in building}
        things = [thing for i, thing in snapshot.objects.items() if i not in ids]
        names = {thing.object_id: _category(thing) for thing in (*things, *building)}
        self._functions = SceneFunctions((*things, *building), names, context, looks)
        self._evidence = evidence
        self._noted: set[str] = set()
        learned = learned or Offer()
        self.declared = learned.declarations
        values = {
            "_rows": _rows(things, names),
            "_building_rows": _rows(building, names),
            "_distances": {},
            "_angles": self._functions.angles_deg,
        }
        self._without_distances = SandboxApi(
            f"{prelude()}\n\n{learned.source}",
            values,
            self._functions.by_name,
            documentation(looks=looks is not None),
            frozenset(("_look",)),
        )
        self._asks_distances = "distance" in learned.source
        of_things = [names[thing.object_id] for thing in things]
        self.categories = dict(sorted(Counter(of_things).items()))

    @cached_property
    def of_sandbox(self) -> SandboxApi:
        """The API for any program."""
        values = {**self._without_distances.values, "_distances": self._functions.distances_m}
        return replace(self._without_distances, values=values)

    def for_program(self, program: str) -> SandboxApi:
        """The API for a program. Distances between surfaces take as long as all else together, and
        are computed only for programs that use them."""
        asks = self._asks_distances or "distance" in program
        return self.of_sandbox if asks else self._without_distances

    def take_spoken_of(self) -> tuple[int, ...]:
        """Ids of objects in relations and queries since this was called last, the latest first."""
        return self._functions.take_spoken_of()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The categories that programs filtered for, the latest last; a word that means none of
        the map stands for itself."""
        found = self._functions.kinds.items()
        return tuple(dict.fromkeys(name for word, names in found for name in names or (word,)))

    def evidence_of(self, names: Sequence[str]) -> KindEvidence | None:
        """What the stored frames show of some categories; None without names or frames."""
        if self._evidence is None or not self._evidence.has_frames or not names:
            return None
        return self._evidence.of(names)

    def take_notes(self, program: str) -> list[str]:
        """What the author of a program should know beside its output: distances and angles from
        the viewpoint, where it asked for relations to it; and, once a question, where things of the
        kinds are that it counted, and what pictures show of these."""
        notes = []
        placed = self._functions.take_from_here()[:_MOST_PLACED]
        if placed and "angle" not in program:
            notes.append(f"Distance and angle from me (right +, left -): {'; '.join(placed)}.")
        for question in dict.fromkeys(self._functions.partly_seen):
            notes.append(f"The pictures did not show all of {quoted(question)}.")
        self._functions.partly_seen.clear()
        new = [name for name in self.kinds if name not in self._noted and "len(" in program]
        self._noted.update(new)
        for name in new:
            if self._evidence is not None and (places := self._evidence.places_of(name)):
                notes.append(f"{quoted(name)} by id at x,y, and sizes (m): {'; '.join(places)}.")
        found = (self.evidence_of((name,)) for name in new)
        told = [kind.describe() for kind in found if kind is not None and kind.speaks_for_more]
        return [*notes, f"Compared with the pictures: {'. '.join(told)}."] if told else notes


def documentation(*, looks: bool = False) -> str:
    """The API as declarations with examples, for models and for the type checker alike.

    Args:
        looks: with the function that looks at pictures.
    """
    return f"{_read('documentation')}\n{_read('look')}" if looks else _read("documentation")


def prelude() -> str:
    """Source of the functions, and of builtins whose keys may call them."""
    return _read("builtins") + _read("prelude")


@cache
def _read(name: str) -> str:
    path = files("scenemind.reasoning.programs").joinpath(f"{name}.py.txt")
    return path.read_text(encoding="utf-8")


def _rows(things: Sequence[MapObject], names: dict[int, str]) -> list[Row]:
    bounds = np.array([thing.box.extent() for thing in things]).reshape(-1, 6)
    low, high = np.hsplit(bounds, 2)
    sides = high - low
    sides[:, :2] = -np.sort(-sides[:, :2], axis=1)  # the longer horizontal one first
    centers = ((low + high) / 2.0).round(3).tolist()
    return [
        (
            thing.object_id,
            names[thing.object_id],
            tuple(center),
            tuple(lwh),
            tame(thing.attributes.get("color", "")) or UNKNOWN,
        )
        for thing, center, lwh in zip(things, centers, sides.round(3).tolist(), strict=True)
    ]


def _category(thing: MapObject) -> str:
    """The category of an object: its label without characters that could be read as a prompt."""
    return tame(thing.label) or "thing"


@lru_cache(maxsize=4096)
def _is_of_building(label: str) -> bool:
    return sense_of(normal(label)).structure is not None


def _as_thing(plane: StructurePlane) -> MapObject:
    return MapObject(
        object_id=plane.plane_id,
        label=plane.kind,
        perceived_label=plane.kind,
        attributes={},
        confidence=1.0,
        box=plane.box,
        points=_NO_POINTS,
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=0,
        track_ids=(),
        known_yaw_box=plane.box,
    )


def find_viewpoint(query: Query, snapshot: MemorySnapshot) -> Viewpoint | None:
    """The asker's viewpoint: the given one, else the one that the situation describes, else the
    camera's. None where none is known."""
    if query.viewpoint is not None:
        return Viewpoint.of_body(query.viewpoint)
    if query.situation.strip() and snapshot.objects:
        return find_described(query.situation, Scene(snapshot))
    if query.situation.strip() or snapshot.world_T_camera is None:
        return None
    return Viewpoint.of_camera(snapshot.world_T_camera)
