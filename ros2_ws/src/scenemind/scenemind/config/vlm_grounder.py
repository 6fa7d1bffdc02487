"""Phrases grounded by looking at stitched images (VLM-Grounder)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from scenemind.config.settings import Fraction, Positive, Settings


class SegmenterConfig(Settings):
    """Which model cuts an object out of an image, given its box (`perception.backends`)."""

    backend: Literal["auto", "depth", "sam", "sam_onnx"] = Field(
        "auto",
        description="auto: by the weights; depth: without a model, what stands at the box's depth",
    )
    weights: str = Field("", description="of SAM; empty: $SCENEMIND_SEGMENTER, else none: depth")
    device: str = Field("auto", description="of the torch backend: cpu, cuda, cuda:1, ...")


class VlmGrounderConfig(Settings):
    """Names and values are the paper's (sections 3 and 4.1) where it has them."""

    sheets: int = Field(
        6, ge=1, le=50, description="L: stitched images for the model, if it can be"
    )
    layouts: list[tuple[int, int]] = Field(
        [(4, 1), (2, 4), (8, 2), (9, 3)],
        description="rows and columns of a sheet, fewest images first; best found by"
        " `scenemind bench visual-retrieval` for a model of your own",
    )
    layouts_file: str = Field(
        "", description="what that bench wrote of this model; takes the place of layouts"
    )
    longest_px: int = Field(
        2048, ge=256, le=16_384, description="longer side of a sheet, as the model takes it"
    )
    most_frames: int = Field(
        96,
        ge=1,
        description="images of one query, as L sheets of 16 hold; the best of each location",
    )
    detection_score: Fraction = Field(0.2, description="a surer detection shows the class")
    text_encoder: Literal["", "clip_vit_b32"] = Field(
        "", description="compares labels by meaning; its weights are never fetched; empty: none"
    )
    retries: int = Field(3, ge=0, le=20, description="M: further choices after an invalid one")
    asks_about_one: bool = Field(
        False, description="ask which object is meant also where an image shows one candidate"
    )
    views: int = Field(7, ge=1, le=50, description="N: images that a box is measured from")
    erosion_px: int = Field(
        7, ge=0, description="of masks, for images 640 wide: 7 is a 15x15 square"
    )
    components: int = Field(2, ge=1, description="largest parts of a mask that stay")
    chamfer_m: Positive = Field(
        0.1, description="another view's points farther from the first's go"
    )
    outlier_neighbors: int = Field(5, ge=1)
    outlier_deviations: Positive = 1.0
    segmenter: SegmenterConfig = SegmenterConfig()
    fallback_detector: bool = Field(
        True, description="look again, with the words of the query, where nothing mapped fits them"
    )
    fallback_frames: int = Field(200, ge=1, description="most images of such a look")

    @field_validator("layouts", mode="before")
    @classmethod
    def _paired(cls, value: Any) -> Any:
        """ROS parameters have no lists of lists: there the numbers of all follow one another."""
        is_flat = isinstance(value, list) and all(isinstance(number, int) for number in value)
        if is_flat and len(value) % 2 == 0:
            return list(zip(value[::2], value[1::2], strict=True))
        return value
