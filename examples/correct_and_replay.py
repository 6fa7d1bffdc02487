"""Correct a map in plain words, and make the same corrections on a new map of the place.

python examples/correct_and_replay.py
"""

import sys

import scenemind as sm


def main(recording: str = "sim:1:frames=60", later: str = "sim:1:frames=90") -> None:
    with sm.map(recording) as monday, sm.map(later) as tuesday:
        chair = monday.ground("the chair closest to the table").objects[0]
        print(monday.align(f"object {chair.id} is a stool", by="Anna").response)
        print(monday.align(f"object {chair.id} is made of oak", by="Anna").response)
        print(monday.undo()[0].reason, "- taken back")
        print([thing.id for thing in monday.find("stool")])

        # Objects have other ids on another map: they are found by where they stood.
        replayed = tuesday.replay(monday, by="Anna")
        print(f"{len(replayed.applied)} made, {len(replayed.left_out)} left out")
        for correction in tuesday.corrections:
            print(correction.edit.kind, correction.edit.object_ids, correction.reason)


if __name__ == "__main__":
    main(*sys.argv[1:])
