"""The images of one query, as the model is shown them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scenemind.config import VlmGrounderConfig
from scenemind.memory import KeyFrame
from scenemind.reasoning.types import Picture
from scenemind.reasoning.vlm_grounder.choices import Id, find_number
from scenemind.reasoning.vlm_grounder.stitching import Layout, draw_sheets, plan_sheets


@dataclass(frozen=True, slots=True, eq=False)
class Album:
    """
    Attributes:
        rows: of the frame index, a row an image. frames: the images, in the same order.
        sheets: JPEG files.
        titles: of the sheets: what each shows.
        layouts: how many sheets of each, in words.
    """

    rows: tuple[int, ...]
    frames: tuple[KeyFrame, ...]
    sheets: tuple[bytes, ...]
    titles: tuple[str, ...]
    layouts: str

    @classmethod
    def of(
        cls,
        shown: Sequence[tuple[int, KeyFrame]],
        layouts: Sequence[Layout],
        config: VlmGrounderConfig,
    ) -> Album:
        """Stitched (paper, section 3.2); images have the ids 00000, 00001, ... in their order.

        Args:
            shown: rows with their images, at least one.
            layouts: by growing size, from `layouts_of`.
        """
        frames = tuple(frame for _, frame in shown)
        plans = plan_sheets(len(frames), config.sheets, layouts)
        ids = [image_id(place) for place in range(len(frames))]
        jpegs = [frame.jpeg for frame in frames]
        sheets = draw_sheets(jpegs, ids, plans, config.longest_px)
        titles = [
            f"Sheet {number} of {len(plans)}: images {ids[plan.first]} to"
            f" {ids[plan.first + plan.count - 1]}"
            for number, plan in enumerate(plans, start=1)
        ]
        counts = Counter(str(plan.layout) for plan in plans)
        told = ", ".join(f"{count} of {layout}" for layout, count in counts.items())
        return cls(tuple(row for row, _ in shown), frames, sheets, tuple(titles), told)

    def __len__(self) -> int:
        return len(self.frames)

    def find(self, written: Id) -> int | None:
        """The place of an image by its id; None where there is none."""
        place = find_number(written)
        return place if place is not None and place < len(self.frames) else None

    def told(self) -> str:
        """Its size in words."""
        images = "1 image" if len(self) == 1 else f"{len(self)} images"
        return f"{images} on sheets: {self.layouts}"

    def pictures(self) -> tuple[Picture, ...]:
        """The sheets, for reports."""
        return tuple(map(Picture, self.titles, self.sheets))


def image_id(place: int) -> str:
    """As it stands on the image: five digits."""
    return f"{place:05d}"
