"""VLM-Grounder: things found by looking at stitched images, and measured from several views."""
