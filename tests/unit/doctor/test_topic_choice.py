"""Topics that are missing: what is taken instead, and what is said."""

from __future__ import annotations

from scenemind.doctor.collection import choose_topics

IMAGE, ODOMETRY = "sensor_msgs/msg/Image", "nav_msgs/msg/Odometry"
ROSOUT = {"/rosout": "rcl_interfaces/msg/Log"}


def test_the_configured_topic_is_taken_in_silence() -> None:
    assert choose_topics({"odometry": "/odom"}, {"/odom": ODOMETRY}) == ({"odometry": "/odom"}, [])


def test_a_similar_topic_of_the_type_is_taken_and_named() -> None:
    chosen, (finding,) = choose_topics({"odometry": "/odom"}, {"/vio/odom": ODOMETRY, **ROSOUT})
    assert chosen == {"odometry": "/vio/odom"}
    assert (finding.status, finding.fix) == ("warn", "topics.odometry:=/vio/odom")


def test_only_topics_that_could_serve_are_listed() -> None:
    present = {"/thermal/image": IMAGE, **ROSOUT}
    chosen, (finding,) = choose_topics({"depth": "/depth"}, present)
    assert chosen == {}
    assert (finding.status, finding.fix) == ("fail", "set topics.depth to one of: /thermal/image")


def test_where_none_could_serve_the_type_is_named() -> None:
    _, (finding,) = choose_topics({"odometry": "/odom"}, ROSOUT)
    assert finding.status == "fail"
    assert "no topic of type nav_msgs/msg/Odometry" in finding.fix
