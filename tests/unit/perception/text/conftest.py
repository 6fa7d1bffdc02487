"""Fixtures of the tests of words and pictures: published vectors, and towers of the real
architecture, small and with random weights, in the publishers' file formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.text import EmbeddingCache, import_vectors
from scenemind.perception.text.torch_encoders import require_torch

DIMENSION = 64  # of the small towers' vectors
LVIS = ("lvis_v1_clip_a+cname.npy", "lvis_v1_train_cat_info.json")


@pytest.fixture(scope="session")
def lvis(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> EmbeddingCache:
    """CLIP's vectors of the names of LVIS."""
    cache = EmbeddingCache("clip_vit_b32", tmp_path_factory.mktemp("cache"))
    vectors, names = (shared_data / "clip_text" / name for name in LVIS)
    assert import_vectors(cache, vectors, names, 512) > 1203
    return cache


@pytest.fixture(scope="session")
def clip() -> Any:
    """CLIP with one layer in each tower and random weights."""
    try:
        require_torch()
    except PerceptionError as error:
        pytest.skip(str(error))
    import torch
    from open_clip.model import CLIP

    torch.manual_seed(1)  # the weights
    vision = {"image_size": 64, "layers": 1, "width": 64, "patch_size": 32}
    text = {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 1, "layers": 2}
    model = CLIP(DIMENSION, vision, text, quick_gelu=True).eval()
    mask = model.attn_mask
    del model.attn_mask
    model.attn_mask = mask  # OpenAI's archive does not list it among the weights
    return model


@pytest.fixture(scope="session")
def files(clip: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """`archive`: TorchScript of both towers; `state`: its numbers; `tower`: only the text's."""
    import torch

    class TextTower(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.clip = clip

        def forward(self, tokens: Any) -> Any:
            return self.clip.encode_text(tokens, normalize=True)

    folder = tmp_path_factory.mktemp("weights")
    paths = {name: folder / f"{name}.pt" for name in ("archive", "state", "tower")}
    tokens = torch.zeros(2, 77, dtype=torch.int32)
    inputs = {"encode_text": (tokens,), "encode_image": (torch.zeros(2, 3, 64, 64),)}
    torch.jit.save(torch.jit.trace_module(clip, inputs), str(paths["archive"]))
    torch.save(clip.state_dict(), paths["state"])
    torch.jit.save(torch.jit.trace(TextTower(), (tokens,)), str(paths["tower"]))
    return paths
