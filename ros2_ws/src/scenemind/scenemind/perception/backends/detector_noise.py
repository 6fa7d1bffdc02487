"""How much a simulated detector errs."""

from __future__ import annotations

from dataclasses import dataclass, fields

from scenemind.perception.errors import PerceptionError

_RATES = ("miss", "miss_small", "wrong_label")


@dataclass(frozen=True, slots=True)
class DetectorNoise:
    """Rates and sizes of errors; the usual ones are near a small real-time network's.

    Attributes:
        miss: share of large objects that are not found.
        miss_small: the same of objects of no size; in between it falls with
            exp(-side / `small_px`), side being the square root of the box's area.
        small_px: see above; scores fall for small objects in the same way.
        wrong_label: share of objects that are called by the name of a look-alike.
        false_positives: boxes in a frame that show nothing, on average.
        persistence: frames for which misses of a half, wrong names of all, and false positives
            stay as they are.
        jitter: standard deviation of each side of a box, as a share of the box's size.
        mask_shift_px: standard deviation of the erosion or dilation of masks.
        mask_raggedness: see `noisy_masks.noisy_mask`.
        min_score: detections that score less are not reported.
    """

    miss: float = 0.05
    miss_small: float = 0.5
    small_px: float = 24.0
    wrong_label: float = 0.06
    false_positives: float = 0.15
    persistence: int = 8
    jitter: float = 0.025
    mask_shift_px: float = 1.0
    mask_raggedness: float = 1.0
    min_score: float = 0.25

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if value < 0.0 or (name in _RATES and value > 1.0):
                raise PerceptionError(f"detector noise of {name}={value}: no such rate or size")
        if self.persistence < 1:
            raise PerceptionError("detector noise of persistence=0: errors last at least 1 frame")

    def __str__(self) -> str:
        return (
            f"misses {self.miss:.0%} to {self.miss_small:.0%}, wrong labels {self.wrong_label:.0%},"
            f" {self.false_positives:g} false positives a frame, boxes +-{self.jitter:.1%},"
            f" masks +-{self.mask_shift_px:g} px"
        )
