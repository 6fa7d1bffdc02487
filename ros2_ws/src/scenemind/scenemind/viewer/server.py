"""viser, quiet, and where only the gate finds it."""

from __future__ import annotations

import contextlib
import io
import secrets

import viser


class QuietServer(viser.ViserServer):
    """Prints nothing, and lets nobody open it to the internet."""

    def __init__(self, label: str) -> None:
        """
        Args:
            label: above the panel.
        """
        self.address = hidden_address()
        with contextlib.redirect_stdout(io.StringIO()):  # it prints its address in a frame
            super().__init__(self.address, 0, label=label, verbose=False)

    def request_share_url(self, verbose: bool = True) -> str | None:  # noqa: ARG002
        """Never: a browser may ask for a public tunnel into this machine."""
        return None

    def stop(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            super().stop()


def hidden_address() -> str:
    """One of the sixteen million addresses that mean this machine (127.0.0.0/8): a page in a
    browser, which may try all ports of the common one, does not find it."""
    parts = [1 + secrets.randbelow(254) for _ in range(3)]
    return f"127.{parts[0]}.{parts[1]}.{parts[2]}"
