"""A table of alignment tasks over the scenes of an objects file, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from scenemind.evaluation.alignment import attribute_tasks, numeric_tasks, spatial_tasks
from scenemind.evaluation.alignment.confusions import Confusions
from scenemind.evaluation.alignment.draft import Draft, Draw
from scenemind.evaluation.alignment.novel_tasks import novel_question
from scenemind.evaluation.alignment.planting import Planting
from scenemind.evaluation.alignment.tasks import AlignmentTask, Category, Difficulty
from scenemind.evaluation.alignment.true_scene import TrueScene
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.scenes import Scenes

Maker = Callable[[Draw], Draft | None]

# As many of each shape as table A.2 has: 25 easy, 17 hard.
_TABLE: tuple[tuple[Category, Difficulty, Maker, int], ...] = (
    ("attribute", "easy", attribute_tasks.color, 5),
    ("attribute", "easy", attribute_tasks.material, 5),
    ("attribute", "easy", attribute_tasks.shape, 1),
    ("attribute", "easy", attribute_tasks.is_shaped, 2),
    ("attribute", "easy", attribute_tasks.is_made_of, 1),
    ("attribute", "easy", attribute_tasks.is_there_colored, 1),
    ("attribute", "easy", attribute_tasks.same_color, 1),
    ("attribute", "easy", attribute_tasks.two_same_color, 1),
    ("attribute", "easy", attribute_tasks.same_material, 1),
    ("spatial", "easy", spatial_tasks.on_what, 2),
    ("spatial", "easy", spatial_tasks.supporting, 1),
    ("spatial", "easy", spatial_tasks.is_on, 1),
    ("numeric", "easy", numeric_tasks.counted_once_more, 1),
    ("numeric", "easy", numeric_tasks.counted_ghost, 1),
    ("numeric", "easy", numeric_tasks.missed_one, 1),
    ("attribute", "hard", attribute_tasks.unknown_material, 1),
    ("attribute", "hard", attribute_tasks.unknown_shape, 2),
    ("spatial", "hard", spatial_tasks.on_what_unknown, 2),
    ("spatial", "hard", spatial_tasks.on_beside, 2),
    ("spatial", "hard", spatial_tasks.is_on_unknown, 2),
    ("spatial", "hard", spatial_tasks.is_beside, 2),
    ("numeric", "hard", numeric_tasks.miscounted, 6),
)
# Scenes are gone through so often, with other draws, before a kind of task is given up.
_ROUNDS = 5


def make_tasks(scenes: Scenes, seed: int = 0, most_scenes: int = 100) -> Sequence[AlignmentTask]:
    """42 tasks, on as many scenes as the file has.

    Args:
        most_scenes: so many are drawn from and read; a scene graph takes a while.

    Raises:
        EvaluationError: the scenes have nothing for one of the kinds of task.
    """
    rng = random.Random(seed)
    names = rng.sample(sorted(scenes.names), min(most_scenes, len(scenes.names)))
    true = [TrueScene(name, scenes.get_snapshot(name), rng) for name in names]
    confusions = Confusions(thing for scene in true for thing in scene.objects.values())
    tasks: list[AlignmentTask] = []
    turn = 0
    for category, difficulty, make, count in _TABLE:
        for _ in range(count):
            for attempt in range(_ROUNDS * len(true)):
                scene = true[(turn + attempt) % len(true)]
                draw = Draw(scene, Planting(scene, confusions, rng), rng)
                draft = make(draw)
                if draft is not None:
                    break
            else:
                raise EvaluationError(
                    f"{len(true)} scenes have nothing for the task {make.__name__!r}: more of them,"
                    " or fuller ones, are needed"
                )
            turn += attempt + 1
            task_id = f"t{len(tasks) + 1}"
            tasks.append(_task(task_id, category, difficulty, draw, draft))
    return tasks


def _task(
    task_id: str, category: Category, difficulty: Difficulty, draw: Draw, draft: Draft
) -> AlignmentTask:
    return AlignmentTask(
        task_id,
        draw.scene.scene_id,
        category,
        difficulty,
        draft.wanted,
        novel_question(draw, draft.wanted),
        tuple(draw.planting.errors),
        draw.scene.objects,
        draw.planting.perceived,
        draft.viewpoint,
    )
