#!/bin/bash
# ROS 2 and the workspace, then the command.
source /opt/ros/jazzy/setup.bash
source /scenemind/ros2_ws/install/setup.bash
exec "$@"
