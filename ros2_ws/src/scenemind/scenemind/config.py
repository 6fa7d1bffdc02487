"""The one typed tree of settings.

The command line reads it from YAML (`SceneMindConfig.load`); the nodes mirror it as ROS parameters
of the same dotted names (`flatten`, `from_flat`). Unknown keys and missing files are errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from typing_extensions import Self

Positive = Annotated[float, Field(gt=0.0)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]


class ConfigError(ValueError):
    """A setting that does not exist or cannot have that value."""


def _got(value: object) -> str:
    """The offending value; a message on several settings together names them itself."""
    return "" if isinstance(value, Mapping) else f" (got {value!r})"


class Settings(BaseModel):
    """Settings with a name and a bound each; sections are settings within settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """From a YAML file that names only what differs from the defaults.

        Raises:
            ConfigError: no such file, no YAML, an unknown key or an impossible value.
        """
        try:
            data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"no configuration at {path}: {error.strerror}") from error
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} is not YAML: {error}") from error
        return cls.from_nested(data or {}, source=str(path))

    @classmethod
    def from_nested(cls, data: Any, source: str = "the given settings") -> Self:
        """From nested dictionaries.

        Raises:
            ConfigError: an unknown key or an impossible value.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            lines = [
                f"{'.'.join(map(str, e['loc']))}: {e['msg']}{_got(e['input'])}".removeprefix(": ")
                for e in error.errors()
            ]
            raise ConfigError(f"{source}: " + "; ".join(lines)) from error

    @classmethod
    def from_flat(cls, values: Mapping[str, Any]) -> Self:
        """From dotted names, as ROS parameters come.

        Raises:
            ConfigError: an unknown key or an impossible value.
        """
        nested: dict[str, Any] = {}
        for dotted, value in values.items():
            *parents, leaf = dotted.split(".")
            section = nested
            for parent in parents:
                section = section.setdefault(parent, {})
            section[leaf] = value
        return cls.from_nested(nested)

    def flatten(self) -> dict[str, Any]:
        """Dotted name -> value, in the order of this file."""
        return _flatten(self.model_dump())


class SyncConfig(Settings):
    """Pairing of colour, depth and odometry (`frames.synchronizer`)."""

    tolerance_s: Positive = Field(0.02, description="largest stamp difference colour to depth")
    odometry_gap_s: Positive = Field(0.5, description="largest gap to interpolate a pose across")
    queue_size: int = Field(30, ge=2, description="messages kept a stream while waiting")
    jump_s: Positive = Field(1.0, description="a stamp that goes back further resets the streams")


class DepthConfig(Settings):
    """Depth that counts as measured, and how it stands to colour."""

    min_m: Positive = 0.2
    max_m: Positive = 8.0
    aligned: bool = Field(True, description="false: register it with the calibration below")
    color_T_depth: list[float] = Field(
        default_factory=list, description="x y z qx qy qz qw, needed when not aligned"
    )


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


class ObjectMapConfig(Settings):
    """Fusing observations into objects (`memory.objects`)."""

    voxel_m: Positive = 0.03
    max_points: int = Field(2000, ge=100, description="surface sample kept of one object")
    confirm_observations: int = Field(3, ge=1)
    match_overlap: Fraction = Field(0.25, description="share of the smaller box that must overlap")
    merge_overlap: Fraction = 0.5
    forget_tentative_s: Positive = Field(5.0, description="unconfirmed objects live this long")


class TreeConfig(Settings):
    """MemTree3D (`memory.tree`; the paper's Algorithm 1 with the thresholds of section 4.1)."""

    translation_m: Positive = 1.5
    rotation_deg: Positive = 45.0
    max_trajectory_points: int = Field(32, ge=2, description="of a tracklet while it grows")
    closed_trajectory_points: int = Field(8, ge=2, description="of one in a closed location")
    trajectory_tolerance_m: Positive = Field(
        0.1, description="fewer points do for a closed one where they are this near to all"
    )


class RelationConfig(Settings):
    """Thresholds of the relations (`memory.graph.relations`)."""

    support_gap_m: Positive = Field(0.12, description="largest vertical gap of something on a top")
    support_overlap: Fraction = Field(0.4, description="share of the upper footprint on the lower")
    inside_share: Fraction = Field(0.8, description="share of the inner volume in the outer box")
    embed_share: Fraction = Field(
        0.8, description="share of the height that is sunk into the other"
    )
    wall_gap_m: Positive = Field(
        0.12, description="largest gap to the wall or ceiling that carries"
    )
    flat_m: Positive = Field(0.15, description="what stands out less from a wall is flat")
    above_overlap: Fraction = Field(
        0.2, description="share of the smaller footprint over the other"
    )
    beside_share: Fraction = Field(
        0.5, description="share of the shorter side that faces the other"
    )
    near_m: Positive = Field(1.0, description="largest gap between boxes that are near")
    next_to_m: Positive = Field(0.6, description="largest gap between neighbours on one level")
    higher_m: Positive = Field(0.1, description="least difference of height of higher and lower")
    reach_m: Positive = Field(1.0, description="largest distance of what is within reach")
    around_m: Positive = Field(1.0, description="largest distance of what is around")
    far_factor: Positive = Field(1.5, description="far: centres apart, over both half diagonals")
    closest_margin_m: Positive = Field(0.2, description="the lead of a sure closest or farthest")
    direction_rule: Literal["angle", "region"] = Field(
        "angle",
        description="left, right, front, behind: by the angle, or by the footprint's share",
    )
    direction_axes: Literal["sight", "heading"] = Field(
        "sight", description="ahead is where the anchor is seen, or where the viewer is turned"
    )
    direction_deg: Positive = Field(45.0, description="half angle of left, right, front, behind")
    direction_aside_m: float = Field(0.0, ge=0.0, description="region: how much wider it starts")
    direction_depth_m: Positive = Field(20.0, description="region: how far it goes")
    direction_share: Fraction = Field(0.5, description="region: share of the footprint within it")
    clock_deg: Positive = Field(30.0, description="largest angle off an hour of the clock")


class StoreConfig(Settings):
    """What is written to disk (which frames: `memory.tree.key_frames`) and what stays there
    (`memory.disk.retention`)."""

    key_frame_translation_m: Positive = 0.15
    key_frame_rotation_deg: Positive = 10.0
    retention: Literal["all", "best_views", "byte_budget"] = Field(
        "byte_budget", description="which images stay: all, best_views or byte_budget"
    )
    views_per_object: int = Field(
        2, ge=1, le=16, description="best views kept of each object at each location"
    )
    budget_mb: Positive = Field(4000.0, description="of images, for byte_budget")
    jpeg_quality: int = Field(90, ge=30, le=100)
    depth_every_px: int = Field(
        2, ge=0, le=16, description="depth is stored of every n-th pixel of every n-th row; 0: none"
    )
    depth_error_1m_m: float = Field(
        0.002, ge=0.0, description="largest rounding at 1 m; grows with the distance squared"
    )
    queue_size: int = Field(16, ge=1, description="frames that wait for the disk; more are dropped")
    commit_s: Positive = Field(0.5, description="at most this much is lost when killed")


class MapperConfig(Settings):
    """How the mapper keeps up with the camera (`mapping.governor`)."""

    deadline_ms: float = Field(
        33.0, ge=0.0, description="a frame's time without the detector; 0: nothing is put off"
    )


class DescriptionsConfig(Settings):
    """Attributes that a vision-language model is asked for (`describing`). The key to it stands in
    the environment only."""

    enabled: bool = Field(False, description="ask while mapping; `scenemind describe` asks anyway")
    endpoint: str = Field(
        "",
        description="of any server that speaks OpenAI's protocol, such as http://localhost:11434/v1;"
        " empty: OpenAI's",
    )
    model: str = Field("", description="name of a model that sees images; empty: none is asked")
    key_variable: str = Field(
        "OPENAI_API_KEY", description="environment variable with the key, where one is needed"
    )
    views: int = Field(4, ge=1, le=10, description="best views of an object that are sent")
    image_px: int = Field(512, ge=64, le=2048, description="longest side of a view that is sent")
    jpeg_quality: int = Field(85, ge=30, le=100)
    per_minute: Positive = Field(20.0, description="most questions to the model in a minute")
    deadline_s: Positive = Field(60.0, description="a question that takes longer has failed")
    image_encoder: Literal["", "clip_vit_b32"] = Field(
        "", description="what makes image vectors of objects (extra `ultralytics`); empty: nothing"
    )

    @model_validator(mode="after")
    def _names_what_is_enabled(self) -> Self:
        if self.enabled and not (self.model or self.image_encoder):
            raise ValueError("enabled is true: name a model, an image_encoder, or both")
        return self


class SceneMindConfig(Settings):
    """Everything that can be set."""

    map_frame: str = "map"
    sync: SyncConfig = SyncConfig()
    depth: DepthConfig = DepthConfig()
    detector: DetectorConfig = DetectorConfig()
    tracker: TrackerConfig = TrackerConfig()
    lifting: LiftingConfig = LiftingConfig()
    mapper: MapperConfig = MapperConfig()
    object_map: ObjectMapConfig = ObjectMapConfig()
    tree: TreeConfig = TreeConfig()
    relations: RelationConfig = RelationConfig()
    store: StoreConfig = StoreConfig()
    descriptions: DescriptionsConfig = DescriptionsConfig()


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat.update(_flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat
