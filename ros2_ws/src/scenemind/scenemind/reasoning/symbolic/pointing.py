"""Objects that were pointed at or called by their number."""

from __future__ import annotations

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.types import Query


def find_marked_rows(scene: Scene, query: Query) -> list[int]:
    """Rows of the marked objects; empty where nothing was marked.

    Raises:
        ReasoningError: `not_found`: all that was marked is gone.
    """
    marked = query.marked_object_ids
    rows = [scene.row_of_id[i] for i in marked if i in scene.row_of_id]
    if marked and not rows:
        raise ReasoningError("not_found", "The marked object is not in the memory any more.")
    return rows


def nothing_marked() -> ReasoningError:
    """The error for "this" without a mark, to be raised."""
    return ReasoningError(
        "not_found",
        "No object is marked, so it is not clear which one is meant: mark one or name it.",
    )


def get_row(scene: Scene, object_id: int) -> int:
    """The row of a numbered object.

    Raises:
        ReasoningError: `not_found`, with the numbers there are.
    """
    if object_id not in scene.row_of_id:
        ids = scene.ids[scene.is_object]
        raise ReasoningError(
            "not_found",
            f"There is no object {object_id} in the memory;"
            f" numbers go from {ids.min()} to {ids.max()}.",
        )
    return scene.row_of_id[object_id]
