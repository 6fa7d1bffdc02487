"""How the browser view does with a large map: `python -m tests.system.measure_view`.

A simulated room with hundreds of things more behind it, and a cloud as large as it may be, in a
headless Chromium that draws without a graphics card.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from scenemind.cli.bench.scene import prefill
from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Edit, Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.reasoning import Asking, Router
from scenemind.simulation import simulate
from scenemind.viewer.colored_cloud import ColoredCloud
from scenemind.viewer.viewer import Viewer

from .browser import opened_browser

OBJECTS, POINTS, VOXEL_M = 460, 500_000, 0.009  # the room itself has some forty things more
_PICTURES_PER_S = """() => new Promise(done => {
    let count = 0; const start = performance.now();
    const draw = () => {
        count += 1;
        if (performance.now() - start > 5000) done(count / 5); else requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
})"""


def main() -> None:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_much(memory)
        cloud = ColoredCloud(POINTS, VOXEL_M)
        print(f"read {len(memory.stored_frames())} frames: {seconds(lambda: cloud.update(memory))}")
        print(f"{len(memory.snapshot().objects)} objects, {len(cloud.points)} points")
        with Viewer(memory, Router(memory), Asking, port=0, voxel_m=VOXEL_M) as viewer:
            print(f"start: {seconds(viewer.start)}")
            measure(viewer, memory)


def map_much(memory: Memory) -> None:
    sequence = simulate(1, 150, 640, 480)
    mapper = Mapper(InstanceCamera(sequence.class_names), memory, SceneMindConfig())
    for frame in read_sequence(sequence):
        mapper.process(frame)
    memory.begin_session()
    prefill(memory, OBJECTS, frame, 4)
    memory.flush()


def measure(viewer: Viewer, memory: Memory) -> None:
    ids = list(memory.snapshot().objects)
    marks = [milliseconds(lambda i=i: viewer.mark([i])) for i in ids[:30]]
    print(f"mark, nobody looks: {statistics.median(marks):.0f} ms")
    edit = Edit("rename", (ids[0],), value="zebra")
    memory.apply([edit], "nobody", "to measure")
    print(f"draw what was corrected: {milliseconds(viewer.redraw):.0f} ms")
    with opened_browser() as browser:
        page = browser.new_page(viewport={"width": 1500, "height": 950})

        def load() -> None:
            page.goto(f"http://127.0.0.1:{viewer.port}/")
            page.get_by_role("button", name="Send").wait_for()

        def mark(object_id: int) -> None:
            viewer.mark([object_id])
            page.get_by_text(f"(object {object_id})").wait_for()

        print(f"load: {seconds(load)}")
        page.wait_for_timeout(5000)
        print(f"pictures: {page.evaluate(_PICTURES_PER_S):.1f} a second")
        shown = [milliseconds(lambda i=i: mark(i)) for i in ids[1:12]]
        print(f"mark until the panel shows it: {statistics.median(shown):.0f} ms")


def milliseconds(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return 1000.0 * (time.perf_counter() - start)


def seconds(step: Callable[[], object]) -> str:
    return f"{milliseconds(step) / 1000.0:.1f} s"


if __name__ == "__main__":
    main()
