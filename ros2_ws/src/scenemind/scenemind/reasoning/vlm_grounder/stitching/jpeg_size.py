"""How large a picture is, without decoding it."""

from __future__ import annotations

_START, _SCAN = b"\xff\xd8", 0xDA
# Segments that begin a frame: all of C0 to CF but tables and arithmetic conditioning.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def find_jpeg_size(jpeg: bytes) -> tuple[int, int] | None:
    """Width and height from the header of a JPEG file; None: it is none, or a damaged one."""
    if not jpeg.startswith(_START):
        return None
    at = 2
    while at + 9 <= len(jpeg) and jpeg[at] == 0xFF:
        marker = jpeg[at + 1]
        if marker == 0xFF:  # filling
            at += 1
        elif marker in _FRAMES:
            height = int.from_bytes(jpeg[at + 5 : at + 7], "big")
            width = int.from_bytes(jpeg[at + 7 : at + 9], "big")
            return (width, height) if width and height else None
        elif marker == _SCAN:
            return None
        else:
            at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return None
