"""Workers that answer the rows of a run: this process, several processes, or a cluster."""

from scenemind.evaluation.workers.assignments import InProcess, SceneJob, Workers, jobs_by_scene
from scenemind.evaluation.workers.processes import Processes
from scenemind.evaluation.workers.ray_cluster import RayCluster

__all__ = ["InProcess", "Processes", "RayCluster", "SceneJob", "Workers", "jobs_by_scene"]
