"""Finding objects in a frame, following them, and lifting them into the world."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scenemind.config.settings import Fraction, Positive, Settings


class DetectorConfig(Settings):
    """Which model finds objects (`perception.backends`)."""

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
        "auto", description="what runs an exported file; auto: CUDA where there, else OpenVINO's"
    )
    precision: Literal["auto", "float32"] = Field(
        "auto", description="auto: bfloat16 or half where the processor is faster with it"
    )
    device: str = Field("auto", description="of the torch backends: cpu, cuda, cuda:1, ...")
    vocabulary: list[str] = Field(
        default_factory=list,
        description="what an open-vocabulary detector looks for; empty: the default indoor words",
    )
    min_score: Fraction = Field(
        0.1, description="low, since the tracker's second stage lives on weak detections"
    )
    nms_iou: Fraction = 0.6
    max_detections: int = Field(100, ge=1, description="best ones kept of one frame")
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
    low_score: Fraction = Field(0.1, description="weaker ones keep tracks alive, down to this")
    new_track_score: Fraction = Field(0.25, description="a new track needs this")
    match_iou: Fraction = Field(0.2, description="smallest IoU of a first-stage match")
    match_iou_low: Fraction = Field(0.5, description="smallest IoU of a second-stage match")
    match_iou_unconfirmed: Fraction = Field(
        0.3, description="smallest IoU that confirms a track seen once"
    )
    label_change_factor: Fraction = Field(
        0.6, description="share of its IoU that counts when the label differs"
    )
    lost_frames: int = Field(30, ge=1, description="frames that a lost track is kept")
    unconfirmed_frames: int = Field(2, ge=0, description="the same of a track seen only once")
    out_of_view_frames: int = Field(
        300, ge=1, description="the same while the camera looks elsewhere"
    )
    depth_ratio: float = Field(
        2.0, gt=1.0, description="a detection this many times nearer or farther is something else"
    )
    appearance_weight: Fraction = Field(
        0.0, description="how much colours weigh between two possible matches; 0: not looked at"
    )
    camera_motion: Literal["pose", "optical_flow", "none"] = Field(
        "pose", description="where the camera's motion comes from; optical flow for poor odometry"
    )


class LiftingConfig(Settings):
    """Detection and depth to points in the world (`perception.lifting`)."""

    erosion_px: int = Field(3, ge=0, description="mask border that is not trusted")
    max_points: int = Field(400, ge=50, description="surface sample kept of one observation")
    min_points: int = Field(20, ge=4, description="fewer measured pixels give no observation")
    edge_ratio: Positive = Field(0.05, description="relative depth step that marks an edge")
    depth_noise_1m_m: Positive = Field(
        0.0025, description="standard deviation of depth at 1 m; grows with the distance squared"
    )
