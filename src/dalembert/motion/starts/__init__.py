"""Starts: the state nearest to a guess, and what a start that states only a part leaves open."""

from dalembert.motion.starts.consistent import Start, own_keys, start
from dalembert.motion.starts.stated_start import Begun, begun, own_start, stated_start

__all__ = ["Begun", "Start", "begun", "own_keys", "own_start", "start", "stated_start"]
