"""Which classes detectors take for one another."""

from __future__ import annotations

# Within a group things look alike from some side. A class may be in several groups.
_LOOK_ALIKES: tuple[tuple[str, ...], ...] = (
    ("chair", "couch", "stool", "armchair", "bench"),
    ("dining table", "desk", "side table", "coffee table", "bench"),
    ("cup", "bowl", "vase", "bottle", "wine glass", "soda can"),
    ("monitor", "laptop", "tv"),
    ("keyboard", "remote", "laptop", "book"),
    ("book", "cell phone", "remote", "box"),
    ("cabinet", "bookshelf", "shelf", "refrigerator", "dresser"),
    ("door", "window", "picture", "mirror", "refrigerator"),
    ("pillow", "backpack", "teddy bear", "blanket"),
    ("trash can", "box", "stool", "suitcase", "vase"),
    ("backpack", "suitcase", "handbag"),
    ("potted plant", "vase", "lamp"),
    ("mouse", "remote", "cell phone"),
    ("apple", "orange", "sports ball"),
    ("clock", "plate", "bowl"),
)


def find_look_alikes(label: str) -> tuple[str, ...]:
    """Classes that a detector may say instead, in alphabetical order; empty for unknown ones."""
    others = {other for group in _LOOK_ALIKES if label in group for other in group}
    return tuple(sorted(others - {label}))
