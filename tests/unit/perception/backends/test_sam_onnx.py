"""SAM in two ONNX files: a pair whose true masks are known, and the real architecture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.config.reasoning import SegmenterConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_segmenter
from scenemind.perception.backends.sam_segmenter import SamImage
from scenemind.perception.types import BoxMask

pytestmark = pytest.mark.extras


def save(path: Path, nodes: list[Any], constants: dict[str, Any], ports: Any) -> None:
    from onnx import helper, numpy_helper, save_model

    inputs, outputs = (
        [helper.make_tensor_value_info(name, 1, shape) for name, shape in side.items()]
        for side in ports
    )
    values = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "sam", inputs, outputs, values)
    opset = [helper.make_opsetid("", 17)]
    save_model(helper.make_model(graph, opset_imports=opset, ir_version=8), path)


def make_pair(folder: Path, batch: int | str) -> Path:
    """The embedding is the brightness of 16x16 pixels. The second of three masks is the box's part
    that is brighter than the mean of SAM's training, and has the highest score."""
    from onnx import helper

    save(
        folder / "bright_encoder.onnx",
        [
            helper.make_node(
                "AveragePool", ["image"], ["pooled"], kernel_shape=[16, 16], strides=[16, 16]
            ),
            helper.make_node("Conv", ["pooled", "kernel"], ["embeddings"]),
        ],
        {"kernel": np.full((256, 3, 1, 1), 1 / 3, np.float32)},
        ({"image": [1, 3, 1024, 1024]}, {"embeddings": [1, 256, 64, 64]}),
    )
    centers = (np.arange(256, dtype=np.float32) + 0.5) * 4
    nodes = [
        helper.make_node("Slice", ["image_embeddings", "first", "second", "second"], ["gray"]),
        helper.make_node("Resize", ["gray", "", "fourfold"], ["bright"], mode="nearest"),
    ]
    for name, axis in (("x", 0), ("y", 1)):
        nodes += [
            helper.make_node("Gather", ["point_coords", f"axis{axis}"], [name], axis=2),
            helper.make_node("Gather", [name, "axis0"], [f"{name}low"], axis=1),
            helper.make_node("Gather", [name, "axis1"], [f"{name}high"], axis=1),
            helper.make_node("Reshape", [f"{name}low", "shape"], [f"{name}0"]),
            helper.make_node("Reshape", [f"{name}high", "shape"], [f"{name}1"]),
            helper.make_node("Sub", [f"grid_{name}", f"{name}0"], [f"{name}after"]),
            helper.make_node("Sub", [f"{name}1", f"grid_{name}"], [f"{name}before"]),
        ]
    nodes += [
        helper.make_node("Min", ["xafter", "xbefore", "yafter", "ybefore"], ["in_box"]),
        helper.make_node("Mul", ["bright", "many"], ["brightness"]),
        helper.make_node("Min", ["in_box", "brightness"], ["mask"]),
        helper.make_node("Neg", ["in_box"], ["around"]),
        helper.make_node("Concat", ["around", "mask", "in_box"], ["low_res_masks"], axis=1),
        helper.make_node("ReduceMean", ["low_res_masks"], ["means"], axes=[2, 3], keepdims=0),
        helper.make_node("Mul", ["means", "zero_f"], ["zeros"]),
        helper.make_node("Add", ["zeros", "said"], ["iou_predictions"]),
    ]
    save(
        folder / "bright_decoder.onnx",
        nodes,
        {
            "first": np.array([0]),
            "second": np.array([1]),
            "fourfold": np.array([1, 1, 4, 4], np.float32),
            "axis0": np.array(0),
            "axis1": np.array(1),
            "shape": np.array([-1, 1, 1, 1]),
            "grid_x": centers[None, None, None, :],
            "grid_y": centers[None, None, :, None],
            "many": np.float32(100),
            "zero_f": np.float32(0),
            "said": np.array([[0.2, 0.9, 0.5]], np.float32),
        },
        (
            {
                "image_embeddings": [1, 256, 64, 64],
                "point_coords": [batch, 2, 2],
                "point_labels": [batch, 2],
                "mask_input": [1, 1, 256, 256],
                "has_mask_input": [1],
                "orig_im_size": [2],
            },
            {
                "low_res_masks": ["masks", 3, 256, 256],
                "iou_predictions": ["masks", 3],
            },
        ),
    )
    return folder


def bright_patch(width: int, height: int) -> tuple[RGBDFrame, tuple[int, int, int, int]]:
    color = np.zeros((height, width, 3), np.uint8)
    patch = (width // 4, height // 3, width // 2, height * 4 // 5)
    color[patch[1] : patch[3], patch[0] : patch[2]] = 255
    camera = PinholeCamera(width, height, 300.0, 300.0, width / 2, height / 2)
    depth = np.zeros((height, width), np.float32)
    return RGBDFrame(0, 0, color, depth, camera, Pose.identity()), patch


def corners(mask: BoxMask | None) -> tuple[int, int, int, int]:
    assert mask is not None
    height, width = mask.bits.shape
    return mask.x_px, mask.y_px, mask.x_px + width, mask.y_px + height


@pytest.mark.parametrize("batch", [1, "boxes"])
@pytest.mark.parametrize(("width", "height"), [(640, 480), (1297, 969), (481, 641), (101, 333)])
def test_masks_cover_the_thing_in_images_of_any_shape(
    batch: int | str, width: int, height: int, tmp_path: Path
) -> None:
    segmenter = make_segmenter(SegmenterConfig(weights=str(make_pair(tmp_path, batch))))
    assert segmenter.name.startswith("bright (O")  # ONNX Runtime or OpenVINO
    frame, patch = bright_patch(width, height)
    middle = (patch[0] + patch[2]) // 2
    boxes = np.array([(0, 0, width, height), (middle, 0, width, height)], np.float32)
    whole, half = segmenter.segment(frame, boxes)
    cell = 16.0 * max(width, height) / 1024  # of the embedding
    np.testing.assert_allclose(corners(whole), patch, atol=cell)
    np.testing.assert_allclose(corners(half), (middle, *patch[1:]), atol=cell)
    (nothing,) = segmenter.segment(frame, np.array([[0, 0, patch[0] - 2 * cell, height]]))
    assert nothing is None


def test_one_file_of_a_pair_names_the_other(tmp_path: Path) -> None:
    make_pair(tmp_path, 1)
    for half in ("encoder", "decoder"):
        path = tmp_path / f"bright_{half}.onnx"
        assert make_segmenter(SegmenterConfig(weights=str(path))).name.startswith("bright (")


def test_error_names_another_network(tmp_path: Path) -> None:
    make_pair(tmp_path, 1)
    encoder, decoder = tmp_path / "bright_encoder.onnx", tmp_path / "bright_decoder.onnx"
    parts = encoder.read_bytes(), decoder.read_bytes()
    decoder.write_bytes(parts[0])
    with pytest.raises(PerceptionError, match=r"takes image and gives.*export_onnx_model"):
        make_segmenter(SegmenterConfig(weights=str(tmp_path)))
    encoder.write_bytes(parts[1])
    with pytest.raises(PerceptionError, match="not one float image"):
        make_segmenter(SegmenterConfig(weights=str(tmp_path)))


def test_masks_of_another_size_are_refused(tmp_path: Path) -> None:
    """Scaled like those of SAM, these masks would lie elsewhere."""
    from onnx import helper

    make_pair(tmp_path, 1)
    save(
        tmp_path / "bright_decoder.onnx",
        [
            helper.make_node("Slice", ["image_embeddings", "first", "end", "axis"], ["gray"]),
            helper.make_node("Identity", ["gray"], ["low_res_masks"]),
            helper.make_node("ReduceMean", ["gray"], ["iou_predictions"], axes=[2, 3], keepdims=0),
        ],
        {"first": np.array([0]), "end": np.array([1]), "axis": np.array([1])},
        (
            {
                "image_embeddings": [1, 256, 64, 64],
                "point_coords": [1, 2, 2],
                "point_labels": [1, 2],
            },
            {"low_res_masks": [1, 1, 64, 64], "iou_predictions": [1, 1]},
        ),
    )
    segmenter = make_segmenter(SegmenterConfig(weights=str(tmp_path)))
    frame, _ = bright_patch(320, 240)
    with pytest.raises(PerceptionError, match=r"\(1, 1, 64, 64\).* are \(N, M, 256, 256\)"):
        segmenter.segment(frame, np.array([[0.0, 0.0, 320.0, 240.0]]))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MobileSAM with random weights in torch, and as two ONNX files."""
    import torch

    from scenemind.perception.backends.export import export_sam
    from scenemind.perception.backends.sam_torch import load_sam

    folder = tmp_path_factory.mktemp("exported")
    torch.manual_seed(0)
    torch.save(load_sam("mobile_sam.yaml").module.state_dict(), folder / "mobile_sam.pt")
    encoder, decoder = export_sam(str(folder / "mobile_sam.pt"), folder / "onnx")
    assert (encoder.name, decoder.name) == ("mobile_sam_encoder.onnx", "mobile_sam_decoder.onnx")
    return folder


def test_an_export_gives_the_models_masks(exported: Path, frame: RGBDFrame) -> None:
    from scenemind.perception.backends.sam_segmenter import SamOnnx, find_pair
    from scenemind.perception.backends.sam_torch import SamTorch, load_sam

    network = SamTorch(load_sam(str(exported / "mobile_sam.pt")), "cpu")
    files = SamOnnx(*find_pair(exported / "onnx"))
    image = SamImage.fit(frame.camera.width, frame.camera.height)
    embedding = network.encode(image.input_of(frame.color))
    # Both may encode in bfloat16, each in its own way.
    difference = np.abs(embedding.numpy() - files.encode(image.input_of(frame.color)))
    assert difference.max() < 0.05 * np.abs(embedding.numpy()).max()
    for boxes_px in ([[20, 30, 120, 200]], [[20, 30, 120, 200], [150, 10, 320, 256], [0, 0, 9, 9]]):
        boxes = image.boxes_of(np.array(boxes_px, np.float32))
        logits, overlaps = network.decode(embedding, boxes)
        their_logits, their_overlaps = files.decode(embedding.numpy(), boxes)
        np.testing.assert_allclose(their_logits, logits, atol=1e-4)
        np.testing.assert_allclose(their_overlaps, overlaps, atol=1e-5)


def test_an_export_segments_without_torch(exported: Path, frame: RGBDFrame) -> None:
    segmenter = make_segmenter(SegmenterConfig(weights=str(exported / "onnx")))
    assert segmenter.name.startswith("mobile_sam (O")
    masks = segmenter.segment(frame, np.array([[20, 30, 120, 200], [0, 0, 320, 256]], np.float32))
    assert len(masks) == 2


@pytest.mark.filterwarnings("ignore")  # of tracing
def test_segment_anythings_own_export_of_the_decoder_is_taken_too(
    exported: Path, tmp_path: Path
) -> None:
    import torch
    from segment_anything.utils.onnx import SamOnnxModel

    from scenemind.perception.backends.sam_segmenter import SamOnnx
    from scenemind.perception.backends.sam_torch import load_sam

    encoder, decoder = exported / "onnx/mobile_sam_encoder.onnx", tmp_path / "decoder.onnx"
    given = {
        "image_embeddings": torch.randn(1, 256, 64, 64),
        "point_coords": torch.randint(0, 1024, (1, 5, 2)).float(),
        "point_labels": torch.randint(0, 4, (1, 5)).float(),
        "mask_input": torch.randn(1, 1, 256, 256),
        "has_mask_input": torch.ones(1),
        "orig_im_size": torch.tensor([480.0, 640.0]),
    }
    torch.onnx.export(
        SamOnnxModel(load_sam(str(exported / "mobile_sam.pt")).module, return_single_mask=False),
        tuple(given.values()),
        str(decoder),
        input_names=list(given),
        output_names=["masks", "iou_predictions", "low_res_masks"],
        dynamic_axes={"point_coords": {1: "points"}, "point_labels": {1: "points"}},
        opset_version=17,
        dynamo=False,
    )
    embedding = np.random.default_rng(2).normal(size=(1, 256, 64, 64)).astype(np.float32)
    boxes = np.array([[64, 100, 400, 640], [500, 30, 1024, 800]], np.float32)
    ours = SamOnnx(encoder, exported / "onnx/mobile_sam_decoder.onnx").decode(embedding, boxes)
    theirs = SamOnnx(encoder, decoder).decode(embedding, boxes)
    for own, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(own, other, atol=1e-4)
