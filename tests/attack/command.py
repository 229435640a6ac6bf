"""The command line of the attack: run many cases, or replay one."""

import argparse
import json
from pathlib import Path

from .judge import GOOD
from .pool import run
from .registry import CLASSES, make, names, repeated, scaled_names
from .report import document, page, scales, text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "trust.md"


def main(arguments: list[str] | None = None) -> int:
    """Run the attack; 0 where every case is right, truly refused or not certain, or the same in other units."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--count", type=int, default=120, help="how many cases, classes in turn")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--only", choices=[*CLASSES, "found"], help="one class alone")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a case may take beside its truth")
    parser.add_argument("--replay", metavar="CLASS:SEED", help="one case, here and now, with all that is known of it")
    parser.add_argument("--scales", action="store_true", help="the scale law instead: each case in other units")
    parser.add_argument("--reproducible", action="store_true", help="the gallery again and again on a busy machine")
    parser.add_argument("--quiet", action="store_true", help="print the bad cases only")
    parser.add_argument("--page", action="store_true", help="write the counts into docs/trust.md too")
    parser.add_argument("-o", "--output", help="write counts and bad cases as JSON to this file")
    options = parser.parse_args(arguments)
    if options.replay:
        return replay(options.replay)
    if options.reproducible:
        from .reproducible import main as reproduced

        return reproduced(options.output)
    if options.scales:
        wanted = scaled_names(options.count, options.seed, options.only)
    elif options.only == "found":
        from .found import FOUND

        wanted = [f"found:{name}" for name in FOUND]
    else:
        wanted = names(options.count, options.seed, options.only)
    records = []
    for record in run(wanted, options.jobs, options.limit):
        records.append(record)
        if options.quiet and record.verdict in GOOD:
            continue
        print(
            f"{len(records)}/{len(wanted)} {record.case} {record.verdict} "
            f"({record.truth_seconds:.1f} + {record.seconds:.1f} s) {record.label}: {record.words}",
            flush=True,
        )
    if options.scales:
        made = scales(records, options.seed, _version())
        print(made["counts"])
    else:
        print(text(records))
        made = document(records, options.seed, _version())
    if options.output:
        Path(options.output).write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if options.page and not options.scales:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")
    return 1 if made["differs" if options.scales else "bad"] else 0


def replay(name: str) -> int:
    """Make one case, say what it is, run it in this process and say what came of it."""
    from .case import Case
    from .judge import certain, judge

    case = make(name)
    print(case.label)
    truth = None
    if isinstance(case, Case):
        print(case.statement.text())
        print(f"start {dict(case.start)}".replace("(t)", ""))
        print(f"until {case.times[-1]!r} from {case.times[0]!r}, {dict(case.options)}")
        truth = case.truth()
        print(f"truth: error {truth.error:.1e}, growth {truth.growth:.1e}, end {truth.end}, events {truth.events[:8]}")
        print(f"allowed {case.allowed(truth):.1e}; last state {[float(v) for v in truth.states[-1]]}")
    if doubt := certain(case, truth):
        print(f"uncertain: {doubt}")
    result = judge(case, truth, repeated(name))
    print(f"{result.verdict}: {result.words} (error over allowed: {result.error})")
    return 0 if result.verdict in GOOD else 1


def _version() -> str:
    import dalembert

    return dalembert.__version__
