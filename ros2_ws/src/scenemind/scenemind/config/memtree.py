"""Questions answered from key frames (MemTree3D)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scenemind.config.settings import Settings

SelectorName = Literal["tree", "objects", "uniform", "retrieval", "detector"]


class MemTreeConfig(Settings):
    """Which frames a vision model is shown (MemTree3D paper, section 3)."""

    selector: SelectorName = Field(
        "tree", description="who chooses the frames; all but tree are for comparison"
    )
    frames: int = Field(3, ge=1, le=32, description="k: locations that are chosen, a frame each")
    tree_tokens: int = Field(8000, ge=200, description="longest text of the tree for the model")
    image_encoder: Literal["clip_vit_b32"] = Field(
        "clip_vit_b32", description="of the selector retrieval (extra `ultralytics`)"
    )
