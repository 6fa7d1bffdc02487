"""Poses, cameras, boxes and point clouds. Knows nothing of images' meaning."""

from scenemind.errors import GeometryError
from scenemind.geometry.box import (
    Box3D,
    Extent,
    footprint_overlap_m2,
    gap_m,
    gaps_m,
    iou_3d,
    iou_matrix_2d,
    smallest_upright_box,
    turned_box,
    turned_gaps_m,
)
from scenemind.geometry.camera import PinholeCamera
from scenemind.geometry.pose import Pose

__all__ = [
    "Box3D",
    "Extent",
    "GeometryError",
    "PinholeCamera",
    "Pose",
    "footprint_overlap_m2",
    "gap_m",
    "gaps_m",
    "iou_3d",
    "iou_matrix_2d",
    "smallest_upright_box",
    "turned_box",
    "turned_gaps_m",
]
