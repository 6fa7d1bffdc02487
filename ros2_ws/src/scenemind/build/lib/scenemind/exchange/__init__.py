"""Scene graphs in and out: JSON with a schema, networkx, PLY, and objects files.

Metres and radians in the world frame, z up. JSON (`scene_graph.schema.json`) keeps all of a
snapshot; an objects file holds labels and boxes only, and relations are computed on loading.
"""

from scenemind.errors import ExchangeError
from scenemind.exchange.networkx_graph import scene_to_graphml, to_networkx
from scenemind.exchange.objects_file import (
    ObjectRow,
    load_objects,
    objects_of_rows,
    read_rows,
    rows_csv,
    rows_json,
    rows_of,
    scene_of_rows,
)
from scenemind.exchange.ply import object_rgb, objects_to_ply
from scenemind.exchange.scannet_labels import LabelledScene, LabelsFile, read_labels, scene_folders
from scenemind.exchange.scene_file import SCENE_FORMATS, SceneFormat, encode_scene, format_of
from scenemind.exchange.scene_json import (
    SceneExport,
    locations_of_objects,
    read_scene,
    scene_from_json,
    scene_schema,
    scene_to_json,
)

__all__ = [
    "SCENE_FORMATS",
    "ExchangeError",
    "LabelledScene",
    "LabelsFile",
    "ObjectRow",
    "SceneExport",
    "SceneFormat",
    "encode_scene",
    "format_of",
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
