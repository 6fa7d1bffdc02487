"""SAM in torch, on the CPU or a GPU, from segment-anything (Apache-2.0, extra `segment`).

MobileSAM (Zhang et al. 2023, arXiv:2306.14289) has SAM's decoder and a small encoder, TinyViT. Its
own package is not on PyPI; ultralytics (AGPL-3.0, extra `ultralytics`) has that encoder.
Imported only on use.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import install_line
from scenemind.perception.backends.backend_choice import ARCHITECTURE
from scenemind.perception.backends.pickled_keys import check_keys
from scenemind.perception.backends.sam_segmenter import SIDE
from scenemind.perception.backends.yolo_torch import fastest_type, torch_device
from scenemind.perception.torchvision_shim import ensure_torchvision
from scenemind.perception.types import PerceptionError
from scenemind.perception.weights import SEGMENTERS, find_weights
from scenemind.untrusted import check_archive

_OF_WIDTH = {768: "vit_b", 1024: "vit_l", 1280: "vit_h"}
_MOBILE = "mobile"
_KINDS = (*_OF_WIDTH.values(), _MOBILE)
# Errors of torch for a file with other content.
_UNREADABLE = (RuntimeError, pickle.UnpicklingError, EOFError, LookupError, ValueError, OSError)
_INSTEAD = "or name an encoder and a decoder that were exported to ONNX, which need no torch"


class SamTorch:
    """A `SamNetwork` in torch. Images are encoded in half precision on CUDA, and in bfloat16 on
    CPUs with instructions for it; boxes are decoded in float32."""

    def __init__(self, model: SamModel, device: str) -> None:
        """
        Raises:
            PerceptionError: no such device, or no room on it.
        """
        import torch

        self._torch = torch
        self._device = torch_device(torch, device, "segmenter.device")
        self._dtype = fastest_type(torch, self._device)
        try:
            self._model = model.module.to(self._device).eval().requires_grad_(False)
        except RuntimeError as error:
            raise PerceptionError(f"{model.title} does not fit {self._device}: {error}") from error

    @property
    def runtime(self) -> str:
        return f"torch, {self._device} {str(self._dtype).removeprefix('torch.')}"

    def encode(self, image: NDArray[np.float32]) -> Any:
        """See `SamNetwork`."""
        torch = self._torch
        exact = self._dtype == torch.float32
        cast = torch.autocast(self._device.type, dtype=self._dtype, enabled=not exact)
        try:
            with torch.inference_mode(), cast:
                return self._model.image_encoder(torch.from_numpy(image).to(self._device)).float()
        except RuntimeError as error:  # out of memory among them
            raise PerceptionError(f"SAM failed on an image on {self._device}: {error}") from error

    def decode(
        self, embedding: Any, boxes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """See `SamNetwork`."""
        torch, model = self._torch, self._model
        try:
            with torch.inference_mode():
                asked = torch.from_numpy(boxes).to(self._device)
                sparse, dense = model.prompt_encoder(points=None, boxes=asked, masks=None)
                logits, overlaps = model.mask_decoder.predict_masks(
                    image_embeddings=embedding,
                    image_pe=model.prompt_encoder.get_dense_pe(),
                    sparse_prompt_embeddings=sparse,
                    dense_prompt_embeddings=dense,
                )
                return logits.cpu().numpy(), overlaps.cpu().numpy()
        except RuntimeError as error:
            raise PerceptionError(
                f"SAM failed on {len(boxes)} boxes on {self._device}: {error}"
            ) from error


@dataclass(frozen=True, slots=True, eq=False)
class SamModel:
    """A SAM model.

    Attributes:
        module: segment-anything's `Sam`.
        title: the file's name, and whether its weights are random.
    """

    module: Any
    title: str


def load_sam(weights: str) -> SamModel:
    """A model by name or path, on the CPU; files are read as weights only, without running code.

    Args:
        weights: a .pth or .pt file, or its name; the model's size is read from it. A name ending
            in .yaml, such as sam_vit_b.yaml or mobile_sam.yaml, builds that size with random
            weights (from torch's seed), for measuring speed.

    Raises:
        PerceptionError: segment-anything or ultralytics is not installed, no such weights, or a
            file with other content.
    """
    stem = Path(weights).stem
    if Path(weights).suffix in ARCHITECTURE:
        return SamModel(_build(_kind_named(stem)), f"{stem}, random weights")
    _require_extra()  # before much is fetched
    path = find_weights(weights, SEGMENTERS)
    state = _read(path)
    module = _build(_kind_of(state, path))
    try:
        module.load_state_dict(state)
    except RuntimeError as error:
        raise PerceptionError(f"{path} holds another network than SAM: {error}") from error
    return SamModel(module, path.stem)


def _read(path: Path) -> Mapping[str, Any]:
    import torch

    try:
        check_archive(path)
        check_keys(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
    except _UNREADABLE as error:
        first_line = str(error).strip().partition("\n")[0]
        if isinstance(error, pickle.UnpicklingError):  # torch's advice is to load it unsafely
            first_line = "it is damaged, or may run programs"
        raise PerceptionError(
            f"{path} does not load as weights of SAM ({first_line}): remove it, and it is fetched"
            " anew where it has a known name"
        ) from error
    nested = state.get("model") if isinstance(state, dict) else None  # as some trainers save it
    state = nested if isinstance(nested, dict) else state
    if not isinstance(state, dict):
        raise PerceptionError(f"{path} holds a {type(state).__name__}, not the weights of SAM")
    return state


def _kind_of(state: Mapping[str, Any], path: Path) -> str:
    if "image_encoder.patch_embed.seq.0.c.weight" in state:
        return _MOBILE
    patches = state.get("image_encoder.patch_embed.proj.weight")
    kind = _OF_WIDTH.get(len(patches)) if patches is not None else None
    if kind is None:
        some = ", ".join(list(map(str, state))[:3])
        raise PerceptionError(
            f"{path} holds no SAM ViT-B, ViT-L, ViT-H or MobileSAM: it begins with {some};"
            f" {_INSTEAD}"
        )
    return kind


def _kind_named(stem: str) -> str:
    for kind in _KINDS:
        if kind in stem.lower():
            return kind
    raise PerceptionError(f"{stem!r} names none of the sizes of SAM: {', '.join(_KINDS)}")


def _build(kind: str) -> Any:
    _require_extra()
    from segment_anything import sam_model_registry
    from segment_anything.modeling import MaskDecoder, PromptEncoder, Sam, TwoWayTransformer

    if kind != _MOBILE:
        return sam_model_registry[kind]()
    channels, cells = 256, SIDE // 16
    transformer = TwoWayTransformer(depth=2, embedding_dim=channels, mlp_dim=2048, num_heads=8)
    return Sam(
        image_encoder=_tiny_encoder(),
        prompt_encoder=PromptEncoder(channels, (cells, cells), (SIDE, SIDE), mask_in_chans=16),
        mask_decoder=MaskDecoder(transformer_dim=channels, transformer=transformer),
    )


def _tiny_encoder() -> Any:
    """TinyViT (Wu et al. 2022) with 5 million weights, as MobileSAM uses it."""
    from scenemind.perception.backends.yolo_torch import import_ultralytics

    try:
        import_ultralytics()
    except PerceptionError as error:
        raise PerceptionError(
            f"MobileSAM's encoder comes from ultralytics: {error.__cause__};"
            f" {install_line('segment,ultralytics')} (AGPL-3.0), {_INSTEAD}"
        ) from error
    from ultralytics.models.sam.modules.tiny_encoder import TinyViT

    return TinyViT(
        img_size=SIDE,
        embed_dims=(64, 128, 160, 320),
        depths=(2, 2, 6, 2),
        num_heads=(2, 4, 5, 10),
        window_sizes=(7, 7, 14, 7),
    )


def _require_extra() -> None:
    try:
        ensure_torchvision()
        import segment_anything  # noqa: F401
    except ImportError as error:
        raise PerceptionError(
            f"SAM in torch needs the extra: {error}; {install_line('segment')}, {_INSTEAD}"
        ) from error
