"""Minimal velocities: the equations of motion in as many velocities as the constraints leave free."""
