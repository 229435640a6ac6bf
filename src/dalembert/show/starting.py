"""A start in words: every coordinate and velocity, and which of them were solved from the constraints."""

from collections.abc import Mapping, Sequence

MOST = 12  # values that are listed; of more, those that are not zero come first, and the rest is counted


def state_in_words(state: Mapping[str, float], solved: Sequence[str] = ()) -> str:
    """x = 0.6, y = 0.8 (solved), x' = 0, y' = 0; of a large state those that are not zero, up to a dozen."""
    told = list(state.items())
    if len(told) > MOST:
        told = [(name, value) for name, value in told if value != 0][:MOST]
    words = [f"{name} = {value + 0.0:.6g}{' (solved)' if name in solved else ''}" for name, value in told]
    left = [name for name in state if name not in dict(told)]
    if left:
        rest = "all others 0" if not any(state[name] for name in left) else f"and {len(left)} more"
        hidden = sum(name in solved for name in left)
        words.append(rest + (f" ({hidden} of them solved)" if hidden else ""))
    return ", ".join(words) or "nothing is stated"
