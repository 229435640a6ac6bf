"""Cases in child processes: one that hangs or dies is recorded, and its process replaced.

Time is that of the processor, so that a busy machine condemns nothing; what sleeps for ever is ended by the clock.
"""

import multiprocessing as mp
import signal
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from time import perf_counter, process_time
from typing import NamedTuple

from .judge import Result, Verdict

TRUTH = 600.0  # seconds a truth may take, by the clock
BUSY = 6.0  # how much longer than the processor's time the clock may run
MANY = 40  # cases after which a process is replaced: every system compiled stays in its memory


class Record(NamedTuple):
    """What came of the case NAME:SEED."""

    case: str
    label: str
    verdict: str
    words: str
    error: float | None
    seconds: float
    truth_seconds: float


def work(line: Connection) -> None:
    """The loop of a child process: a name and a limit come in; that the truth is made, and then the record, go out."""
    from .judge import certain, judge
    from .registry import make, repeated
    from .truth.gbs import TruthError

    while True:
        name, limit = line.recv()
        begin = process_time()
        case = make(name)
        try:
            truth = case.truth() if hasattr(case, "truth") else None
            doubt = certain(case, truth)
        except TruthError as error:
            doubt = str(error)
        made = process_time() - begin
        line.send((case.label, made))
        begin = process_time()
        signal.setitimer(signal.ITIMER_PROF, limit)  # ends the process, wherever it is
        result = Result(Verdict.UNCERTAIN, doubt) if doubt else judge(case, truth, repeated(name))
        signal.setitimer(signal.ITIMER_PROF, 0)
        error = None if result.error is None else float(f"{result.error:.2g}")
        seconds = round(process_time() - begin, 3)
        line.send(Record(name, case.label, str(result.verdict), result.words, error, seconds, round(made, 3)))


class Worker:
    """A child process and what it is doing."""

    def __init__(self) -> None:
        context = mp.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.done = 0
        self.name, self.label, self.truth_seconds = "", "", 0.0
        self.deadline, self.limit = 0.0, 0.0

    def give(self, name: str, limit: float) -> None:
        """Begin a case."""
        self.name, self.label, self.truth_seconds, self.limit = name, "", 0.0, limit
        self.deadline = perf_counter() + TRUTH
        self.line.send((name, limit))

    def told(self) -> Record | None:
        """What the child said: None where it is not the record yet."""
        try:
            said = self.line.recv()
        except (EOFError, ConnectionResetError):
            self.process.join(5)
            if self.process.exitcode == -signal.SIGPROF:
                return self.hung()
            return self.failed(Verdict.CRASHED, f"the process died, exit code {self.process.exitcode}")
        if isinstance(said, Record):
            self.done += 1
            return said
        self.label, self.truth_seconds = said
        self.deadline = perf_counter() + BUSY * self.limit
        return None

    def hung(self) -> Record:
        """The record of a case that takes too long."""
        return self.failed(Verdict.HUNG, f"no answer in {self.limit:g} s")

    def failed(self, verdict: Verdict, words: str) -> Record:
        """The record of a case that will not come back."""
        if not self.label:
            verdict, words = Verdict.UNCERTAIN, f"the truth was not made: {words}"
        return Record(self.name, self.label, str(verdict), words, None, 0.0, self.truth_seconds)

    def end(self) -> None:
        """Leave the process behind."""
        self.process.kill()
        self.process.join()
        self.line.close()


def run(names: Iterable[str], jobs: int = 2, limit: float = 60.0) -> Iterator[Record]:
    """The records of the cases, as they come; each may take `limit` seconds of the processor beside its truth."""
    waiting = iter(names)
    busy: list[Worker] = []
    idle: list[Worker] = []
    try:
        while True:
            while len(busy) < jobs and (name := next(waiting, None)) is not None:
                worker = idle.pop() if idle else Worker()
                worker.give(name, limit)
                busy.append(worker)
            if not busy:
                return
            wait([w.line for w in busy], timeout=0.5)
            for worker in list(busy):
                record = None
                if worker.line.poll():
                    record = worker.told()
                elif perf_counter() > worker.deadline:
                    record = worker.hung()
                if record is None:
                    continue
                busy.remove(worker)
                if worker.process.is_alive() and record.verdict != Verdict.HUNG and worker.done < MANY:
                    idle.append(worker)
                else:
                    worker.end()
                yield record
    finally:
        for worker in [*busy, *idle]:
            worker.end()


class Bench:
    """One child process for cases one after the other; replaced when it hangs, dies or has grown large."""

    def __init__(self) -> None:
        self.worker: Worker | None = None

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_: object) -> None:
        if self.worker is not None:
            self.worker.end()

    def record(self, name: str, limit: float) -> Record:
        """What comes of a case."""
        worker = self.worker = self.worker or Worker()
        worker.give(name, limit)
        record = None
        while record is None:
            left = max(0.0, worker.deadline - perf_counter())
            record = worker.told() if worker.line.poll(left) else worker.hung()
        if record.verdict == Verdict.HUNG or not worker.process.is_alive() or worker.done >= MANY:
            worker.end()
            self.worker = None
        return record
