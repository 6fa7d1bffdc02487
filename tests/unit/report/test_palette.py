"""Colours of labels: steady, distinct, dark enough for white text."""

from __future__ import annotations

import pytest

from scenemind.report.palette import colors_of, rgb_of


def contrast_with_white(color: str) -> float:
    """WCAG 2.1's contrast ratio."""
    channels = [value / 255 for value in rgb_of(color)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 1.05 / (luminance + 0.05)


LABELS = [f"label {number}" for number in range(40)]


def test_labels_differ_in_colour() -> None:
    assert len(set(colors_of(LABELS).values())) == len(LABELS)


def test_the_order_of_objects_does_not_matter() -> None:
    labels = ["cup", "chair", "chair", "table"]
    assert colors_of(labels) == colors_of(labels[::-1])


@pytest.mark.parametrize("color", colors_of(LABELS).values())
def test_white_text_can_be_read_on_it(color: str) -> None:
    assert contrast_with_white(color) >= 4.5
