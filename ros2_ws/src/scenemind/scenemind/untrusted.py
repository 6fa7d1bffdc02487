"""Files and texts that strangers wrote: only regular files are read, what they unpack to is bounded
before it is unpacked, and a terminal shows texts and does not obey them."""

from __future__ import annotations

import errno
import gzip
import io
import json
import logging
import os
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

MOST_JSON_BYTES = 64 * 2**20
_MOST_JSON_VALUES = 4_000_000  # a value takes about 70 bytes in RAM
_BEFORE_VALUES = (b",", b"[", b"{")
_MOST_YAML_LEVELS = 30  # with each the time to read a text grows
_LONGEST_PLAIN = 10_000  # characters of a YAML value without quotes; long numbers take long
# The ends of a ZIP file and of a large one, with the size of the list of its parts in bytes.
_ARCHIVE_END, _LARGE_END, _LARGE_LOCATOR = struct.Struct("<12xI6x"), struct.Struct("<40xQ8x"), 20
_LONGEST_ARCHIVE_END = 2**16 + 98  # with a comment
_LONGEST_DIRECTORY = 8 * 2**20
_GZIP = b"\x1f\x8b"
# What a terminal would obey instead of show: escapes, and marks that turn the direction of text.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@contextmanager
def open_folder(path: Path) -> Iterator[int]:
    """A descriptor of a folder, through which its files are reached even if the path comes to name
    another one meanwhile.

    Raises:
        OSError: it cannot be opened, or is a link or no folder.
    """
    try:
        opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
        raise OSError(
            error.errno, "is a link or no folder, and is not opened", str(path)
        ) from error
    try:
        yield opened
    finally:
        os.close(opened)


def open_regular(
    path: Path,
    flags: int = os.O_RDONLY,
    *,
    mode: int = 0o600,
    follow: bool = False,
    folder: int | None = None,
) -> int:
    """A descriptor of a regular file; nothing waits, as on a pipe, and nothing is truncated.

    Args:
        flags: as of `os.open`. mode: of a file that is made.
        follow: whether the path may be a link.
        folder: descriptor of the folder that it lies in; None: the one that its path names.

    Raises:
        OSError: it cannot be opened, or is a link, a pipe, a device or a folder.
    """
    links = 0 if follow else os.O_NOFOLLOW
    try:
        flags |= os.O_NONBLOCK | os.O_CLOEXEC | links
        opened = os.open(path if folder is None else path.name, flags, mode, dir_fd=folder)
    except ValueError as error:
        raise FileNotFoundError(errno.ENOENT, "its name holds a null byte", str(path)) from error
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENXIO):
            raise
        raise _not_regular(path) from error
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise _not_regular(path)
    except BaseException:
        os.close(opened)
        raise
    return opened


def read_regular(
    path: Path, most_bytes: int, *, follow: bool = False, folder: int | None = None
) -> bytes:
    """The content of a regular file.

    Raises:
        OSError: as `open_regular`, or the file is larger.
    """
    with open(open_regular(path, follow=follow, folder=folder), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > most_bytes:
            raise OSError(errno.EFBIG, f"has {size} bytes, more than {most_bytes}", str(path))
        return file.read(size)  # room is made for as many


def copy_regular(source: Path, target: Path, *, may_share: bool = False) -> None:
    """Copy a regular file to a new one; neither it nor its folder is followed as a link.

    Args:
        may_share: both are one file afterwards, where the file system can.

    Raises:
        OSError: it is no regular file, there is a target, the disk is full or failed.
    """
    with open_folder(source.parent) as old, open_folder(target.parent) as new:
        if may_share:
            with suppress(OSError):
                names = source.name, target.name
                os.link(*names, src_dir_fd=old, dst_dir_fd=new, follow_symlinks=False)
                return
        with open(open_regular(source, folder=old), "rb") as whole:
            mode = stat.S_IMODE(os.fstat(whole.fileno()).st_mode)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with open(open_regular(target, flags, mode=mode, folder=new), "wb") as copy:
                shutil.copyfileobj(whole, copy)


def is_regular(path: Path) -> bool:
    """Whether a path is a regular file, and no link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def load_json(data: bytes, most_bytes: int = MOST_JSON_BYTES) -> Any:
    """The value of a JSON text, also gzipped.

    Args:
        most_bytes: of the text, unpacked.

    Raises:
        ValueError: it is no JSON (in UTF-8), or larger, deeper or of more values than any of ours.
        OSError: the gzip file is damaged or cut short.
    """
    text = gunzip(data, most_bytes) if data.startswith(_GZIP) else data
    if len(text) > most_bytes:
        raise ValueError(f"it has {len(text)} bytes, more than {most_bytes}")
    values = json_values(text)
    if values > _MOST_JSON_VALUES:
        raise ValueError(f"it has about {values} values, more than {_MOST_JSON_VALUES}")
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def json_values(text: bytes) -> int:
    """About how many values a JSON text has, without reading it."""
    return sum(map(text.count, _BEFORE_VALUES))


def check_yaml(text: str) -> None:
    """Refuse YAML that takes far longer to load than to read: parts that are repeated by reference
    can make a text without end of a short one.

    Raises:
        ValueError: it refers to other parts of itself, is deeper, or has longer numbers than ours.
        yaml.YAMLError: it is no YAML.
    """
    import yaml  # 20 ms, for recordings only

    level = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError("it repeats parts by reference")
        level += isinstance(event, yaml.CollectionStartEvent)
        level -= isinstance(event, yaml.CollectionEndEvent)
        if level > _MOST_YAML_LEVELS:
            raise ValueError("it is nested too deeply")
        is_plain = isinstance(event, yaml.ScalarEvent) and not event.style
        if is_plain and len(event.value) > _LONGEST_PLAIN:
            raise ValueError(f"it has a value of {len(event.value)} characters without quotes")


def check_archive(path: Path) -> None:
    """Refuse a ZIP file whose parts are more than the file itself. What is no ZIP file passes.

    Raises:
        ValueError: a part is compressed, or parts lie over each other: both may unpack to any size;
            or there are more parts than weights have.
        OSError: it cannot be read.
    """
    if not zipfile.is_zipfile(path):
        return
    try:
        _check_directory(path)
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
        raise ValueError(f"it is a damaged archive: {error}") from error
    size = path.stat().st_size
    if any(part.compress_type != zipfile.ZIP_STORED for part in parts):
        raise ValueError("its parts are compressed, and may unpack to any size")
    if sum(part.file_size for part in parts) > size:
        raise ValueError(f"its parts are larger than its {size} bytes")


def _check_directory(path: Path) -> None:
    """Raises ValueError: the list of an archive's parts takes long to read."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LONGEST_ARCHIVE_END))
        end = file.read()
    at = end.rfind(b"PK\5\6")
    large = at - _LARGE_END.size - _LARGE_LOCATOR  # that of large archives stands before it
    told = [_ARCHIVE_END.unpack_from(end, at)[0]] if 0 <= at <= len(end) - _ARCHIVE_END.size else []
    if large >= 0 and end.startswith(b"PK\6\6", large):
        told.append(_LARGE_END.unpack_from(end, large)[0])
    if any(_LONGEST_DIRECTORY < directory <= size for directory in told):
        raise ValueError("it has far more parts than weights")


def gunzip(data: bytes, most_bytes: int) -> bytes:
    """
    Raises:
        ValueError: it unpacks to more bytes.
        OSError: it is damaged or cut short.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(most_bytes + 1)
    except (EOFError, zlib.error) as error:
        raise OSError(errno.EIO, f"a damaged gzip file: {error}") from error
    if len(text) > most_bytes:
        raise ValueError(f"it unpacks to more than {most_bytes} bytes")
    return text


def printable(text: str) -> str:
    """A text without characters that control a terminal; lines stay."""
    return _OBEYED.sub(" ", text)


def entry(text: str) -> str:
    """A printable text as one entry of a log: no line after the first looks like an entry, as a
    file name with a line break could make one."""
    return printable(text).replace("\n", "\n    ")


def say(*texts: object, end: str = "\n", file: TextIO | None = None) -> None:
    """`print`, for what labels, people, models or files may have a part in."""
    print(*(printable(str(text)) for text in texts), end=end, file=file, flush=True)


def printable_json(text: str) -> str:
    """JSON of which a terminal obeys nothing; a program reads the same value."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class PrintableFormatter(logging.Formatter):
    """Records of a log as a terminal may show them."""

    def format(self, record: logging.LogRecord) -> str:
        return entry(super().format(record))


def _not_regular(path: Path) -> OSError:
    return OSError(
        errno.EINVAL, "is no regular file: links, pipes and devices are not opened", str(path)
    )
