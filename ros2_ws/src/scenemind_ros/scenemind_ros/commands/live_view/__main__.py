"""`python -m scenemind_ros.commands.live_view '{"host": "127.0.0.1", "port": 8080, ...}'`."""

from __future__ import annotations

import json
import sys

from scenemind.cli.viewing import ViewOptions, show_view
from scenemind.errors import SceneMindError
from scenemind.models import Allowance
from scenemind.reasoning import Asking
from scenemind_ros.commands.live_view.asked_nodes import AskedNodes
from scenemind_ros.commands.live_view.nodes_memory import ViewingClient

_READY_S = 5.0
_LOOK_EVERY_S = 1.0  # the whole scene graph travels each time


def main(request: str) -> int:
    """0 after an interrupt; 1 where it could not be shown."""
    typed = json.loads(request)
    timeout_s = float(typed.pop("timeout_s"))
    options = ViewOptions(**typed)
    try:
        with ViewingClient() as client:
            client.wait_ready(_READY_S)
            memory = client.memory()
            show_view(
                options,
                "SceneMind, live",
                memory,
                AskedNodes(client, memory),
                lambda: Asking(Allowance(timeout_s)),
                look_every_s=_LOOK_EVERY_S,
            )
    except SceneMindError as error:
        print(f"scenemind: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
