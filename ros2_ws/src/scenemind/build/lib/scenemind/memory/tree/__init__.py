"""MemTree3D: locations, tracklets, detections."""
