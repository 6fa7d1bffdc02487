"""Files of a monocular depth model: in a folder, or on the Hugging Face hub."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

from scenemind.perception.download import OFFLINE_VARIABLE
from scenemind.perception.errors import PerceptionError

EXAMPLE = "depth-anything/Depth-Anything-V2-Metric-Indoor-Small-hf"
_CONFIG = "config.json"
_SETTINGS = ("*.json",)
_WEIGHTS = ("*.json", "*.safetensors")
_PACKAGES = ("torch", "torchvision", "transformers")


class DepthModelFiles:
    """Of one model, named by a folder or by its name on the hub. What comes from the hub stays in
    the hub's own cache (`$HF_HOME`)."""

    def __init__(self, name_or_folder: str) -> None:
        """
        Raises:
            PerceptionError: the extra is not installed, there is no such folder, or its settings
                are of no model that tells metres.
        """
        _require_extra()
        path = Path(name_or_folder).expanduser()
        self._is_local = path.is_dir() or _is_path(name_or_folder)
        self._named = str(path) if self._is_local else name_or_folder
        folder = self._folder(_SETTINGS)
        check_tells_metres(_read_json(folder / _CONFIG, self._named), self._named)

    @property
    def title(self) -> str:
        """Its own name, without folders."""
        return Path(self._named).name

    def with_weights(self) -> Path:
        """A folder with all that the model needs, fetched where it is not there.

        Raises:
            PerceptionError: it cannot be fetched.
        """
        return self._folder(_WEIGHTS)

    def _folder(self, patterns: tuple[str, ...]) -> Path:
        if self._is_local:
            return Path(self._named)
        from huggingface_hub import snapshot_download

        is_offline = bool(os.environ.get(OFFLINE_VARIABLE))
        try:
            found = snapshot_download(
                self._named, allow_patterns=list(patterns), local_files_only=is_offline
            )
        except (OSError, ValueError) as error:  # the hub's errors are among them
            why = f"${OFFLINE_VARIABLE} is set" if is_offline else _first_line(error)
            raise PerceptionError(
                f"cannot fetch the depth model {self._named}: {why}. Fetch it where there is a"
                f" network (`hf download {self._named} --local-dir FOLDER`), and name that folder"
            ) from error
        return Path(found)


def check_tells_metres(settings: Any, name: str) -> None:
    """
    Args:
        settings: what is in the model's config.json.

    Raises:
        PerceptionError: depth is only relative there: ranks of near and far, without a unit.
    """
    kind = settings.get("model_type") if isinstance(settings, dict) else None
    if kind != "depth_anything":
        raise PerceptionError(
            f"{name} is a model of type {kind!r}: depth comes from Depth Anything V2 in its metric"
            f" variants, such as {EXAMPLE}"
        )
    if settings.get("depth_estimation_type") != "metric":
        raise PerceptionError(
            f"{name} tells what is nearer, but not by how many metres (its depth is relative): name"
            f" a metric variant, such as {EXAMPLE}"
        )


def _is_path(name: str) -> bool:
    """Names of the hub have one slash, and neither begin with it nor with a dot."""
    return name.startswith((".", "/", "~")) or name.count("/") != 1


def _read_json(path: Path, name: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PerceptionError(
            f"there is no depth model at {name} ({path.name} cannot be read: {error}): name a"
            f" folder with {_CONFIG}, preprocessor_config.json and model.safetensors, or a name of"
            f" the hub such as {EXAMPLE}"
        ) from error


def _require_extra() -> None:
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise PerceptionError(
            f"a depth model needs {', '.join(missing)}: pip install 'scenemind[depth]'"
        )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
