"""Detectors, segmenters and depth estimators, one module per model or runtime."""

from scenemind.perception.backends.factory import make_detector, make_segmenter

__all__ = ["make_detector", "make_segmenter"]
