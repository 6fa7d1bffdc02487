"""`python -m scenemind_ros.commands.live_request`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from scenemind.cli.output import print_json
from scenemind.errors import SceneMindError
from scenemind_ros.client import SceneMindClient
from scenemind_ros.commands.live_request.asking import ASKING
from scenemind_ros.commands.live_request.fetching import FETCHING
from scenemind_ros.commands.live_request.journal import JOURNAL

_READY_S = 5.0
_INTERRUPTED = 130  # what a shell reports for an interrupt
_FETCHED: dict[str, Callable[[SceneMindClient, dict[str, Any]], dict[str, Any]]] = {
    **FETCHING,
    **JOURNAL,
}


def main() -> int:
    """0; 1 when there was no answer, or 130 when it was interrupted."""
    request = json.load(sys.stdin)
    task = request["task"]
    try:
        with SceneMindClient() as client:
            client.wait_ready(_READY_S, reasoning=task in ASKING)
            if task in _FETCHED:
                print_json(_FETCHED[task](client, request))
                return 0
            return ASKING[task](client, request)
    except SceneMindError as error:
        print(f"scenemind: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    raise SystemExit(main())
