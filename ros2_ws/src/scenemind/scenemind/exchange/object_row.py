"""One object of an objects file: id, label, box and colour."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Length = Annotated[float, Field(ge=0.0)]
Channel = Annotated[int, Field(ge=0, le=255)]


class ObjectRow(BaseModel):
    """An object as annotators and detectors give it; metres and radians, world, z up.

    Attributes:
        id: 0 or more: negative ids are the building's.
        yaw: turn of the box about z; 0 is axis-aligned.
        avg_rgb: mean sRGB colour, 0..255, as the ScanNet objects have it.
        color: its name, where somebody said one.
        score: how sure a detector is that it is there; None: it is true.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    id: int = Field(ge=0)
    label: str = Field(min_length=1)
    center: tuple[float, float, float]
    size: tuple[Length, Length, Length]
    yaw: float = 0.0
    avg_rgb: tuple[Channel, Channel, Channel] | None = None
    color: str | None = None
    score: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
