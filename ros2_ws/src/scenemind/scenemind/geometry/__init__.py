"""Poses, cameras, boxes and point clouds. Knows nothing of images' meaning."""

from scenemind.geometry.box import Box3D, Extent, gap_m, gaps_m
from scenemind.geometry.camera import PinholeCamera
from scenemind.geometry.errors import GeometryError
from scenemind.geometry.overlap import footprint_overlap_m2, iou_3d, iou_matrix_2d
from scenemind.geometry.pose import Pose
from scenemind.geometry.upright import smallest_upright_box

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
]
