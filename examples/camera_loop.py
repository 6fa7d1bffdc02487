"""Feed frames of a camera into a scene while it drives, and ask on the way.

    python examples/camera_loop.py

A simulated room stands in for the camera; with yours, give `detector=` the weights of a model in
place of the simulator's instance camera.
"""

import scenemind as sm
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import simulate


def main(frame_count: int = 120) -> None:
    camera = simulate(seed=1, frame_count=frame_count)
    with sm.create(detector=InstanceCamera(camera.class_names)) as scene:
        for number, image in enumerate(camera):
            report = scene.add(
                sm.RGBDFrame(
                    number=number,
                    stamp_ns=image.stamp_ns,
                    color=image.color,  # (H, W, 3) uint8, RGB
                    depth_m=image.depth_m,  # (H, W) float32, metres, aligned to colour; 0: unknown
                    camera=camera.camera,  # sm.PinholeCamera(width, height, fx, fy, cx, cy)
                    world_T_camera=image.world_T_camera,  # sm.Pose, optical frame; world is z-up
                    instances=image.instances,  # of simulators alone
                )
            )
            if number % 40 == 39:
                print(f"frame {number}: {report.mapping_ms:.0f} ms, {len(scene.objects)} objects")
                print(scene.ask("where is the nearest chair?").text)


if __name__ == "__main__":
    main()
