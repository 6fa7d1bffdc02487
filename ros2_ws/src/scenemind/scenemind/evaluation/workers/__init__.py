"""Who answers the rows: this process, several, or a cluster; the same predictions from all."""

from scenemind.evaluation.workers.in_process import InProcess
from scenemind.evaluation.workers.jobs import SceneJob, jobs_by_scene
from scenemind.evaluation.workers.processes import Processes
from scenemind.evaluation.workers.ray_cluster import RayCluster
from scenemind.evaluation.workers.workers import Workers

__all__ = ["InProcess", "Processes", "RayCluster", "SceneJob", "Workers", "jobs_by_scene"]
