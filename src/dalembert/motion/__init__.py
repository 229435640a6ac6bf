"""MOVE: consistent starts."""

from dalembert.motion.start import Start, start

__all__ = ["Start", "start"]
