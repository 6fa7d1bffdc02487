"""How right answers and groundings are."""
