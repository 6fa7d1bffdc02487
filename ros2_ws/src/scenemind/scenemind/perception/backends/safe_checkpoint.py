"""Weights out of ultralytics' .pt files, which are pickles of whole models, without running them.

Such a file names classes and functions that Python is to call with values of its choice. Here every
name stands for an inert object that only keeps its values; torch's own reader (`weights_only`)
makes tensors of the rest. What was trained is then put into a model that the installed ultralytics
builds from its own description of that architecture.
"""

from __future__ import annotations

import pickle
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scenemind.perception.backends.pickled_keys import check_keys
from scenemind.perception.types import PerceptionError
from scenemind.untrusted import check_archive

# Errors of torch for a file with other content: it names none, and lets those of its parts through.
_UNREADABLE = (
    *(RuntimeError, pickle.UnpicklingError, EOFError, KeyError, ValueError, OSError),
    *(TypeError, AttributeError, IndexError, RecursionError, zipfile.BadZipFile),
)
_NEUTRAL = re.compile(
    r"(torch\.(nn|optim)\.|torch\.torch_version\.|ultralytics\.|numpy\.|pathlib\.|datetime\.)[\w.]+"
)
_MODELS = ("WorldModel", "YOLOEModel", "YOLOESegModel")
_ARCHITECTURE = re.compile(r"(?:.*[/\\])?(yolo[\w-]{1,40}\.ya?ml)")
_MOST_LEVELS, _MOST_LAYERS, _MOST_CLASSES = 60, 100_000, 100_000
_SHOWN_NAMES = 3
HOW_TO_EXPORT = (
    "if you trust where it comes from, export it to ONNX on a machine that may be harmed"
    " (`yolo export model=FILE format=onnx`), and name the .onnx file, which cannot run programs"
)


class Inert:
    """Stands for an object of a pickle: it has the object's values, and does nothing."""

    asked = ""  # the name in the file

    def __new__(cls, *_: object, **__: object) -> Inert:
        return object.__new__(cls)

    def __init__(self, *_: object, **__: object) -> None:
        """Values that a constructor would be given are not used."""

    def __getattr__(self, name: str) -> Any:
        for group in ("_modules", "_parameters", "_buffers"):
            values = self.__dict__.get(group)
            if isinstance(values, dict) and name in values:
                return values[name]
        raise AttributeError(name)

    def __iter__(self) -> Iterator[Any]:
        return iter(_items(self, "_modules").values())

    @property
    def kind(self) -> str:
        """Name of the class, without its module."""
        return self.asked.rpartition(".")[2]


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """What is used of a file.

    Attributes:
        kind: class of the model in ultralytics.
        architecture: name of ultralytics' description of it, such as yoloe-26n-seg.yaml.
        classes: number of classes.
        text_encoder: ultralytics' name of it; empty: not said.
        head: the last layer.
        state: tensors by name.
    """

    kind: str
    architecture: str
    classes: int
    text_encoder: str
    head: Inert
    state: Mapping[str, Any]


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a .pt file of ultralytics; no code of it or that it names is run.

    Raises:
        PerceptionError: it names functions that weights do not need, or holds no such model.
    """
    import torch

    wrong: list[str] = []
    content: Any = None
    try:
        check_archive(path)
        check_keys(path)
        names = torch.serialization.get_unsafe_globals_in_checkpoint(str(path))
        wrong = [name for name in names if not _NEUTRAL.fullmatch(name)]
        if not wrong:
            inert: list[Any] = [(type("Named", (Inert,), {"asked": name}), name) for name in names]
            with torch.serialization.safe_globals(inert):
                content = torch.load(path, map_location="cpu", weights_only=True)
    except _UNREADABLE as error:
        first_line = str(error).strip().partition("\n")[0]
        raise PerceptionError(
            f"{path} cannot be read as weights alone ({first_line}): it is damaged, or may run"
            f" programs; {HOW_TO_EXPORT}"
        ) from error
    if wrong:
        raise PerceptionError(
            f"{path} is refused: it asks Python to use {', '.join(wrong[:_SHOWN_NAMES])}, which"
            f" weights do not need. It may run any program; {HOW_TO_EXPORT}"
        )
    try:
        return checkpoint_of(content, torch.Tensor)
    except ValueError as error:
        raise PerceptionError(
            f"{path} holds no model of YOLO-World or YOLOE ({error}); {HOW_TO_EXPORT}"
        ) from error


def checkpoint_of(content: Any, tensor: type) -> Checkpoint:
    """What is used of a file's content.

    Args:
        tensor: the class of tensors.

    Raises:
        ValueError: it is made otherwise.
    """
    models = content if isinstance(content, dict) else {}
    model = next((m for m in map(models.get, ("ema", "model")) if isinstance(m, Inert)), None)
    if model is None or model.kind not in _MODELS:
        raise ValueError(f"its model is {'missing' if model is None else model.kind}")
    settings = model.__dict__.get("yaml")
    if not isinstance(settings, dict):
        raise ValueError("it does not describe its model")
    named = _ARCHITECTURE.fullmatch(str(settings.get("yaml_file")))
    if named is None:
        raise ValueError("it does not name its architecture")
    classes = settings.get("nc")
    if not isinstance(classes, int) or not 0 < classes < _MOST_CLASSES:
        raise ValueError("its number of classes cannot be")
    layers = _items(model, "_modules").get("model")
    head = [*layers][-1:] if isinstance(layers, Inert) else []
    if not head or not isinstance(head[0], Inert):
        raise ValueError("it has no layers")
    state = _Collected(tensor)
    state.add(model, "", 0)
    encoder = model.__dict__.get("text_model") or settings.get("text_model") or ""
    return Checkpoint(model.kind, named[1], classes, str(encoder), head[0], state.tensors)


class _Collected:
    """Tensors by name, as `torch.nn.Module.state_dict` has them."""

    def __init__(self, tensor: type) -> None:
        self.tensors: dict[str, Any] = {}
        self._tensor = tensor
        self._layers = 0

    def add(self, module: Inert, prefix: str, level: int) -> None:
        """
        Raises:
            ValueError: there are too many layers; one can be part of many others.
        """
        self._layers += 1
        if level > _MOST_LEVELS or self._layers > _MOST_LAYERS:
            raise ValueError("its layers are nested too deeply, or too many")
        passing = module.__dict__.get("_non_persistent_buffers_set")
        passing = passing if isinstance(passing, set) else set()
        for group in ("_parameters", "_buffers"):
            for name, value in _items(module, group).items():
                if isinstance(value, self._tensor) and name not in passing:
                    self.tensors[f"{prefix}{name}"] = value
        for name, part in _items(module, "_modules").items():
            if isinstance(part, Inert):
                self.add(part, f"{prefix}{name}.", level + 1)


def _items(module: Inert, group: str) -> dict[Any, Any]:
    values = module.__dict__.get(group)
    return values if isinstance(values, dict) else {}


def build_model(checkpoint: Checkpoint, ultralytics: Any) -> Any:
    """The model with the checkpoint's weights.

    Args:
        ultralytics: the package.

    Raises:
        ValueError: this version of ultralytics has no such architecture, or another one under that
            name.
    """
    from ultralytics.nn import tasks

    description = packaged_architecture(checkpoint.architecture, ultralytics)
    module = getattr(tasks, checkpoint.kind)(str(description), nc=checkpoint.classes, verbose=False)
    try:
        missing, unknown = module.load_state_dict(dict(checkpoint.state), strict=False)
    except RuntimeError as error:
        raise ValueError(str(error).partition("\n")[0]) from error
    if missing or unknown:
        some = ", ".join([*missing, *unknown][:_SHOWN_NAMES])
        raise ValueError(f"{len(missing)} layers are missing, {len(unknown)} unknown: {some}")
    return module


def packaged_architecture(name: str, ultralytics: Any) -> Path:
    """Path by which ultralytics builds an architecture from its own description; a file of that
    name in the current folder is not used, as descriptions can hold code.

    Args:
        name: with or without a size, such as yoloe-26n-seg.yaml.

    Raises:
        ValueError: there is none of this name.
    """
    plain = re.sub(r"(\d+)[nslmx](?=[.-])", r"\1", name, count=1)
    models = Path(ultralytics.__file__).parent / "cfg" / "models"
    for known in sorted(models.rglob("*.yaml")):
        if known.name in (name, plain):
            return known.with_name(name)
    raise ValueError(f"ultralytics {ultralytics.__version__} has no architecture {name}")
