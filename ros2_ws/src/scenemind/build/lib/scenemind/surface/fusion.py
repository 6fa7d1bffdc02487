"""Fusion of stored key frames into a truncated signed distance field (TSDF), by Open3D.

Curless and Levoy, A Volumetric Method for Building Complex Models from Range Images, SIGGRAPH 1996;
in blocks of voxels along the surface only. Depth noise grows with the distance squared, so near
and far pixels of a frame are fused apart, with a truncation that grows with the distance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMindError
from scenemind.frames import FrameError
from scenemind.frames.images import decode_color_file
from scenemind.geometry import Pose
from scenemind.geometry.open3d import best_device, load_open3d
from scenemind.geometry.points import voxel_keys
from scenemind.memory import MemoryAccess, SceneMemoryError
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.types import DepthImage, FrameIndex
from scenemind.surface.mesh import SurfaceMesh, ids_of_vertices

_FARTHEST_M = 4.5
_BANDS_M = (0.0, 1.5, 3.0, _FARTHEST_M)  # of depth,
_TRUNCATIONS_M = (0.06, 0.10, 0.18)  # and the truncation in each: several times the noise
_LEAST_TRUNCATION = 3.0  # voxels
_EDGE_SHARE = 0.05  # a jump of depth between neighbouring pixels; flying pixels stand there
_BODY_M = 0.5  # behind the median depth of a person's box begins the background
_BLOCK = 16  # voxels along the edge of a block
_MOST_BLOCKS = 12_000  # 80 kB each
_MOST_FRAMES = 1000
_COARSE_PX = 8
_STRIDE = 4  # of the pixels whose blocks Open3D makes
_LEAST_PART = 300  # triangles; smaller pieces that hang free are noise
OnProgress = Callable[[int, int], None]


class SurfaceError(SceneMindError, RuntimeError):
    """A memory from which no surface can be made."""


def fuse_surface(
    memory: MemoryAccess, voxel_m: float = 0.02, on_progress: OnProgress | None = None
) -> SurfaceMesh:
    """The surface of what the stored key frames show, without people and animals.

    The same memory gives the same surface. At most 1000 frames are fused, evenly chosen, in a
    bounded number of blocks: in a large place the voxels grow.

    Args:
        voxel_m: edge length of the voxels; larger where the place does not fit otherwise.

    Raises:
        MissingOpen3DError: Open3D cannot be loaded.
        SurfaceError: an impossible voxel size, or no frame with depth is stored.
        SceneMemoryError: the memory does not answer.
    """
    open3d = load_open3d("a surface")
    if not (math.isfinite(voxel_m) and voxel_m >= 0.005):
        raise SurfaceError(f"voxels of {voxel_m} m: take 0.005 m or more")
    index = memory.frame_index()
    rows = np.arange(len(index))
    if len(rows) > _MOST_FRAMES:
        rows = np.linspace(0, len(index) - 1, _MOST_FRAMES).round().astype(int)
    voxel_m = _affordable(memory, index, rows, voxel_m)
    grid = _Grid(open3d, voxel_m)
    fused = 0
    for done, row in enumerate(rows.tolist()):
        fused += sum(grid.add(*frame) for frame in _frame(memory, index, row))
        if on_progress is not None:
            on_progress(done + 1, len(rows))
    if not fused:
        raise SurfaceError("no stored frame has depth: see store.depth_every_px")
    vertices, triangles, rgb = grid.surface()
    scene = memory.snapshot()
    ids = ids_of_vertices(vertices, scene)
    names = {i: thing.label for i, thing in scene.objects.items()}
    names |= {i: str(plane.kind) for i, plane in scene.structure.items()}
    return SurfaceMesh(
        vertices, triangles, rgb, ids, {i: names[i] for i in np.unique(ids).tolist() if i}, voxel_m
    )


def _affordable(
    memory: MemoryAccess, index: FrameIndex, rows: NDArray[np.intp], voxel_m: float
) -> float:
    """The voxel size whose blocks around all measured points are few enough."""
    keys = np.zeros(0, np.int64)
    for row in rows[:: max(1, len(rows) // 200)].tolist():
        depth = _depth_of(memory, int(index.frame_numbers[row]))
        if depth is None:
            continue
        sparse = depth.depth_m[::_COARSE_PX, ::_COARSE_PX]
        v, u = np.nonzero((sparse > 0.0) & (sparse < _FARTHEST_M))
        seen = depth.camera.unproject(u * _COARSE_PX, v * _COARSE_PX, sparse[v, u])
        world = Pose.from_matrix(index.world_T_camera[row]).transform(seen)
        keys = np.union1d(keys, voxel_keys(np.asarray(world), voxel_m * _BLOCK))
    # A block in which the surface lies brings neighbours with it, for the truncation.
    excess = 3.0 * len(keys) / _MOST_BLOCKS
    return voxel_m * max(1.0, math.sqrt(excess))


def _depth_of(memory: MemoryAccess, number: int) -> DepthImage | None:
    try:
        return memory.depth_image(number)
    except (SceneMemoryError, FrameError):  # deleted meanwhile, damaged, or without depth
        return None


def _frame(
    memory: MemoryAccess, index: FrameIndex, row: int
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32], Any, NDArray[np.float64]]]:
    """Depth (h, w) that can be trusted, colour (h, w, 3) in [0, 1], camera and pose, if any."""
    number = int(index.frame_numbers[row])
    depth = _depth_of(memory, number)
    if depth is None:
        return
    try:
        frame = memory.key_frame(number, (0,))
        color = decode_color_file(frame.jpeg)
    except (SceneMemoryError, FrameError):
        return
    every = depth.every_px
    sampled = np.ascontiguousarray(color[::every, ::every], np.float32) / np.float32(255.0)
    trusted = _without_edges(depth.depth_m)
    for box_px in _boxes_of_people(index, row):
        _cut_out(trusted, box_px / every)
    yield trusted, sampled, depth.camera, frame.world_T_camera.matrix()


def _without_edges(depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """Depth without pixels at a jump, where cameras mix near and far."""
    kernel = np.ones((3, 3), np.uint8)
    far = cv2.dilate(depth_m, kernel)
    near = cv2.erode(np.where(depth_m > 0, depth_m, np.float32(np.inf)), kernel)
    sound = (far - near <= np.float32(_EDGE_SHARE) * far) & (depth_m < _FARTHEST_M)
    return np.where(sound, depth_m, np.float32(0.0))


def _boxes_of_people(index: FrameIndex, row: int) -> NDArray[np.float32]:
    """(K, 4): boxes of what moves by itself in a frame, pixels of the colour image."""
    moving = [label for label in index.labels if sense_of(label).moves]
    own = (index.detection_frames == row) & index.is_called(moving)
    return index.detection_boxes_px[own]


def _cut_out(depth_m: NDArray[np.float32], box_px: NDArray[np.floating]) -> None:
    """Clear the near part of a box; the background beside the person stays."""
    x0, y0 = np.maximum(np.floor(box_px[:2]).astype(int) - 2, 0)
    x1, y1 = np.ceil(box_px[2:]).astype(int) + 3
    part = depth_m[y0:y1, x0:x1]
    seen = part[part > 0.0]
    if len(seen):
        part[part < np.median(seen) + _BODY_M] = 0.0


class _Grid:
    """The voxels."""

    def __init__(self, open3d: ModuleType, voxel_m: float) -> None:
        self._o3d, self._voxel_m = open3d, voxel_m
        self._device = best_device(open3d)
        kind = open3d.core.float32
        self._blocks = open3d.t.geometry.VoxelBlockGrid(
            ("tsdf", "weight", "color"),
            (kind, kind, kind),
            (1, 1, 3),
            voxel_m,
            _BLOCK,
            _MOST_BLOCKS // 4,
            self._device,
        )

    def add(
        self,
        depth_m: NDArray[np.float32],
        rgb: NDArray[np.float32],
        camera: Any,
        world_T_camera: NDArray[np.float64],
    ) -> bool:
        """Fuse a frame; whether it had any depth."""
        tensor, image = self._o3d.core.Tensor, self._o3d.t.geometry.Image
        lens = [[camera.fx, 0.0, camera.cx], [0.0, camera.fy, camera.cy], [0.0, 0.0, 1.0]]
        intrinsic = tensor(np.array(lens))
        extrinsic = tensor(np.ascontiguousarray(np.linalg.inv(world_T_camera)))
        color = image(tensor(rgb, device=self._device))
        any_depth = False
        bands = zip(_BANDS_M, _BANDS_M[1:], _TRUNCATIONS_M, strict=False)
        for nearest, farthest, truncation_m in bands:
            band = np.where((depth_m > nearest) & (depth_m <= farthest), depth_m, np.float32(0))
            if not band[::_STRIDE, ::_STRIDE].any():  # Open3D refuses a frame that touches nothing
                continue
            any_depth = True
            depth = image(tensor(band, device=self._device))
            reach = max(_LEAST_TRUNCATION, truncation_m / self._voxel_m)
            view = (intrinsic, extrinsic, 1.0, _FARTHEST_M, reach)
            blocks = self._blocks.compute_unique_block_coordinates(depth, *view)
            self._blocks.integrate(blocks, depth, color, intrinsic, *view)
        return any_depth

    def surface(self) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.uint8]]:
        """Vertices, triangles and colours in an order of their own, without small loose pieces."""
        mesh = self._blocks.extract_triangle_mesh(weight_threshold=1.0).cpu()
        if mesh.vertex.positions.shape[0] == 0:
            raise SurfaceError("the stored frames show no surface within 4.5 m")
        points = mesh.vertex.positions.numpy()
        triangles = mesh.triangle.indices.numpy().astype(np.int64)
        rgb = np.clip(np.rint(mesh.vertex.colors.numpy() * 255.0), 0, 255).astype(np.uint8)
        triangles = triangles[_in_large_parts(triangles, len(points))]
        used = np.unique(triangles)
        # Open3D's threads give vertices in any order.
        order = used[np.lexsort(points[used].T[::-1])]
        rank = np.zeros(len(points), np.int64)
        rank[order] = np.arange(len(order))
        faces = rank[triangles]
        first = faces.argmin(axis=1)
        faces = np.take_along_axis(faces, (first[:, None] + np.arange(3)) % 3, axis=1)
        faces = faces[np.lexsort(faces.T[::-1])]
        return points[order].astype(np.float32), faces.astype(np.int32), rgb[order]


def _in_large_parts(triangles: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """(T,): triangles of connected pieces that are not small."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    starts, ends = triangles[:, [0, 1]].ravel(), triangles[:, [1, 2]].ravel()
    links = coo_matrix((np.ones(len(starts), np.int8), (starts, ends)), (count, count))
    _, part = connected_components(links, directed=False)
    of_triangle = part[triangles[:, 0]]
    large = np.bincount(of_triangle) >= min(_LEAST_PART, np.bincount(of_triangle).max())
    return np.asarray(large[of_triangle])
