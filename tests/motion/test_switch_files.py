"""Motions across switches kept, cut, joined and asked at any time: three of the gallery, against their closed forms."""

import pickle
from collections.abc import Callable
from typing import NamedTuple

import mpmath as mp
import numpy as np
import pytest

import dalembert as da
from dalembert import gallery
from dalembert.motion import trajectory
from motion.alike import same
from motion.switched import RingPiece, assert_allclose, rough_ring, told

pytestmark = pytest.mark.compiled
G = 9.81
ENDINGS = ("motion.nc", "motion.zarr")


class Exact(NamedTuple):
    """A motion in closed form: times (k,), states (4, k) and all works (4, k) there, and the words of the mode."""

    times: np.ndarray
    states: np.ndarray
    works: np.ndarray
    modes: list[str]


# -- closed forms ---------------------------------------------------------------------------------------------


def ring() -> Exact:
    """The bead let go beside the centre slides to and fro thrice, μ = 0.2, and stays: times by quadrature of angles."""
    turns = rough_ring(0.2, 0.0, 0.0, G)
    times, angles, rates, modes = [], [], [], []
    begin, start, way = mp.mpf(0), mp.mpf(0), -1
    with mp.workdps(30):
        for turn in turns:
            piece = RingPiece(mp.mpf(G), mp.mpf(0.4) * way, mp.mpf(begin), mp.mpf(0))
            for part in (0.03, 0.3, 0.7, 0.96):
                angle = begin + part * (turn.angle - begin)
                times.append(float(start + piece.duration(angle)))
                angles.append(float(angle))
                rates.append(float(way * mp.sqrt(piece.square(angle))))
                modes.append(f"ring slips {'forward' if way > 0 else 'backward'}, ring λ < 0")
            begin, start, way = turn.angle, turn.time, -way
    for late in (0.01, 1.0, 5.0):
        times, angles, rates = [*times, start + late], [*angles, begin], [*rates, 0.0]
        modes.append("ring sticks, ring λ < 0")
    s, w = np.array(angles), np.array(rates)
    states = np.array([np.cos(s), np.sin(s), -w * np.sin(s), w * np.cos(s)])
    works = np.zeros((4, len(s)))
    works[2] = w**2 / 2 + G * np.sin(s)  # all that is lost goes into friction
    return Exact(np.array(times), states, works, modes)


def ball() -> Exact:
    """Bounce n is at T (1 + 2 e + … + 2 eⁿ), T = √(2h/g), and takes all but e² of the energy; then it slides."""
    e, T, mass = 0.8, np.sqrt(2 / G), 0.1
    end = T * (1 + e) / (1 - e)
    hits = T * (2 * (1 - e ** np.arange(1, 80)) / (1 - e) - 1)
    between = np.concatenate([[0.0], hits[:12]])
    times = np.concatenate([between[:-1] + part * np.diff(between) for part in (0.02, 0.5, 0.97)])
    times = np.sort(np.concatenate([times, [end + 1e-3, end + 0.5, 4.99]]))
    n = np.searchsorted(hits, times)
    s = times - np.where(n > 0, hits[np.maximum(n, 1) - 1], 0.0)
    height = np.where(n > 0, G * T * e**n * s, 1.0) - G * s**2 / 2
    flies = times < end
    y, speed = np.where(flies, height, 0.0), np.where(flies, np.where(n > 0, G * T * e**n, 0.0) - G * s, 0.0)
    works = np.zeros((4, len(times)))
    works[3] = -mass * G * (1 - np.where(flies, e ** (2.0 * n), 0.0))
    states = np.array([0.5 * times, y, np.full(len(times), 0.5), speed])
    return Exact(times, states, works, [f"table {'open' if open_ else 'closed'}" for open_ in flies])


def belt() -> Exact:
    """From rest it is dragged up to the speed of the belt; then it sticks and slips by turns (see test_switch_belt)."""
    k, v, mu, static = 20.0, 0.2, 0.3, 0.4
    w, middle, d = np.sqrt(k), mu * G / k, (static - mu) * G / k
    first = np.arcsin(v / (middle * w)) / w  # x = middle (1 − cos wt) until x' = v
    held = middle * (1 - np.cos(w * first))
    slip0 = first + (middle + d - held) / v
    slipping = 2 * (np.pi - np.arctan(d * w / v)) / w
    period = slipping + 2 * d / v
    times = np.sort(np.concatenate([[0.4 * first, 0.9 * first, 1.2 * first], np.linspace(0.15, 9.9, 60)]))
    s = np.remainder(times - slip0, period)
    early, caught, slips = times < first, times < slip0, s < slipping
    x = np.where(slips, middle + d * np.cos(w * s) + v / w * np.sin(w * s), middle - d + v * (s - slipping))
    speed = np.where(slips, v * np.cos(w * s) - d * w * np.sin(w * s), v)
    x = np.where(early, middle * (1 - np.cos(w * times)), np.where(caught, held + v * (times - first), x))
    speed = np.where(early, middle * w * np.sin(w * times), np.where(caught, v, speed))
    works = np.zeros((4, len(times)))
    works[2] = speed**2 / 2 + k * x**2 / 2  # the belt does all the work
    sticks = ~early & (caught | ~slips)
    words = [f"belt {'sticks' if stuck else 'slips backward'}, belt λ > 0" for stuck in sticks]
    return Exact(times, np.array([x, 0 * x, speed, 0 * x]), works, words)


class Case(NamedTuple):
    """A model of the gallery: its closed form, and times in the middle of a stretch, after which something follows."""

    exact: Callable[[], Exact]
    until: float
    cuts: tuple[float, ...]


CASES = {
    "rough-ring": Case(ring, 9.0, (0.4, 1.7, 2.9, 3.5)),  # sliding, …, at rest
    "bouncing-ball": Case(ball, 5.0, (0.2, 0.9, 3.7, 4.05, 4.5)),  # falling, between bounces, many of them, at rest
    "belt": Case(belt, 10.0, (0.03, 0.5, 1.5, 2.3, 7.0)),  # dragged, carried, slipping, carried, …
}
ALL = pytest.mark.parametrize("name", CASES)


def moved(name, **options):
    return da.System.load(gallery.path(name)).simulate(**({"until": CASES[name].until} | options))


@pytest.fixture(scope="module", params=CASES)
def case(request):
    """The motion at the times of its closed form, with that."""
    exact = CASES[request.param].exact()
    return request.param, moved(request.param, samples=exact.times), exact


# -- what it holds --------------------------------------------------------------------------------------------


def test_samples_and_works_are_those_of_the_closed_form(case):
    _, motion, exact = case
    assert_allclose(motion.y, exact.states, atol=1e-11)
    assert_allclose(motion.works, exact.works, atol=1e-11)
    assert_allclose(motion.balance, motion.balance[0], atol=1e-12)
    data = motion.dataset
    assert_allclose(data.energy - data.force_work - data.constraint_work - data.impact_work, data.balance, atol=1e-13)


def test_the_mode_of_every_sample_is_told(case):
    _, motion, exact = case
    mode = motion.dataset.mode
    meaning = dict(part.split(": ", 1) for part in mode.attrs["meaning"].split("; "))
    assert [meaning[str(number)] for number in mode.values] == exact.modes
    assert len(set(meaning.values())) == len(meaning)


def test_events_lie_between_the_modes(case):
    """The mode of a sample is what the last event before it says; at each event the motion is where its state says."""
    name, motion, exact = case
    for time, said in zip(exact.times, exact.modes, strict=True):
        before = [e for e in motion.events if e.time <= time and e.kind != "contact"]
        if before:
            assert before[-1].after in said, (name, time)
    assert [e.time for e in motion.events] == sorted(e.time for e in motion.events)
    assert all(len(e.state) == 4 for e in motion.events)


# -- at any time ----------------------------------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("samples", [2, 23, 400])
def test_between_samples_it_is_found_by_moving_on(name, samples):
    """Whether switches lie between the sample before and the time asked for, or not."""
    exact, motion = CASES[name].exact(), moved(name, samples=samples)
    assert_allclose(motion.at(exact.times), exact.states, atol=2e-11)
    some = slice(None, None, 7)
    alone = np.array([motion.at(time) for time in exact.times[some]]).T
    assert_allclose(alone, exact.states[:, some], atol=2e-11)


@ALL
def test_a_moment_before_and_after_an_event(name):
    """Places are continuous; only an impact changes velocities, and by the restitution."""
    motion, moment = moved(name, samples=31), 1e-9
    events = [e for e in told(motion, "impact", "stick", "slip", "reverse") if e.time < 4.0]
    times = np.array([e.time for e in events])
    after = np.array([e.state for e in events]).T
    before = after.copy()
    if name == "bouncing-ball":
        before[3] /= -0.8
    fast = 20.0 * moment
    assert len(events) > 2
    assert_allclose(motion.at(times - moment), before, atol=fast)
    assert_allclose(motion.at(times + moment), after, atol=fast)


@ALL
def test_at_an_event_it_is_after_it(name):
    """By the times and states that the motion itself tells, asked for alone, together, or as samples."""
    motion = moved(name, samples=31)
    after = {e.time: e.state for e in told(motion, "impact", "stick", "slip", "reverse") if e.time < 4.0}
    times, states = np.array(list(after)), np.array(list(after.values())).T
    assert_allclose(motion.at(times), states, atol=1e-12)
    assert_allclose(np.array([motion.at(time) for time in times]).T, states, atol=1e-12)


@ALL
def test_a_sample_at_an_event_is_after_it(name):
    """Another run may find an event a rounding away: only those count that it finds at the same time."""
    times = [e.time for e in moved(name, samples=31).events if e.time < 4.0]
    motion = moved(name, samples=np.unique([0.0, *times, 5.0]))
    after = {e.time: e.state for e in motion.events}
    at = [k for k, time in enumerate(motion.t) if time in after]
    assert at
    assert_allclose(motion.y[:, at].T, [after[motion.t[k]] for k in at], atol=1e-12)


def test_what_rests_is_the_same_to_the_bit_at_any_time():
    motion = moved("rough-ring", samples=31)
    (rest,) = told(motion, "stick")
    times = np.concatenate([[rest.time + 1e-12, rest.time + 1e-6], np.linspace(rest.time + 0.01, 9.0, 20)])
    late = motion.t[motion.t > rest.time][0]
    assert (motion.at(times[times >= late]) == motion.end_values[:, None]).all()
    assert_allclose(motion.at(times), np.tile(motion.end_values[:, None], len(times)), atol=1e-15)
    assert (motion.at(times)[2:] == 0.0).all()


# -- in files -------------------------------------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_saved_is_what_is_loaded(name, ending, tmp_path, monkeypatch):
    motion = moved(name, samples=41)
    motion.save(tmp_path / ending)

    def never(*arguments, **options):
        raise AssertionError("an engine was asked")

    with monkeypatch.context() as patched:
        patched.setattr(trajectory, "engine", never)
        again = da.Motion.load(tmp_path / ending)
        assert same(motion, again)
        assert [e.mode for e in again.episodes] == [e.mode for e in motion.episodes]
    times = CASES[name].exact().times
    assert again.at(times).tobytes() == motion.at(times).tobytes()
    assert same_but_for_clocks(
        again.resume(again.end_time + 1.0, samples=9), motion.resume(motion.end_time + 1.0, samples=9)
    )


@ALL
def test_what_is_pickled_is_what_is_unpickled(name):
    motion = moved(name, samples=41)
    again = pickle.loads(pickle.dumps(motion))
    assert type(again) is da.Motion
    assert same(motion, again)
    times = CASES[name].exact().times
    assert again.at(times).tobytes() == motion.at(times).tobytes()


def same_but_for_clocks(one, other):
    assert one.y.tobytes() == other.y.tobytes()
    assert one.works.tobytes() == other.works.tobytes()
    assert one.events == other.events
    assert one.episodes == other.episodes
    return True


# -- cut and joined -------------------------------------------------------------------------------------------


def assert_goes_on(name, first, whole):
    """The rest of a motion from the end of its first part makes the whole: states, works, events, modes."""
    exact, until = CASES[name].exact(), CASES[name].until
    later = exact.times[exact.times > first.end_time]
    second = first.system.simulate(first, until, samples=later)
    joined = first + second
    resumed = first.resume(until, samples=later)
    assert same_but_for_clocks(joined, resumed)
    assert_allclose(joined.y[:, len(first.t) :], exact.states[:, len(exact.times) - len(later) :], atol=1e-11)
    assert_allclose(joined.works[:, len(first.t) :], exact.works[:, len(exact.times) - len(later) :], atol=1e-11)
    assert_allclose(joined.balance, joined.balance[0], atol=1e-12)
    assert_allclose(joined.at(exact.times), exact.states, atol=2e-11)
    assert [e[1:5] for e in joined.events] == [e[1:5] for e in whole.events]
    assert_allclose([e.time for e in joined.events], [e.time for e in whole.events], rtol=1e-11)
    data = joined.dataset
    meaning = dict(part.split(": ", 1) for part in data.mode.attrs["meaning"].split("; "))
    assert [meaning[str(n)] for n in data.mode.values[len(first.t) :]] == exact.modes[len(exact.times) - len(later) :]
    return joined, first, second


@pytest.mark.parametrize(("name", "cut"), [(name, cut) for name, case in CASES.items() for cut in case.cuts])
def test_cut_between_events_it_goes_on_as_the_whole(name, cut, tmp_path):
    joined, first, second = assert_goes_on(name, moved(name, until=cut, samples=7), moved(name))
    joined.save(tmp_path / "joined.nc")
    assert same(joined, da.Motion.load(tmp_path / "joined.nc"))
    assert joined.status == second.status
    assert joined.statistics["steps"] == first.statistics["steps"] + second.statistics["steps"]


@pytest.mark.parametrize("which", [0, 1, 2])
@ALL
def test_cut_at_an_event_it_goes_on_as_the_whole(name, which):
    """The event is told once, by whichever part."""
    whole = moved(name)
    assert_goes_on(name, moved(name, until=whole.events[which].time, samples=7), whole)


@ALL
def test_the_switches_of_both_parts_are_counted(name):
    first = moved(name, until=2.5, samples=3)
    joined, whole = first.resume(CASES[name].until, samples=3), moved(name)
    assert joined.statistics["switches"] == whole.statistics["switches"] > first.statistics["switches"] > 0


@ALL
def test_cut_again_and_again(name):
    exact, (*cuts, last) = CASES[name].exact(), (*CASES[name].cuts, CASES[name].until)
    motion = moved(name, until=cuts[0], samples=5)
    for cut in (*cuts[1:], last):
        motion = motion.resume(cut, samples=5)
    assert_allclose(motion.at(exact.times), exact.states, atol=2e-11)
    assert [e[1:5] for e in motion.events] == [e[1:5] for e in moved(name).events]
    assert_allclose(motion.balance, motion.balance[0], atol=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.5, 0.8])
def test_what_rests_on_a_table_at_the_origin_goes_on_resting(e):
    """Nothing but rounding is left of its state, by which no size can be judged."""
    rests = moved("bouncing-ball", samples=5, parameters={"e": e, "m": 2.0}, start={"y": 1.0, "x'": 0.0}, until=6.0)
    on = rests.resume(8.0, samples=5)
    assert_allclose(on.y[:, -5:], 0.0, atol=1e-13)
    assert_allclose(on.works[3, -1], -2.0 * G, rtol=1e-12)
    assert [event.kind for event in on.events] == [event.kind for event in rests.events]


def test_motions_in_other_states_are_not_joined():
    ball, other = (moved("bouncing-ball", until=1.0, samples=3, start={"y": h}) for h in (1.0, 0.9))
    later = ball.system.simulate(other, 2.0, samples=3)
    with pytest.raises(da.StateError, match="does not start in the state where the first ends"):
        ball + later
    with pytest.raises(da.StateError, match="different parameter values"):
        ball + ball.system.simulate(ball, 2.0, samples=3, parameters={"e": 0.7})
