"""Settings of the data path: sensors, detector, tracker, lifting, memory, relations and
descriptions.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scenemind.config.settings import Fraction, Positive, Settings


class SyncConfig(Settings):
    """Pairing of colour, depth and odometry (`frames.synchronizer`)."""

    tolerance_s: Positive = Field(
        0.02, description="largest difference of the stamps of colour and depth"
    )
    odometry_gap_s: Positive = Field(
        0.5, description="largest gap across which poses are interpolated"
    )
    queue_size: int = Field(30, ge=2, description="messages kept per stream while waiting")
    jump_s: Positive = Field(1.0, description="a stamp that goes back by more resets all streams")


class DepthConfig(Settings):
    """Range of valid depth, and the calibration of depth to colour."""

    min_m: Positive = Field(0.2, description="nearer depth is not used")
    max_m: Positive = Field(8.0, description="farther depth is not used")
    aligned: bool = Field(
        True, description="depth is aligned to colour; false: register it by color_T_depth"
    )
    color_T_depth: list[float] = Field(
        default_factory=list, description="x y z qx qy qz qw, needed when not aligned"
    )


class DetectorConfig(Settings):
    """The model that finds objects (`perception.backends`)."""

    backend: Literal["auto", "onnx", "yolo_world", "yoloe", "instance_camera"] = Field(
        "auto",
        description="auto: by the weights; onnx: an exported file; yolo_world, yoloe: torch, extra"
        " `ultralytics`",
    )
    weights: str = Field(
        "",
        description=".onnx or .xml file, .pt file, or a name such as yoloe-26n-seg; empty:"
        " $SCENEMIND_WEIGHTS",
    )
    runtime: Literal["auto", "onnxruntime", "openvino"] = Field(
        "auto", description="runtime of an exported file; auto: CUDA where present, else OpenVINO"
    )
    precision: Literal["auto", "float32"] = Field(
        "auto", description="auto: bfloat16 or half precision where the processor is faster with it"
    )
    device: str = Field("auto", description="of the torch backends: cpu, cuda, cuda:1, ...")
    vocabulary: list[str] = Field(
        default_factory=list,
        description="what an open-vocabulary detector looks for; empty: the default indoor words",
    )
    min_score: Fraction = Field(
        0.1, description="low, because the tracker's second stage uses weak detections"
    )
    nms_iou: Fraction = Field(0.6, description="overlap above which the weaker box is left out")
    max_detections: int = Field(100, ge=1, description="best detections kept per frame")
    classes: list[str] = Field(default_factory=list, description="keep only these; empty: all")
    input_size: int = Field(
        640, ge=32, description="longer side in pixels, for models that take any size"
    )
    providers: list[str] = Field(
        default_factory=list,
        description="ONNX Runtime execution providers in order, which also picks that runtime;"
        " TensorrtExecutionProvider builds for minutes at a model's first start",
    )
    threads: int = Field(0, ge=0, description="0: as many as there are cores")


class TrackerConfig(Settings):
    """BoT-SORT's two stages (paper's names; scores as ultralytics sets them)."""

    high_score: Fraction = Field(0.25, description="detections of the first stage")
    low_score: Fraction = Field(
        0.1, description="least score of the second stage, which continues tracks"
    )
    new_track_score: Fraction = Field(0.25, description="least score of a new track")
    match_iou: Fraction = Field(0.2, description="smallest IoU of a first-stage match")
    match_iou_low: Fraction = Field(0.5, description="smallest IoU of a second-stage match")
    match_iou_unconfirmed: Fraction = Field(
        0.3, description="smallest IoU that confirms a track seen once"
    )
    label_change_factor: Fraction = Field(
        0.6, description="share of its IoU that counts when the label differs"
    )
    lost_frames: int = Field(30, ge=1, description="frames for which a lost track is kept")
    unconfirmed_frames: int = Field(
        2, ge=0, description="frames for which a track seen once is kept"
    )
    out_of_view_frames: int = Field(
        300, ge=1, description="frames for which a lost track is kept while out of view"
    )
    depth_ratio: float = Field(
        2.0, gt=1.0, description="largest ratio between the depths of a track and its detection"
    )
    appearance_weight: Fraction = Field(
        0.0, description="weight of colour histograms in matching; 0: unused"
    )
    camera_motion: Literal["pose", "optical_flow", "none"] = Field(
        "pose", description="source of the camera's motion; optical flow for poor odometry"
    )


class LiftingConfig(Settings):
    """Detection and depth to points in the world (`perception.lifting`)."""

    erosion_px: int = Field(
        3, ge=0, description="width of the mask border whose depth is not trusted"
    )
    max_points: int = Field(400, ge=50, description="surface points kept per observation")
    min_points: int = Field(20, ge=4, description="fewest measured pixels of an observation")
    edge_ratio: Positive = Field(0.05, description="relative depth step that marks an edge")
    depth_noise_1m_m: Positive = Field(
        0.0025, description="standard deviation of depth at 1 m; grows with the distance squared"
    )


class MapperConfig(Settings):
    """Load control of the mapper (`mapping.governor`)."""

    deadline_ms: float = Field(
        33.0, ge=0.0, description="time budget of a frame without the detector; 0: no load shedding"
    )


class LoopClosureConfig(Settings):
    """Loops of the way that are closed here, for robots with odometry only (`memory.loops`)."""

    enabled: bool = Field(True, description="needs the extra `geometry3d`")
    least_m: float = Field(
        0.02, ge=0.0, description="smaller corrections are left to a later one, if also"
    )
    least_deg: float = Field(0.3, ge=0.0, description="the turn is smaller")
    put_off_frames: int = Field(
        300, ge=0, description="frames for which a look may wait while mapping is too slow"
    )


class ObjectMapConfig(Settings):
    """Fusing observations into objects (`memory.objects`)."""

    voxel_m: Positive = Field(0.03, description="edge of the cubes that hold one surface point")
    max_points: int = Field(2000, ge=100, description="surface points kept per object")
    confirm_observations: int = Field(
        3, ge=1, description="observations after which an object is in the map"
    )
    match_overlap: Fraction = Field(
        0.25, description="least overlap, as a share of the smaller box"
    )
    merge_overlap: Fraction = Field(0.5, description="least overlap of two objects that become one")
    forget_tentative_s: Positive = Field(5.0, description="lifetime of unconfirmed objects")


class TreeConfig(Settings):
    """MemTree3D (`memory.tree`; the paper's Algorithm 1 with the thresholds of section 4.1)."""

    translation_m: Positive = Field(1.5, description="a new location begins after this way")
    rotation_deg: Positive = Field(45.0, description="a new location begins after this turn")
    max_trajectory_points: int = Field(
        32, ge=2, description="trajectory points of a growing tracklet"
    )
    closed_trajectory_points: int = Field(
        8, ge=2, description="trajectory points of a tracklet in a closed location"
    )
    trajectory_tolerance_m: Positive = Field(
        0.1, description="largest error when a closed trajectory is simplified"
    )


class StoreConfig(Settings):
    """Data on disk: frames that are written (choice: `memory.tree.key_frames`) and images that stay
    (`memory.disk.retention`)."""

    key_frame_translation_m: Positive = Field(0.15, description="way between two key frames")
    key_frame_rotation_deg: Positive = Field(10.0, description="turn between two key frames")
    retention: Literal["all", "best_views", "byte_budget"] = Field(
        "byte_budget", description="images to keep: all, best_views or byte_budget"
    )
    views_per_object: int = Field(
        2, ge=1, le=16, description="best views kept of each object at each location"
    )
    budget_mb: Positive = Field(4000.0, description="size of all images under byte_budget")
    jpeg_quality: int = Field(90, ge=30, le=100, description="of stored images")
    depth_every_px: int = Field(
        2,
        ge=0,
        le=16,
        description="depth is stored at every n-th pixel of every n-th row; 0: no depth",
    )
    depth_error_1m_m: float = Field(
        0.002, ge=0.0, description="largest rounding at 1 m; grows with the distance squared"
    )
    queue_size: int = Field(
        16, ge=1, description="frames that may wait for the disk; further ones are dropped"
    )
    commit_s: Positive = Field(
        0.5, description="interval of commits: the most that a killed process loses"
    )
    private: bool = Field(
        True, description="new memories are for their user alone; false: as the umask says"
    )

    @property
    def file_mode(self) -> int:
        """Permissions of new files, before the umask."""
        return 0o600 if self.private else 0o666

    @property
    def folder_mode(self) -> int:
        """Permissions of new folders, before the umask."""
        return 0o700 if self.private else 0o777


class RelationConfig(Settings):
    """Thresholds of the relations (`memory.graph.relations`)."""

    support_gap_m: Positive = Field(
        0.12, description="largest vertical gap between a support and what is on it"
    )
    support_overlap: Fraction = Field(
        0.4, description="least share of the upper footprint on the lower"
    )
    inside_share: Fraction = Field(
        0.8, description="least share of the inner volume in the outer box"
    )
    embed_share: Fraction = Field(0.8, description="least share of the height sunk into the other")
    wall_gap_m: Positive = Field(0.12, description="largest gap to the supporting wall or ceiling")
    flat_m: Positive = Field(0.15, description="largest thickness of a flat object on a wall")
    above_overlap: Fraction = Field(
        0.2, description="least share of the smaller footprint over the other"
    )
    beside_share: Fraction = Field(
        0.5, description="least share of the shorter side that faces the other"
    )
    near_m: Positive = Field(1.0, description="largest gap between near boxes")
    next_to_m: Positive = Field(0.6, description="largest gap between neighbours on one level")
    higher_m: Positive = Field(0.1, description="least difference in height of higher and lower")
    reach_m: Positive = Field(1.0, description="largest distance within reach")
    around_m: Positive = Field(1.0, description="largest distance of an object around another")
    far_factor: Positive = Field(
        1.5, description="far: distance of centres over the sum of half diagonals"
    )
    closest_margin_m: Positive = Field(
        0.2, description="distance margin of an unambiguous closest or farthest"
    )
    direction_rule: Literal["angle", "region"] = Field(
        "angle",
        description="left, right, front, behind: by angle, or by the footprint's share",
    )
    direction_axes: Literal["sight", "heading"] = Field(
        "sight", description="forward axis: line of sight to the anchor, or the viewer's heading"
    )
    direction_deg: Positive = Field(45.0, description="half angle of left, right, front, behind")
    direction_aside_m: float = Field(
        0.0, ge=0.0, description="region: extra half width at its start"
    )
    direction_depth_m: Positive = Field(20.0, description="region: depth")
    direction_share: Fraction = Field(0.5, description="region: least share of the footprint in it")
    clock_deg: Positive = Field(30.0, description="largest angle from an hour of the clock")


class DescriptionsConfig(Settings):
    """Descriptions of objects by `models.vision`, and image vectors of them (`describing`)."""

    enabled: bool = Field(
        False, description="describe objects while mapping; `scenemind describe` works either way"
    )
    views: int = Field(4, ge=1, le=10, description="best views sent of each object")
    image_px: int = Field(512, ge=64, le=2048, description="longest side of a view, in pixels")
    per_minute: Positive = Field(
        20.0, description="largest number of questions to the model per minute"
    )
    image_encoder: Literal["", "clip_vit_b32"] = Field(
        "", description="encoder of object images (extra `ultralytics`); empty: none"
    )


class InventoryConfig(Settings):
    """What `models.vision` names in stored frames while a place is mapped."""

    enabled: bool = Field(
        False, description="name things while mapping; `scenemind inventory` works either way"
    )
    calls: int = Field(30, ge=1, description="of the model, from one start to the next")
    tokens: int = Field(0, ge=0, description="of these calls; 0: no limit")
    per_minute: Positive = Field(2.0, description="largest number of calls per minute")
