"""Map a recording, ask about it, and find a thing in it.

python examples/map_and_ask.py recordings/kitchen yolov8n-seg.onnx
python examples/map_and_ask.py                       # a simulated room, which needs no detector
"""

import sys

import scenemind as sm


def main(recording: str = "sim:1", detector: str | None = None) -> None:
    # Without `memory="kitchen"` the map is a temporary one, deleted at the end.
    with sm.map(recording, detector=detector) as scene:
        print(scene)
        for thing in scene.objects[:5]:
            print(f"{thing.id:4} {thing.label:15} {thing.confidence:.2f} {thing.box}")

        answer = scene.ask("how many chairs are there?")
        print(answer.text, f"({answer.confidence:.0%} sure)")

        found = scene.ground("the chair closest to the table")
        if found.failure:
            print(found.failure.text)  # what was not found or not understood, and what to do
            return
        chair = found.objects[0]
        x, y, z = chair.box.center  # metres, world frame, z up
        print(f"{chair.label} {chair.id} is at ({x:.2f}, {y:.2f}, {z:.2f})")
        print("near it:", ", ".join(thing.label for thing in scene.relate("near", chair)))
        for frame in scene.key_frames(chair, count=1):
            print(f"frame {frame.frame_number} shows it at {frame.boxes_px[chair.id]} px")


if __name__ == "__main__":
    main(*sys.argv[1:])
