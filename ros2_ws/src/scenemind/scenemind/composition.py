"""Concrete parts by name and settings: memories, detectors, models, selectors and methods.

`scenemind.scene` puts them together for one place; nodes and commands take single ones.
"""

from __future__ import annotations

import difflib
import getpass
import os
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, get_args

from scenemind.config import LearnedMethodsConfig, SceneMindConfig
from scenemind.config.reasoning import SelectorName
from scenemind.config.scenemind_config import default_root
from scenemind.memory import Memory, MemoryAccess, SceneMemoryError, list_memories
from scenemind.memory.disk.folder import DATABASE, checked_name, delete, describe
from scenemind.models import Allowance, ChatModel, Models, open_models
from scenemind.perception.backends import make_detector, make_segmenter
from scenemind.perception.backends.backend_choice import with_backend
from scenemind.perception.protocols import Detector
from scenemind.perception.weights import WEIGHTS_VARIABLE
from scenemind.reasoning.dialogue import Dialogues
from scenemind.reasoning.method import AskMethod
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.router import Router
from scenemind.reasoning.symbolic import LastScene

# Methods that ask models, and the runtimes of detectors, are imported where they are made: a
# question that the grammar answers needs none of them.
if TYPE_CHECKING:
    from scenemind.frames import RecordedSequence
    from scenemind.reasoning.inventory import Inventory
    from scenemind.reasoning.learned_methods import ApiName, Learner, MethodLibrary
    from scenemind.reasoning.sandbox import Sandbox
    from scenemind.reasoning.shared_models import SharedDetector, SharedSegmenter
    from scenemind.reasoning.stored_frames import FrameSelector
    from scenemind.reasoning.symbolic.model_reader import ModelReader
    from scenemind.reasoning.vlm_grounder import VlmGrounder

_DATA_BESIDE_THE_REPOSITORY = Path("shared/data")
_LEARNED_METHODS = "learned_methods.sqlite"


# Memories


def memory_folder(name: str, root: Path | None = None) -> Path:
    """The folder of a memory, which need not exist.

    Args:
        root: folder of all memories; None: `default_root()`.

    Raises:
        SceneMemoryError: the name could be a path.
    """
    return (root or default_root()) / checked_name(name)


def is_memory(folder: Path) -> bool:
    """Whether a memory is stored in a folder."""
    return (folder / DATABASE).is_file()


def stored_memory(folder: Path) -> Path:
    """The folder itself.

    Raises:
        SceneMemoryError: no memory is stored there; the message names those beside it.
    """
    if not is_memory(folder):
        names = list_memories(folder.parent)
        close = difflib.get_close_matches(folder.name, names, 1)
        hint = f"did you mean {close[0]}? Else " if close else ""
        raise SceneMemoryError(
            f"there is no memory {folder.name} in {folder.parent} (there:"
            f" {', '.join(names) or 'none yet'}): {hint}make one with"
            f" `scenemind map RECORDING --memory {folder.name}`, or scenemind.map in Python"
        )
    return folder


def create_memory(folder: Path | None, config: SceneMindConfig, *, replace: bool) -> Memory:
    """An empty memory in a folder; None: in a temporary one that `Memory.close` removes.

    Args:
        replace: forget a memory that is stored there; one without frames is forgotten in any case.

    Raises:
        SceneMemoryError: there is one, and it is not to be replaced, it is in use, or its folder
            holds other files too; or the folder cannot be written.
    """
    if folder is not None and is_memory(folder):
        if not (replace or describe(folder).counts.get("frames") == 0):
            raise SceneMemoryError(
                f"there is a memory {folder.name} in {folder.parent} already: choose another name,"
                " open it, or replace it (--replace; replace=True), which forgets it"
            )
        delete(folder)
    return Memory.create(folder, config)


# Detectors


def choose_detector(
    config: SceneMindConfig, sequence: RecordedSequence | None, named: str | None = None
) -> tuple[SceneMindConfig, Detector]:
    """The detector for a sequence, and the settings with the choice in them.

    A simulated room has its own instance camera, unless a detector is named here or in the
    settings. A recorded sequence, and a camera (None), have the one that is named here, in the
    settings or by `SCENEMIND_WEIGHTS`, else the best of the data beside the repository.

    Args:
        named: weights, or a model's name; see `with_backend`.

    Raises:
        PerceptionError: none is named and none can be found, or it cannot be used.
    """
    names: Mapping[int, str] | None = getattr(sequence, "class_names", None)
    settings = detector_settings(config, named, is_simulated=names is not None)
    return settings, make_detector(settings.detector, names)


def detector_settings(
    config: SceneMindConfig, named: str | None = None, *, is_simulated: bool
) -> SceneMindConfig:
    """The settings with the detector that `choose_detector` would make."""
    if named:
        config = with_detector(config, named)
    detector = config.detector
    beside = data_beside_the_repository("weights")
    if detector.backend == "auto" and not detector.weights:
        if is_simulated:
            detector = detector.model_copy(update={"backend": "instance_camera"})
        elif not os.environ.get(WEIGHTS_VARIABLE):
            detector = detector.model_copy(update={"weights": str(beside or "")})
    known = with_backend(detector, [beside] if beside else [])
    return config.model_copy(update={"detector": known})


def with_detector(config: SceneMindConfig, named: str) -> SceneMindConfig:
    """The settings with a detector that is named: weights, or a model's name."""
    changes = {"weights": named}
    if config.detector.backend == "instance_camera":
        changes["backend"] = "auto"
    return config.model_copy(update={"detector": config.detector.model_copy(update=changes)})


def data_beside_the_repository(name: str) -> Path | None:
    """A file or folder of the data that some machines have beside the repository."""
    for folder in Path(__file__).resolve().parents:
        if (path := folder / _DATA_BESIDE_THE_REPOSITORY / name).exists():
            return path
    return None


# Models and methods


class Reasoner:
    """The models and methods of a configuration, which answer on any memory. Thread-safe.

    Cheap to make: detectors, segmenters and encoders are read from disk by the first question that
    needs them.

    Attributes:
        models: language and vision models; neither where none is configured.
    """

    def __init__(self, config: SceneMindConfig, models: Models | None = None) -> None:
        """
        Args:
            models: open already, and closed by the caller; None: those of `config.models`.

        Raises:
            ModelError: an endpoint is no address, or the recording of models cannot be used.
        """
        self._config = config
        self._opened = ExitStack()
        self.models = models or self._opened.enter_context(open_models(config.models))
        self._lock = threading.RLock()  # of what is made when it is first asked for
        self._scenes = LastScene(config.relations)
        self._detector: SharedDetector | None = None
        self._selectors: dict[SelectorName, FrameSelector] = {}
        self._methods: Mapping[str, AskMethod] | None = None

    @property
    def methods(self) -> Mapping[str, AskMethod]:
        """The methods that ask a model, by name; empty where no model is configured.

        Raises:
            ConfigError: the layouts of `vlm_grounder`, or the file of them, cannot be used.
            SandboxError: programs cannot be run here.
        """
        with self._lock:
            if self._methods is None:
                self._methods = {} if self.models.vision is None else self._open_methods()
            return self._methods

    def router(
        self,
        memory: MemoryAccess,
        *,
        falls_back: bool = True,
        dialogues: Dialogues | None = None,
    ) -> Router:
        """Questions and corrections of one memory.

        Args:
            falls_back: `symbolic` answers where a model fails.
            dialogues: conversations that go on, shared by all routers of a memory; None: each
                question stands alone.

        Raises: as `methods`.
        """
        reader, relations = self._reader(), self._config.relations
        return Router(memory, relations, self.methods, falls_back, dialogues, reader, self._scenes)

    def _reader(self) -> ModelReader | None:
        """The language model as reader for `symbolic`, where one is configured for that."""
        language = self.models.language
        if language is None or not self._config.models.reads_sentences:
            return None
        from scenemind.reasoning.symbolic.model_reader import ModelReader

        return ModelReader(language)

    def inventory(self) -> Inventory:
        """The vision model, as one that names what has no object yet.

        Raises:
            ReasoningError: none is configured.
        """
        from scenemind.reasoning.inventory import Inventory

        if self.models.vision is None:
            raise ReasoningError(
                "method_unavailable",
                "An inventory needs a vision model: name one (models.vision.model).",
            )
        return Inventory(self.models.vision, self._segmenter(), self._config.vlm_grounder)

    def allowance(self, seconds: float) -> Allowance:
        """Time, tokens and money of one question, with the configured limits."""
        return self.models.allowance(seconds)

    @property
    def usual_selector(self) -> SelectorName:
        """The configured selector of key frames; without the model that it needs, `objects`."""
        name = self._config.memtree.selector
        needs_model = name in ("tree", "detector")
        return "objects" if needs_model and self._reads_trees() is None else name

    def _reads_trees(self) -> ChatModel | None:
        """The model that chooses frames: who sees pictures reads as well."""
        return self.models.language or self.models.vision

    def selector(self, name: str) -> FrameSelector:
        """A selector of key frames; kept, as some remember the frames that they have seen.

        Args:
            name: see `MemTreeConfig.selector`.

        Raises:
            ReasoningError: there is no such selector, or it needs a model and none is configured.
            PerceptionError: it needs an encoder that cannot be had.
        """
        known = _selector_name(name)
        with self._lock:
            if known not in self._selectors:
                self._selectors[known] = self._open_selector(known)
            return self._selectors[known]

    def close(self) -> None:
        """Stop models, programs and what methods have opened; the second call does nothing."""
        self._opened.close()

    def __enter__(self) -> Reasoner:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _open_methods(self) -> Mapping[str, AskMethod]:
        from scenemind.reasoning.llm_tpc import LlmTpc
        from scenemind.reasoning.llm_tpc.ensemble import Ensemble
        from scenemind.reasoning.memtree_qa import MemTreeQA
        from scenemind.reasoning.sandbox import Sandbox
        from scenemind.reasoning.symbolic.reasoner import SymbolicMethod
        from scenemind.reasoning.synergai import Synergai
        from scenemind.reasoning.vadar import Vadar

        config, vision = self._config, self.models.vision
        assert vision is not None, "methods without a model are none"
        language = self.models.language or vision
        selector = self.selector(config.memtree.selector)
        memtree = MemTreeQA(vision, selector, config.memtree.frames)
        grounder = self._open_vlm_grounder(language, vision)
        sandbox = self._opened.enter_context(Sandbox(config.sandbox))
        of_scenes = open_learner("scene", language, sandbox, config.learned_methods)
        of_pictures = open_learner("picture", language, sandbox, config.learned_methods)
        llm_tpc = LlmTpc(language, sandbox, config.llm_tpc, config.relations, of_scenes, vision)
        eyes = self._shared_detector() if config.vadar.locator == "detector" else None
        vadar = Vadar(
            language,
            vision,
            selector,
            sandbox,
            config=config.vadar,
            learner=of_pictures,
            detector=eyes,
        )
        self._opened.callback(llm_tpc.close)
        self._opened.callback(vadar.close)
        others = (SymbolicMethod(config.relations), memtree)
        return {
            "memtree": memtree,
            "vlm_grounder": grounder,
            "synergai": Synergai(language, vision, config.synergai, config.relations),
            "llm_tpc": llm_tpc,
            "ensemble": Ensemble(language, llm_tpc, others),
            "vadar": vadar,
        }

    def _open_vlm_grounder(self, language: ChatModel, vision: ChatModel) -> VlmGrounder:
        from scenemind.perception.text import make_text_encoder
        from scenemind.reasoning.vlm_grounder import VlmGrounder

        config, segmenter = self._config.vlm_grounder, self._segmenter()
        encoder = None
        if config.text_encoder:
            encoder = make_text_encoder(config.text_encoder, fetches=False)
        return VlmGrounder(language, vision, segmenter, config, self._shared_detector(), encoder)

    def _segmenter(self) -> SharedSegmenter:
        from scenemind.reasoning.shared_models import SharedSegmenter

        return SharedSegmenter(lambda: make_segmenter(self._config.vlm_grounder.segmenter))

    def _open_selector(self, name: SelectorName) -> FrameSelector:
        from scenemind.perception.text import make_image_text_encoder
        from scenemind.reasoning.memtree_qa.baseline_selectors import (
            DetectorSelector,
            ObjectSelector,
            RetrievalSelector,
            UniformSelector,
        )
        from scenemind.reasoning.memtree_qa.tree_selector import TreeSelector

        config = self._config.memtree
        if name == "objects":
            return ObjectSelector()
        if name == "uniform":
            return UniformSelector()
        if name == "retrieval":
            return RetrievalSelector(make_image_text_encoder(config.image_encoder))
        language = self._reads_trees()
        if language is None:
            raise ReasoningError(
                "method_unavailable",
                f'The selector "{name}" needs a language model: name one (models.language.model,'
                " --model), or use one that needs none (--selector objects, --selector uniform).",
            )
        if name == "detector":
            return DetectorSelector(language, self._shared_detector())
        return TreeSelector(language, config.tree_tokens)

    def _shared_detector(self) -> SharedDetector:
        """One open-vocabulary detector for all methods and selectors."""
        from scenemind.reasoning.shared_models import open_detector

        with self._lock:
            if self._detector is None:
                self._detector = open_detector(self._config.detector)
            return self._detector


def _selector_name(name: str) -> SelectorName:
    names: tuple[SelectorName, ...] = get_args(SelectorName)
    for known in names:
        if name == known:
            return known
    raise ReasoningError(
        "invalid_request", f"There is no selector {name!r}: use one of {', '.join(names)}."
    )


def open_library(api: ApiName, config: LearnedMethodsConfig) -> MethodLibrary:
    """Learned methods on an API (of scenes or of pictures), in the configured file."""
    from scenemind.reasoning.learned_methods import MethodLibrary

    path = Path(config.library) if config.library else default_root() / _LEARNED_METHODS
    return MethodLibrary(path, api, config.kept)


def open_learner(
    api: ApiName, language: ChatModel, sandbox: Sandbox, config: LearnedMethodsConfig
) -> Learner:
    """A learner of methods on an API. Cheap: its file is opened by the first use.

    Args:
        language: writes the methods.
        sandbox: stays open as long as the learner is used.
    """
    from scenemind.reasoning.learned_methods import Learner
    from scenemind.reasoning.llm_tpc.scene_methods import scene_methods
    from scenemind.reasoning.vadar.picture_methods import picture_methods

    methods = scene_methods() if api == "scene" else picture_methods()
    return Learner(language, sandbox, methods, open_library(api, config), config)


def user_name() -> str:
    """The user of this process, for the journal of corrections; `user 1000` where it has no name,
    as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the first up to Python 3.12
        return f"user {os.getuid()}"
