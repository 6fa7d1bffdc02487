"""`scenemind mesh`: the surface of a mapped place as a PLY or GLB file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import scenemind as sm
from scenemind.cli.options import MemoryName, MemoryRoot, stored_path
from scenemind.untrusted import say

app = typer.Typer()


@app.command("mesh", epilog="Example: scenemind mesh --memory kitchen --out kitchen.glb")
def _mesh(
    out: Annotated[Path, typer.Option(help="File to write, .glb or .ply.", show_default=False)],
    memory: MemoryName = "current",
    voxel: Annotated[
        float, typer.Option(help="Edge of a voxel, metres; larger where the place is large.")
    ] = 0.02,
    memory_root: MemoryRoot = None,
) -> None:
    """Fuse the stored key frames into a coloured surface; its vertices name their objects.

    Needs Open3D, the extra `geometry3d`.
    """
    with sm.open(stored_path(memory, memory_root), read_only=True) as scene:
        mesh = scene.mesh(out, voxel_m=voxel)
    say(
        f"{len(mesh.vertices)} vertices, {len(mesh.triangles)} triangles, voxels of"
        f" {mesh.voxel_m * 100:.1f} cm: {out}"
    )
