"""The browser view of a simulated building: on the side of the server, and in a Chromium."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.errors import CommandError
from scenemind.cli.output import progress_console

_OBJECTS, _POINTS, _ROUNDS = 500, 500_000, 10
_NO_VISER = "viser is not installed: `pip install viser`, or `make setup`"


def bench_view(
    objects: int = _OBJECTS,
    points: int = _POINTS,
    rounds: int = _ROUNDS,
    *,
    in_browser: bool = True,
) -> dict[str, Any]:
    """Exactly so many objects and points of a simulated building, as `BrowserlessClient` gets them
    ("server") and as a headless Chromium shows them ("browser"), which draws without a graphics
    card. Milliseconds are medians.

    - `load_s`: until stored frames have become a cloud that can be served;
    - `client_s`, `client_mb`: until a client has everything, and how much that is;
    - `mark_ms`, `mark_kb`: from marking an object until a client has its name with the mark;
    - `said_ms`, `said_kb`: from a sentence that renames an object until a client has the new name;
    - `others_ms`: the same for what others change in the memory, which is looked at twice a second.

    Where viser, playwright or Chromium is missing, "skipped" says so in place of what needs it.

    Raises:
        CommandError: the building has fewer points than that.
    """
    about = {"machine": machine(), "versions": versions()}
    if find_spec("viser") is None:
        return {"skipped": _said_aloud(_NO_VISER), **about}
    from scenemind.cli.bench.view.browser_times import browser_times
    from scenemind.cli.bench.view.building import ThinnedCloud, map_building
    from scenemind.cli.bench.view.server_times import ServedBuilding

    with map_building(objects) as memory, ServedBuilding(memory, ThinnedCloud(points)) as served:
        result = {"building": "simulated", **served.size(), "server": served.times(rounds)}
        if in_browser:
            try:
                result["browser"] = browser_times(served, rounds)
            except CommandError as missing:
                result["browser"] = {"skipped": _said_aloud(str(missing))}
    return {**result, **about}


def _said_aloud(reason: str) -> str:
    progress_console().print(f"SKIPPED: {reason}", markup=False, soft_wrap=True)
    return reason
