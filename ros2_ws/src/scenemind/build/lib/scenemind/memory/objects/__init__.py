"""The object map: observations of many frames become objects."""
