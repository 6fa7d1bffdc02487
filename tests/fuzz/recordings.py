"""Recordings and scans with changed files, in each format: they are read, or end in a sentence."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import CompressionMode, StoragePlugin

from scenemind.errors import SceneMindError
from scenemind.exchange.scannet_labels import read_labels
from scenemind.frames import open_sequence
from scenemind.frames.bag_writer import WriteOptions
from scenemind.perception.text.embedding_cache import EmbeddingCache, import_vectors
from scenemind.perception.types import PerceptionError
from tests.fuzz.mutations import mutated
from tests.unit.exchange.scannet_scan import write_scan
from tests.unit.frames.conftest import write_hololens, write_seven_scenes, write_tum
from tests.unit.frames.made import MadeSequence, make_bag
from tests.unit.frames.readers import test_exported_scans, test_rosbag, test_sens
from tests.unit.frames.scannet_bytes import Sens, made_frames


def write_sens(folder: Path) -> Path:
    return test_sens.written(folder, Sens(made_frames(test_sens.POSES)))


def write_bag(folder: Path, storage: str) -> Path:
    make_bag(MadeSequence(), folder, WriteOptions(storage=storage))
    return folder


def write_packed_bag(folder: Path, mode: CompressionMode) -> Path:
    messages = test_rosbag.recorded(MadeSequence())
    storage = StoragePlugin.MCAP if mode == CompressionMode.STORAGE else StoragePlugin.SQLITE3
    return test_rosbag.write(folder, messages, storage, mode)


def write_vectors(folder: Path) -> Path:
    """Published vectors of words in one NumPy file, and in an archive, with their names."""
    folder.mkdir(parents=True)
    vectors = np.random.default_rng(0).normal(size=(40, 8)).astype(np.float32)
    np.save(folder / "vectors.npy", vectors)
    with (folder / "archive.npy").open("wb") as file:
        np.savez_compressed(file, vectors=vectors)
    names = [{"name": f"thing {row}"} for row in range(len(vectors))]
    (folder / "names.json").write_text(json.dumps(names))
    return folder


def read_vectors(folder: Path) -> str:
    cache = EmbeddingCache("clip", folder / "cache")
    count = import_vectors(cache, folder / "vectors.npy", folder / "names.json", 8)
    with suppress(PerceptionError):
        import_vectors(cache, folder / "archive.npy", folder / "names.json", 8)
    return f"{count} vectors"


PACKED = {
    "mcap-zstd": CompressionMode.STORAGE,
    "db3-messages": CompressionMode.MESSAGE,
    "db3-file": CompressionMode.FILE,
}
# Name -> writes a whole recording into a folder and returns its place.
FORMATS: dict[str, Callable[[Path], Path]] = {
    "hololens": lambda folder: write_hololens(folder, MadeSequence()),
    "7-scenes": lambda folder: write_seven_scenes(folder, MadeSequence()),
    "tum": lambda folder: write_tum(folder, MadeSequence()),
    "scannet": test_exported_scans.save_scan,
    "sens": write_sens,
    "mcap": partial(write_bag, storage="mcap"),
    "db3": partial(write_bag, storage="db3"),
    **{name: partial(write_packed_bag, mode=mode) for name, mode in PACKED.items()},
    "labels": write_scan,
    "vectors": write_vectors,
}


def read(place: Path, name: str) -> str:
    """Read all that is in a recording or scan; how much that is."""
    if name == "labels":
        return f"{len(read_labels(place).objects)} objects"
    if name == "vectors":
        return read_vectors(place)
    sequence = open_sequence(place, test_rosbag.MOUNTED if name in PACKED else None)
    return f"{sum(1 for _ in islice(sequence, 100))} frames"


@contextmanager
def opened(name: str) -> Iterator[Callable[[random.Random], str]]:
    """
    Args:
        name: of `FORMATS`.
    """
    with tempfile.TemporaryDirectory() as root:
        whole, copy = Path(root, "whole"), Path(root, "copy")
        place = FORMATS[name](whole).relative_to(whole)
        files = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file())

        def trial(rng: random.Random) -> str:
            shutil.copytree(whole, copy)
            try:
                changed = rng.choice(files)
                path = copy / changed
                path.write_bytes(mutated(path.read_bytes(), rng))
                try:
                    return f"{changed}: {read(copy / place, name)}"
                except SceneMindError as error:
                    return f"{changed}: {str(error)[:80]}"
            finally:
                shutil.rmtree(copy)

        yield trial
