"""The attack on motion as a benchmark: `python benchmarks/attack.py --count 3000 -o benchmarks/results/attack.json`.

The same as `python -m tests.attack`; what is attacked and how truth is made is in docs/trust.md.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    from tests.attack.command import main

    sys.exit(main())
