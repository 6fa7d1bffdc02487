"""From camera and odometry topics to whole frames."""
