"""The methods that ask a model, of what is configured."""

from __future__ import annotations

from collections.abc import Mapping

from scenemind.config import (
    DetectorConfig,
    LearnedMethodsConfig,
    LlmTpcConfig,
    MemTreeConfig,
    RelationConfig,
    SynergaiConfig,
    VadarConfig,
    VlmGrounderConfig,
)
from scenemind.config.memtree import SelectorName
from scenemind.models import ChatModel, Models
from scenemind.perception.backends import make_segmenter
from scenemind.perception.text import make_image_text_encoder, make_text_encoder
from scenemind.reasoning.detecting import SharedDetector, open_detector
from scenemind.reasoning.ensemble import Ensemble
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.llm_tpc import LlmTpc
from scenemind.reasoning.memtree_qa import MemTreeQA
from scenemind.reasoning.memtree_qa.selectors.detector_search import DetectorSelector
from scenemind.reasoning.memtree_qa.selectors.objects import ObjectSelector
from scenemind.reasoning.memtree_qa.selectors.retrieval import RetrievalSelector
from scenemind.reasoning.memtree_qa.selectors.selection import FrameSelector
from scenemind.reasoning.memtree_qa.selectors.tree import TreeSelector
from scenemind.reasoning.memtree_qa.selectors.uniform import UniformSelector
from scenemind.reasoning.method import AskMethod
from scenemind.reasoning.open_learner import open_learner
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.symbolic.method import SymbolicMethod
from scenemind.reasoning.synergai import Synergai
from scenemind.reasoning.vadar import Vadar
from scenemind.reasoning.vlm_grounder import VlmGrounder
from scenemind.reasoning.vlm_grounder.shared_segmenter import SharedSegmenter


def open_methods(
    models: Models,
    memtree: MemTreeConfig,
    detector: SharedDetector | None = None,
    sandbox: Sandbox | None = None,
    llm_tpc: LlmTpcConfig | None = None,
    relations: RelationConfig | None = None,
    selector: FrameSelector | None = None,
    vadar: VadarConfig | None = None,
    learned_methods: LearnedMethodsConfig | None = None,
    vlm_grounder: VlmGrounderConfig | None = None,
    synergai: SynergaiConfig | None = None,
) -> dict[str, AskMethod]:
    """By name, for a `Router`; empty where no model is configured. Cheap: detectors, segmenters and
    encoders are read from disk by the first question that needs them. For `close_methods` in the
    end.

    Args:
        models: stay open as long as the methods are used.
        detector: of the selector `detector`, of `vadar` where that looks with one, and of
            `vlm_grounder` where the map has no label; None: that of the configuration's defaults.
        selector: one that is open already, as it may hold a detector or the frames it has seen;
            None: that of the configuration.
        sandbox: runs what models write, and stays open as well; None: there are no methods that
            write programs.
        relations: thresholds for programs; None: the configuration's defaults.

    Raises:
        ConfigError: the layouts of `vlm_grounder`, or the file of them, cannot be used.
    """
    if models.vision is None:
        return {}
    detector = detector or open_detector(DetectorConfig())
    selector = selector or open_selector(memtree.selector, models, memtree, detector)
    language = models.language or models.vision
    methods: dict[str, AskMethod] = {
        "memtree": MemTreeQA(models.vision, selector, memtree.frames),
        "vlm_grounder": _vlm_grounder(models, models.vision, vlm_grounder, detector),
        "synergai": Synergai(language, models.vision, synergai, relations),
    }
    if sandbox is not None:
        of_scenes = open_learner("scene", language, sandbox, learned_methods)
        of_pictures = open_learner("picture", language, sandbox, learned_methods)
        writer = LlmTpc(language, sandbox, llm_tpc, relations, of_scenes)
        others = (SymbolicMethod(relations), methods["memtree"])
        methods |= {"llm_tpc": writer, "ensemble": Ensemble(language, writer, others)}
        looks = vadar is not None and vadar.locator == "detector"
        eyes = detector if looks else None
        methods["vadar"] = Vadar(
            language, models.vision, selector, sandbox, vadar, of_pictures, eyes
        )
    return methods


def close_methods(methods: Mapping[str, AskMethod]) -> None:
    """Close the files that methods have opened; questions open them again."""
    for method in methods.values():
        if isinstance(method, (LlmTpc, Vadar)):
            method.close()


def open_selector(
    name: SelectorName,
    models: Models,
    memtree: MemTreeConfig,
    detector: SharedDetector | None = None,
) -> FrameSelector:
    """Who chooses key frames; see `open_methods`.

    Raises:
        ReasoningError: it needs a model, and none is configured.
    """
    if name == "objects":
        return ObjectSelector()
    if name == "uniform":
        return UniformSelector()
    if name == "retrieval":
        return RetrievalSelector(make_image_text_encoder(memtree.image_encoder))
    if name == "detector":
        detector = detector or open_detector(DetectorConfig())
        return DetectorSelector(_language_of(models, name), detector)
    return TreeSelector(_language_of(models, name), memtree.tree_tokens)


def _vlm_grounder(
    models: Models,
    vision: ChatModel,
    config: VlmGrounderConfig | None,
    detector: SharedDetector,
) -> VlmGrounder:
    config = config or VlmGrounderConfig()
    segmenter = SharedSegmenter(lambda: make_segmenter(config.segmenter))
    encoder = None
    if config.text_encoder:
        encoder = make_text_encoder(config.text_encoder, fetches=False)
    return VlmGrounder(models.language or vision, vision, segmenter, config, detector, encoder)


def _language_of(models: Models, selector: str) -> ChatModel:
    """A model that sees pictures reads as well."""
    model = models.language or models.vision
    if model is None:
        raise ReasoningError(
            "method_unavailable",
            f'The selector "{selector}" needs a language model: name one'
            ' (models.language.model, --model); "objects" and "uniform" need none.',
        )
    return model
