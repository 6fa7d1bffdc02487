"""What the memory holds: its scene graph, and what changed in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scenemind.cli.changes.comparison import COMPARISON, Comparison, compared_spans
from scenemind.cli.errors import CommandError
from scenemind.exchange import SceneExport, scene_to_json
from scenemind.memory.history import SceneChanges, TimeSpan, Visit
from scenemind_interfaces import srv
from scenemind_interfaces.msg import MemTree
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import snapshot_from_msg, time_to_msg
from scenemind_ros.conversions.history import change_from_msg, visit_from_msg
from scenemind_ros.errors import RosError


def _scene_graph(client: SceneMindClient, _request: dict[str, Any]) -> dict[str, Any]:
    snapshot = snapshot_from_msg(client.scene_graph())
    tree = client.fetch(srv.GetMemTree).mem_tree
    return {"scene_graph": scene_to_json(SceneExport(snapshot, _seen_from(tree)))}


def _seen_from(tree: MemTree) -> dict[int, tuple[int, ...]]:
    """Object id -> the locations that saw it, oldest first."""
    seen: dict[int, dict[int, None]] = {}
    for location in tree.locations:
        for tracklet in location.tracklets:
            if tracklet.object_id >= 0:
                seen.setdefault(int(tracklet.object_id), {})[int(location.id)] = None
    return {object_id: tuple(ids) for object_id, ids in sorted(seen.items())}


def _changes(client: SceneMindClient, request: dict[str, Any]) -> dict[str, Any]:
    between, since = request["between"], request["since"]
    # It names the visits also where the last two of them cannot be compared.
    response = client.call(srv.GetChanges)
    visits = tuple(map(visit_from_msg, response.visits))
    if not visits:
        raise RosError(response.error.message, response.error.code)
    before, after = compared_spans(visits, between, since)
    if since is not None:
        response = client.fetch(srv.GetChanges, since=time_to_msg(before.last_ns))
    else:
        first, second = (_visit_number(visits, span) for span in (before, after))
        response = client.fetch(srv.GetChanges, before_visit=first, after_visit=second)
    changes = SceneChanges(
        tuple(map(change_from_msg, response.changes)),
        int(response.unchanged),
        tuple(int(object_id) for object_id in response.unseen_ids),
    )
    unseen = _labels(client, changes.unseen)
    compared = Comparison(visits, before, after, changes, unseen)
    return {"comparison": COMPARISON.dump_python(compared, mode="json")}


def _visit_number(visits: Sequence[Visit], span: TimeSpan) -> int:
    for visit in visits:
        if visit.span == span:
            return visit.number
    raise CommandError(
        "running nodes compare whole visits, or any moment with now: say --between 1 2, or --since"
    )


def _labels(client: SceneMindClient, object_ids: Sequence[int]) -> dict[int, str]:
    if not object_ids:
        return {}
    scene = client.scene_graph()
    labels = {int(thing.id): thing.label for thing in (*scene.gone, *scene.objects)}
    return {object_id: labels[object_id] for object_id in object_ids if object_id in labels}


FETCHING: dict[str, Callable[[SceneMindClient, dict[str, Any]], dict[str, Any]]] = {
    "scene_graph": _scene_graph,
    "changes": _changes,
}
