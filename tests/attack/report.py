"""What an attack came to: counts by class and verdict, as a document, as text, and as the table of docs/trust.md."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .judge import GOOD, Verdict
from .pool import Record
from .registry import CLASSES

BEGIN, END = "<!-- counts: made by python -m tests.attack -->\n", "<!-- end of counts -->\n"


def document(records: Iterable[Record], seed: int, version: str) -> dict[str, Any]:
    """The counts, and every case that is neither right nor truly refused."""
    listed = sorted(records, key=lambda r: order(r.case))
    return {
        "version": version,
        "seed": seed,
        "count": len(listed),
        "counts": counts(listed),
        "bad": [r._asdict() for r in listed if r.verdict not in GOOD],
        "uncertain": [r._asdict() for r in listed if r.verdict == Verdict.UNCERTAIN],
    }


def order(name: str) -> tuple:
    """Classes in their order, seeds in theirs."""
    kind, _, seed = name.partition(":")
    return (CLASSES.index(kind), int(seed)) if kind in CLASSES else (len(CLASSES), seed)


def counts(records: Iterable[Record]) -> dict[str, dict[str, int]]:
    """How many of each verdict, for each class."""
    out: dict[str, Counter] = {}
    for record in records:
        out.setdefault(record.case.partition(":")[0], Counter())[record.verdict] += 1
    return {kind: {str(v): found[v] for v in Verdict if found[v]} for kind, found in out.items()}


def table(made: Mapping[str, Any]) -> list[str]:
    """The counts as lines of a Markdown table."""
    lines = ["| class | cases | " + " | ".join(Verdict) + " |", "|---|---:|" + "---:|" * len(Verdict)]
    rows = dict(made["counts"])
    total: Counter = Counter()
    for kind, found in rows.items():
        total.update(found)
        lines.append(_line(kind, found))
    return [*lines, _line("**all**", total)]


def _line(kind: str, found: Mapping[str, int]) -> str:
    return f"| {kind} | {sum(found.values())} | " + " | ".join(str(found.get(v, 0) or "") for v in Verdict) + " |"


def page(text: str, made: Mapping[str, Any]) -> str:
    """The page with its table of counts made anew."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    words = f"{made['count']} cases, seeds from {made['seed']} on, dalembert {made['version']}:"
    return "\n".join([before + BEGIN, words, "", *table(made), "", END + after])


def text(records: Iterable[Record]) -> str:
    """The counts, and a line for each case that is not good, to read."""
    listed = sorted(records, key=lambda r: order(r.case))
    made = {"counts": counts(listed)}
    bad = [f"{r.case}  {r.verdict}: {r.label}\n    {r.words}" for r in listed if r.verdict not in GOOD]
    return "\n".join([*table(made), "", *bad])


SAME = {Verdict.RIGHT: "same", Verdict.UNCERTAIN: "uncertain"}


def scales(records: Iterable[Record], seed: int, version: str) -> dict[str, Any]:
    """What the scale law came to: how many are the same, differ or are uncertain, and those two with their replays."""
    listed = sorted(records, key=lambda r: order(r.case.removeprefix("scales:").partition("@")[0]))
    verdicts = [SAME.get(Verdict(r.verdict), "differs") for r in listed]
    by_class: dict[str, Counter] = {}
    for record, verdict in zip(listed, verdicts, strict=True):
        by_class.setdefault(record.case.split(":")[1], Counter())[verdict] += 1

    def those(wanted: str) -> list[dict[str, Any]]:
        return [
            {
                "case": r.case,
                "label": r.label,
                "words": r.words if verdict != "differs" or r.verdict == Verdict.WRONG else f"{r.verdict}: {r.words}",
                "error": r.error,
                "replay": f"python -m tests.attack --replay {r.case}",
            }
            for r, verdict in zip(listed, verdicts, strict=True)
            if verdict == wanted
        ]

    return {
        "version": version,
        "seed": seed,
        "count": len(listed),
        "counts": {verdict: verdicts.count(verdict) for verdict in ("same", "differs", "uncertain")},
        "by_class": {kind: dict(found) for kind, found in by_class.items()},
        "largest_part_of_what_is_allowed": max(
            (r.error or 0.0 for r in listed if r.verdict == Verdict.RIGHT), default=0
        ),
        "differs": those("differs"),
        "uncertain": those("uncertain"),
    }
