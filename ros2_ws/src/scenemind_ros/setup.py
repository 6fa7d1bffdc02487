"""Packaging of the ROS 2 nodes, for pip and for colcon alike."""

from glob import glob
from xml.etree import ElementTree

from setuptools import find_packages, setup

SHARE = "share/scenemind_ros"

setup(
    name="scenemind_ros",
    version=ElementTree.parse("package.xml").findtext("version"),
    description="ROS 2 nodes of SceneMind, a scene memory for robots with an RGB-D camera.",
    license="Apache-2.0",
    maintainer="SceneMind maintainers",
    maintainer_email="maintainers@scenemind.dev",
    python_requires=">=3.10,<3.15",
    packages=find_packages(include=["scenemind_ros", "scenemind_ros.*"]),
    package_data={"": ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/scenemind_ros"]),
        (SHARE, ["package.xml", "LICENSE"]),
        (f"{SHARE}/launch", glob("launch/*.py")),
        (f"{SHARE}/config", glob("config/*")),
        (f"{SHARE}/rviz", glob("rviz/*.rviz")),
        (f"{SHARE}/foxglove", glob("foxglove/*.json")),
        (f"{SHARE}/examples", glob("examples/*.py")),
        ("lib/scenemind_ros", glob("examples/*.py")),  # for ros2 run
    ],
    zip_safe=False,
    # rclpy and the message packages come from ROS 2 or from its wheels (make setup).
    install_requires=["scenemind"],
    extras_require={"test": ["pytest"]},  # colcon test looks here
    entry_points={
        "console_scripts": [
            "mapping_node = scenemind_ros.executables:mapping_node",
            "reasoning_node = scenemind_ros.executables:reasoning_node",
            "scenemind_node = scenemind_ros.executables:scenemind_node",
            "sequence_player = scenemind_ros.executables:sequence_player",
            "evaluate_benchmark = scenemind_ros.executables:evaluate_benchmark",
        ],
    },
)
