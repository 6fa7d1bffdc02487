"""Requests to the services of running nodes with odd fields: each gets a response.

Needs the ROS environment, as `make fuzz` and `make test` have it.
"""

from __future__ import annotations

import importlib
import json
import random
import shutil
import tempfile
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.fuzz import memories
from tests.fuzz.mutations import ODD_FLOATS, ODD_NUMBERS, ODD_TEXTS, mutated_json
from tests.simulated_memory import stored_room

_RANGES = {"int8": 7, "int16": 15, "int32": 31, "int64": 63}
_PLAUSIBLE = (
    *("chair", "where is the lamp?", "what is left of the table?", "object 3 is a stool", "auto"),
    *("on", "color", "anna", "red chair", "undo that", "how many chairs are there?"),
)


def odd(kind: str, rng: random.Random) -> Any:
    """A value of a field.

    Args:
        kind: as `get_fields_and_field_types` names it.
    """
    if kind.startswith("sequence<"):
        inner = kind.removeprefix("sequence<").removesuffix(">").partition(",")[0]
        return [odd(inner, rng) for _ in range(rng.choice((0, 1, 3, 200)))]
    if kind.endswith("]"):
        inner, _, size = kind[:-1].partition("[")
        return [odd(inner, rng) for _ in range(int(size))]
    if "/" in kind:
        package, name = kind.split("/")
        return filled(getattr(importlib.import_module(f"{package}.msg"), name), rng)
    if kind.startswith("string"):
        text = rng.choice(_PLAUSIBLE if rng.random() < 0.6 else ODD_TEXTS)
        return text.replace("\x00", " ")  # DDS ends texts there
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("float", "double"):
        value = rng.choice((*ODD_FLOATS, rng.uniform(-5.0, 5.0)))
        return max(-3e38, min(3e38, value)) if kind == "float" and value == value else value
    if kind == "octet":
        return bytes([rng.randrange(256)])
    bits = _RANGES.get(kind.removeprefix("u"), 7) + kind.startswith("u")
    low = 0 if kind.startswith("u") else -(2**bits)
    value = rng.choice(ODD_NUMBERS) if rng.random() < 0.5 else rng.randrange(12)
    return max(low, min(2**bits - 1, value))


def filled(kind: Any, rng: random.Random) -> Any:
    """A message with some odd fields."""
    message = kind()
    for name, type_name in kind.get_fields_and_field_types().items():
        if rng.random() < 0.7:
            value = odd(type_name, rng)
            known = getattr(message, name)
            value = array(known.typecode, value) if isinstance(known, array) else value
            setattr(message, name, value)
    return message


class Folders:
    """The memories that a node can save to and load from: whole, changed at random, linked, and
    what is no memory; and what is beside them, which no request may touch."""

    NAMES = (
        *(
            "room",
            "saved",
            "changed",
            "changed",
            "file",
            "linked",
            "../beside",
            "../../etc",
            "/etc",
        ),
        *("", ".", "..", "a/b", "x" * 300, "-rf", ".hidden", "\u202ename", "room.loading"),
    )

    def __init__(self, parent: Path) -> None:
        self.root, self._beside = parent / "memories", parent / "beside"
        self.root.mkdir()
        self._whole = stored_room(self.root / "room", 30, 160)
        for copy in (self._beside, parent / "whole"):
            shutil.copytree(self._whole, copy)
        self._whole = parent / "whole"
        (self.root / "file").write_text("no memory")
        (self.root / "linked").symlink_to(self._beside / "frames")
        self._journal = ""

    def request(self, kind: Any, rng: random.Random) -> Any:
        """A request that names a memory or carries a journal."""
        request = filled(kind, rng)
        if hasattr(request, "name"):
            request.name = rng.choice(self.NAMES)
            if request.name == "changed":
                shutil.rmtree(self.root / "changed", ignore_errors=True)
                seed = rng.randrange(10**9)
                mutators = (*memories.DAMAGE, *memories.PURPOSE)
                memories.mutate(self._whole, self.root / "changed", seed, mutators)
        elif hasattr(request, "json") and self._journal and rng.random() < 0.9:
            request.json = mutated_json(json.loads(self._journal), rng).decode(errors="replace")
            request.json = request.json.replace("\x00", " ")
        return request

    def note(self, response: Any) -> None:
        """Take the journal that was exported; the next ones are changed from it."""
        if type(response).__name__ == "ExportCorrections_Response":  # a tree has text in JSON too
            self._journal = response.json or self._journal

    def check(self) -> None:
        """Fail if something beside the memories was touched."""
        for file in self._whole.rglob("*"):
            if file.is_file():
                other = self._beside / file.relative_to(self._whole)
                assert other.read_bytes() == file.read_bytes(), other


@contextmanager
def opened() -> Iterator[Callable[[random.Random], str]]:
    from scenemind_ros.calls import call_service
    from scenemind_ros.mapping_node import MappingNode
    from scenemind_ros.reasoning_node import ReasoningNode
    from tests.ros.graph import SIMULATED, TIMEOUT_S, RosGraph

    internal = importlib.import_module("scenemind_interfaces.msg").Error.INTERNAL
    with tempfile.TemporaryDirectory() as parent:
        folders = Folders(Path(parent))
        graph = RosGraph()
        try:
            stored = {"memory.root": str(folders.root), "memory.name": "room"}
            graph.add(MappingNode, SIMULATED | stored)
            graph.add(ReasoningNode, {})
            services = importlib.import_module("scenemind_interfaces.srv")
            offered = {
                name: kinds[0].rpartition("/")[2] for name, kinds in _services(graph.observer)
            }
            clients = {
                name: graph.observer.create_client(getattr(services, kind), name)
                for name, kind in sorted(offered.items())
                if hasattr(services, kind)
            }

            def trial(rng: random.Random) -> str:
                name = rng.choice(list(clients))
                client = clients[name]
                request = folders.request(client.srv_type.Request, rng)
                response = call_service(client, request, TIMEOUT_S)
                assert response.error.code != internal, f"{name}: {response.error.message}"
                folders.note(response)
                folders.check()
                return f"{name}: {str(response)[:80]}"

            yield trial
        finally:
            graph.close()


def _services(node: Any) -> list[tuple[str, list[str]]]:
    from tests.ros.graph import wait_for

    def found() -> list[tuple[str, list[str]]]:
        known = node.get_service_names_and_types()
        kinds = {kinds[0] for _, kinds in known}
        both = {"scenemind_interfaces/srv/Ask", "scenemind_interfaces/srv/GetSceneGraph"}
        return known if both <= kinds else []

    known: list[tuple[str, list[str]]] = wait_for(found, "the nodes' services")
    return known
