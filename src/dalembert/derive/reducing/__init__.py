"""Reduction to generalized coordinates: an embedding checked, the statement pulled back along it, the proof."""
