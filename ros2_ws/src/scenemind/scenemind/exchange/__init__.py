"""Scene graphs in and out: JSON with a schema, networkx, PLY, and objects files.

Metres and radians in the world frame, z up. JSON (`scene_graph.schema.json`) keeps all of a
snapshot; an objects file holds labels and boxes only, and relations are computed on loading.
"""

from scenemind.exchange.errors import ExchangeError
from scenemind.exchange.labels_file import LabelsFile
from scenemind.exchange.networkx_graph import scene_to_graphml, to_networkx
from scenemind.exchange.object_row import ObjectRow
from scenemind.exchange.objects_file import read_rows, rows_csv, rows_json
from scenemind.exchange.objects_scene import load_objects, objects_of_rows, rows_of, scene_of_rows
from scenemind.exchange.ply import object_rgb, objects_to_ply
from scenemind.exchange.scannet_labels import LabelledScene, read_labels, scene_folders
from scenemind.exchange.scene_document import scene_schema
from scenemind.exchange.scene_export import SceneExport, locations_of_objects
from scenemind.exchange.scene_json import read_scene, scene_from_json, scene_to_json

__all__ = [
    "ExchangeError",
    "LabelledScene",
    "LabelsFile",
    "ObjectRow",
    "SceneExport",
    "load_objects",
    "locations_of_objects",
    "object_rgb",
    "objects_of_rows",
    "objects_to_ply",
    "read_labels",
    "read_rows",
    "read_scene",
    "rows_csv",
    "rows_json",
    "rows_of",
    "scene_folders",
    "scene_from_json",
    "scene_of_rows",
    "scene_schema",
    "scene_to_graphml",
    "scene_to_json",
    "to_networkx",
]
