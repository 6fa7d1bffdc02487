"""Open3D where it is installed, and what is said where it is not."""

from __future__ import annotations

import builtins
import importlib.util
import sys
from typing import Any

import pytest

from scenemind.geometry.open3d import MissingOpen3DError, best_device, load_open3d


def test_without_it_the_message_is_a_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingOpen3DError, match="a mesh needs Open3D") as caught:
        load_open3d("a mesh")
    assert f"{sys.executable} -m pip install 'open3d" in str(caught.value)


def test_a_missing_library_of_the_system_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_libusb(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "open3d":
            raise ImportError("libusb-1.0.so.0: cannot open shared object file")
        return original(name, *arguments, **options)

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    monkeypatch.setattr(builtins, "__import__", without_libusb)
    with pytest.raises(MissingOpen3DError, match="sudo apt install libusb"):
        load_open3d("a mesh")


@pytest.mark.extras
def test_it_computes_on_the_device_that_is_there(open3d: Any) -> None:
    ones = open3d.core.Tensor.ones((3,), open3d.core.float32, best_device(open3d))
    assert ones.sum().item() == 3
