"""Weights as pickles: nothing of them runs, and what was trained is the same."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.backends.safe_checkpoint import Inert, checkpoint_of
from tests.unit.perception.backends.test_pickled_keys import NESTED, saved

pytestmark = pytest.mark.extras

MODELS = {"yoloe-26n-seg": "YOLOE", "yoloe-11s-seg": "YOLOE", "yolov8s-worldv2": "YOLOWorld"}


class Command:
    """A pickle that runs a command when it is loaded."""

    def __init__(self, target: Path) -> None:
        self._target = target

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.system, (f"touch {self._target}",)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_the_one_that_ultralytics_reads(name: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from scenemind.perception.backends.yolo_torch import import_ultralytics, load_model

    build = getattr(import_ultralytics(), MODELS[name])
    path = tmp_path / f"{name}.pt"
    torch.manual_seed(1)
    build(f"{name}.yaml", verbose=False).save(path)
    ours = load_model(str(path))
    theirs = build(path, verbose=False).model.eval()
    if name.startswith("yoloe"):
        theirs.end2end = hasattr(theirs.model[-1], "one2one_cv2")
    theirs.fuse(verbose=False)
    state, expected = ours.module.state_dict(), theirs.state_dict()
    assert state.keys() == expected.keys()
    assert all(torch.equal(state[key].float(), expected[key].float()) for key in state)
    known = {"yoloe-26n-seg": "mobileclip2", "yoloe-11s-seg": "mobileclip"}
    assert ours.text_encoder == known.get(name, "clip_vit_b32")


def test_a_file_that_would_run_a_command_is_refused(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from scenemind.perception.backends.yolo_torch import load_model

    target = tmp_path / "ran"
    evil = Command(target)
    contents: dict[str, Any] = {
        "whole": evil,
        "model": {"model": evil},
        "beside": {"model": torch.nn.Linear(1, 1), "names": evil},
    }
    for name, content in contents.items():
        path = tmp_path / f"yoloe-{name}.pt"
        torch.save(content, path)
        with pytest.raises(PerceptionError, match=r"refused.*posix\.system.*export it to ONNX"):
            load_model(str(path))
    plain = tmp_path / "yoloe-plain.pt"
    plain.write_bytes(pickle.dumps(evil))
    with pytest.raises(PerceptionError, match=r"cannot be read as weights.*export it to ONNX"):
        load_model(str(plain))
    assert not target.exists()


def test_keys_that_take_for_ever_to_hash_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from scenemind.perception.backends.yolo_torch import load_model

    path = saved(tmp_path / "yoloe-keys.pt", b"\x80\x02}" + NESTED + b"K\x01s.")
    with pytest.raises(PerceptionError, match=r"repeat themselves.*export it to ONNX"):
        load_model(str(path))


def test_other_models_are_refused(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from scenemind.perception.backends.yolo_torch import load_model

    linear, ones = torch.nn.Linear(1, 1), torch.ones(2)
    contents: tuple[Any, ...] = ({}, [], {"model": linear}, {"model": 3}, {"ema": ones}, ones)
    for number, content in enumerate(contents):
        path = tmp_path / f"yoloe-{number}.pt"
        torch.save(content, path)
        with pytest.raises(PerceptionError, match="holds no model of YOLO-World or YOLOE"):
            load_model(str(path))


def test_layers_that_are_parts_of_many_others_are_not_counted_for_ever() -> None:
    """Each of 50 layers has the next one twice: 2 ** 50 of them."""
    layer = Inert()
    for _ in range(50):
        outer = Inert()
        outer.__dict__["_modules"] = {"a": layer, "b": layer}
        layer = outer
    model = type("Named", (Inert,), {"asked": "ultralytics.nn.tasks.YOLOEModel"})()
    description = {"yaml_file": "yoloe-26n-seg.yaml", "nc": 80}
    model.__dict__.update(yaml=description, _modules={"model": layer})
    with pytest.raises(ValueError, match="too many"):
        checkpoint_of({"model": model}, bytes)


def test_a_description_in_the_current_folder_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ultralytics evaluates such a file's `activation` as Python."""
    pytest.importorskip("torch")
    from scenemind.perception.backends.yolo_torch import load_model

    monkeypatch.chdir(tmp_path)
    target = tmp_path / "ran"
    evil = f"activation: __import__('os').system('touch {target}')\n"
    for name in ("yoloe-26-seg.yaml", "yoloe-26n-seg.yaml"):
        Path(name).write_text(evil, encoding="utf-8")
    assert load_model("yoloe-26n-seg.yaml").title == "yoloe-26n-seg, random weights"
    assert not target.exists()
    with pytest.raises(PerceptionError, match="has no architecture"):
        load_model("yoloe-99n-seg.yaml")
