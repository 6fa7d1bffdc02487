"""An inventory by sight: a vision model names what stands in key frames and has no object yet."""

from scenemind.reasoning.inventory.background import BackgroundInventory, InventoryCounts
from scenemind.reasoning.inventory.inventory import Inventory, InventoryBudget, InventoryReport
from scenemind.reasoning.inventory.things import NamedThing

__all__ = [
    "BackgroundInventory",
    "Inventory",
    "InventoryBudget",
    "InventoryCounts",
    "InventoryReport",
    "NamedThing",
]
