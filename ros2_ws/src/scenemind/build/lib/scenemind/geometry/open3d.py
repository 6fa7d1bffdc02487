"""Open3D, the extra `geometry3d`: loaded when it is first needed, and what to type without it."""

from __future__ import annotations

import importlib.util
import platform
import sys
from types import ModuleType
from typing import Any

from scenemind.errors import SceneMindError


class MissingOpen3DError(SceneMindError, RuntimeError):
    """Open3D cannot be used here; the message says what to type."""


def load_open3d(purpose: str) -> ModuleType:
    """Open3D's module. The first call takes a second, which is why nothing imports it at start.

    Args:
        purpose: what needs it, as the subject of the message, such as "a mesh".

    Raises:
        MissingOpen3DError: it is not installed, or a library of the system is missing.
    """
    if importlib.util.find_spec("open3d") is None:
        raise MissingOpen3DError(
            f"{purpose} needs Open3D (the extra `geometry3d`), which is not installed:"
            f" {sys.executable} -m pip install '{_package()}'"
        )
    try:
        import open3d
    except (ImportError, OSError) as error:
        missing = "libusb-1.0-0" if "libusb" in str(error) else "libgl1 libegl1 libx11-6"
        raise MissingOpen3DError(
            f"{purpose} needs Open3D, which does not load ({error}): sudo apt install {missing}"
        ) from error
    return open3d


def best_device(open3d: ModuleType) -> Any:
    """The first CUDA device where the installed Open3D has CUDA, else the processor."""
    cuda = open3d.core.cuda.is_available()
    return open3d.core.Device("CUDA:0" if cuda else "CPU:0")


def _package() -> str:
    """The smallest wheel: on x86 Linux `open3d` brings CUDA, 400 MB; elsewhere it has none."""
    small = sys.platform == "linux" and platform.machine() == "x86_64"
    return "open3d-cpu>=0.20" if small else "open3d>=0.20"
