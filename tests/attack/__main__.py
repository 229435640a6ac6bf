"""The attack as a command: `python -m tests.attack --count 3000 --seed 0 -o benchmarks/results/attack.json`.

`--scales --count 300 -o benchmarks/results/scales.json` records the scale law, and `--reproducible -o
benchmarks/results/reproducible.json` that the same input gives the same bits.
"""

import sys
from pathlib import Path

from .command import main

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))  # this checkout, whatever is installed
    sys.exit(main())
