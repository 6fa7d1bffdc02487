"""YOLO-World and YOLOE as one function of a picture and word vectors, to run and to export.

Cheng et al. 2024 (YOLO-World, arXiv:2401.17270), Wang et al. 2025 (YOLOE, arXiv:2503.07465). Only
imported where torch and ultralytics are installed.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from ultralytics.nn.modules.block import C2fAttn
from ultralytics.utils.tal import make_anchors
from ultralytics.utils.torch_utils import fuse_conv_and_bn

from scenemind.perception.backends.backend_choice import Family

_OVERLAPPING_ROWS = 1000  # rows of heads with duplicate boxes
_UNUSED_LOGIT = -100.0  # a probability of 0, in half precision, too


class PromptedNetwork(nn.Module):
    """images (B, 3, h, w), texts (1, slots, D) -> rows (B, N, 6 [+ K]) [and prototypes (B, K, ..)].

    A row is x0, y0, x1, y1 in input pixels, score, slot, mask weights; best first. Zero rows in
    `texts` are unused slots: they never fire and have no other effect.
    """

    def __init__(self, module: Any, family: Family) -> None:
        """Take the model over: its classification layers are replaced.

        Args:
            module: ultralytics' WorldModel or YOLOEModel.
        """
        super().__init__()
        self.layers = module.model
        self.saved = frozenset(module.save)
        self.is_yoloe = family == "yoloe"
        head = self.layers[-1]
        self.end_to_end = bool(head.end2end)
        self.rows = head.max_det if self.end_to_end else _OVERLAPPING_ROWS
        boxes, classes, compare = (
            getattr(head, f"one2one_{name}" if self.end_to_end else name)
            for name in ("cv2", "cv3", "cv4")
        )
        self.box_branch, self.class_branch = boxes, classes
        self.mask_branch = getattr(head, "one2one_cv5" if self.end_to_end else "cv5", None)
        self.compare = nn.ModuleList(map(_folded, classes, compare))

    @property
    def has_masks(self) -> bool:
        return self.mask_branch is not None

    def forward(self, images: torch.Tensor, texts: torch.Tensor) -> tuple[torch.Tensor, ...]:
        used = (texts * texts).sum(-1, keepdim=True) > 0
        guide = torch.where(used, texts, texts[:, :1])
        features = self._features(images, guide.expand(images.shape[0], -1, -1))
        head = self.layers[-1]
        words = head.get_tpe(texts) * used if self.is_yoloe else texts
        logits = torch.cat(
            [
                compare(branch(level), words)
                for compare, branch, level in zip(
                    self.compare, self.class_branch, features, strict=True
                )
            ],
            2,
        )
        boxes = self._boxes(features)
        if not self.has_masks:
            return (self._best(boxes, logits),)
        weights = _along_anchors(self.mask_branch, features)
        with_26 = hasattr(head.proto, "feat_refine")
        prototypes = head.proto(features if with_26 else features[0])
        return self._best(boxes, logits, weights), prototypes

    def _features(self, x: Any, words: torch.Tensor) -> list[torch.Tensor]:
        """The three feature levels of the head; repeated words do not change the attention."""
        kept: list[Any] = []
        for layer in self.layers:
            if layer.f != -1:
                sources = [layer.f] if isinstance(layer.f, int) else layer.f
                inputs = [x if source == -1 else kept[source] for source in sources]
                x = inputs[0] if isinstance(layer.f, int) else inputs
            if layer is self.layers[-1]:
                break
            x = layer(x, words) if isinstance(layer, C2fAttn) else layer(x)
            kept.append(x if layer.i in self.saved else None)
        return list(x)

    def _boxes(self, features: list[torch.Tensor]) -> torch.Tensor:
        """(B, 4, N) corners in input pixels, in float32 at any precision of the network."""
        head = self.layers[-1]
        sides = _along_anchors(self.box_branch, features).float()
        if head.reg_max > 1:  # a distribution over whole numbers of cells a side; its mean
            likely = sides.unflatten(1, (4, head.reg_max)).softmax(2)
            cells = torch.arange(head.reg_max, dtype=torch.float32, device=sides.device)
            sides = (likely * cells[:, None]).sum(2)
        anchors, strides = make_anchors([level.float() for level in features], head.stride, 0.5)
        near, far = sides.chunk(2, 1)
        centers = anchors.T[None]
        return torch.cat((centers - near, centers + far), 1) * strides.T[None]

    def _best(
        self, boxes: torch.Tensor, logits: torch.Tensor, weights: torch.Tensor | None = None
    ) -> torch.Tensor:
        """The best (anchor, slot) pairs; for heads with duplicates only an anchor's best slot.

        Args:
            boxes: (B, 4, N).
            logits: (B, slots, N).
            weights: (B, K, N).
        """
        count = min(self.rows, logits.shape[2])
        anchor = logits.amax(1).topk(count)[1]
        few = _taken(logits, anchor).float()  # whatever follows is small
        if self.end_to_end:
            slots = few.shape[2]
            best, pair = few.flatten(1).topk(count)
            row = torch.div(pair, slots, rounding_mode="floor")
            slot, anchor = pair - row * slots, anchor.gather(1, row)
        else:
            best, slot = few.max(2)
        columns = [_taken(boxes, anchor), best.sigmoid()[..., None], slot[..., None].float()]
        if weights is not None:
            columns.append(_taken(weights, anchor).float())
        return torch.cat(columns, 2)


def _taken(columns: torch.Tensor, anchor: torch.Tensor) -> torch.Tensor:
    """Columns (B, C, N) of the anchors (B, M): (B, M, C)."""
    chosen = columns.gather(2, anchor[:, None].expand(-1, columns.shape[1], -1))
    return chosen.transpose(1, 2)


class _FoldedCompare(nn.Module):
    """Scores of word vectors on image features, without features of the words' dimension.

    The last 1x1 convolution W f + b (batch normalisation folded in) is followed by t . (W f + b):
    that is (t W) f + t . b, where t W is small.
    """

    def __init__(self, convolution: nn.Conv2d, compare: nn.Module) -> None:
        super().__init__()
        folded = fuse_conv_and_bn(convolution, compare.norm)
        self.register_buffer("kernel", folded.weight.detach()[:, :, 0, 0].clone())
        self.register_buffer("shift", folded.bias.detach().clone())
        self.register_buffer("scale", compare.logit_scale.detach().exp().clone())
        self.register_buffer("bias", compare.bias.detach().clone())

    def forward(self, features: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """(B, C, h, w), (1, slots, D) -> logits (B, slots, h * w)."""
        used = (words * words).sum(-1, keepdim=True) > 0
        unit = nn.functional.normalize(words, dim=-1)
        weights = (unit @ self.kernel) * self.scale
        offsets = (unit @ self.shift)[..., None] * self.scale + self.bias
        offsets = torch.where(used, offsets, torch.full_like(offsets, _UNUSED_LOGIT))
        return weights @ features.flatten(2) + offsets


def _folded(branch: nn.Sequential, compare: nn.Module) -> nn.Module:
    folded = _FoldedCompare(branch[-1], compare)
    branch[-1] = nn.Identity()
    return folded


def _along_anchors(branches: Any, features: list[torch.Tensor]) -> torch.Tensor:
    """Outputs of the branches, each for its level: (B, C, N)."""
    return torch.cat(
        [branch(level).flatten(2) for branch, level in zip(branches, features, strict=True)], 2
    )
