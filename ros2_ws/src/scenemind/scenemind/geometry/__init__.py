"""Poses, cameras, boxes and point clouds. Knows nothing of images' meaning."""

from scenemind.geometry.box import Box3D, gap_m
from scenemind.geometry.camera import PinholeCamera
from scenemind.geometry.errors import GeometryError
from scenemind.geometry.overlap import (
    footprint_overlap_m2,
    intersection_matrix_3d,
    iou_3d,
    iou_matrix_2d,
)
from scenemind.geometry.pose import Pose

__all__ = [
    "Box3D",
    "GeometryError",
    "PinholeCamera",
    "Pose",
    "footprint_overlap_m2",
    "gap_m",
    "intersection_matrix_3d",
    "iou_3d",
    "iou_matrix_2d",
]
