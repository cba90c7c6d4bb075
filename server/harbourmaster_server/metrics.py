"""Metrics for Prometheus, in a registry of their own.

The referee only counts (see `tally`); what is shown is put together when somebody asks, in the
thread of the metrics server. It reads numbers and copies of lists and changes nothing.
"""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.errors import CannotStart
from harbourmaster_server.matches.match import Match
from harbourmaster_server.referee import Referee
from harbourmaster_server.scraping import serve_registry
from harbourmaster_server.tally import Tally
from harbourmaster_server.timekeeping import LoopTime
from harbourmaster_server.unblocked import dropped_lines

STATES = ("waiting", "playing", "paused", "over")


class RefereeCollector(Collector):
    """Shows the numbers of one referee."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    def collect(self) -> Iterable[Metric]:
        """Yield every metric as it stands."""
        referee, tally = self._referee, self._referee.desk.tally
        yield _gauge("matches", "Open matches by state.", "state", _states(referee.open_matches))
        finished = {"result": tally.matches_over, "void": tally.matches_void}
        yield _counter("matches_finished", "Matches that ended, by how.", "how", finished)
        yield _counter("decisions", "Decisions answered with a legal move.", "", tally.decisions)
        yield _referee_time(tally)
        faults = {str(kind): count for kind, count in tally.faults.items()}
        yield _counter("faults", "Faults in decisions, by kind.", "kind", faults)
        forfeits = {str(kind): count for kind, count in tally.forfeits.items()}
        yield _counter("forfeits", "Seats that forfeited, by reason.", "reason", forfeits)
        yield from self._sessions()
        yield from self._health()

    def _sessions(self) -> Iterator[Metric]:
        sessions = self._referee.sessions.all()
        connected = sum(session.connection is not None for session in sessions)
        states = {"connected": connected, "dropped": len(sessions) - connected}
        yield _gauge("sessions", "Sessions of bots by state.", "state", states)
        yield _gauge("watchers", "Watchers of matches.", "", self._referee.watchers)

    def _health(self) -> Iterator[Metric]:
        desk = self._referee.desk
        yield _gauge("draining", "1 while nothing new is taken.", "", int(self._referee.draining))
        yield _gauge("disk_trouble", "1 while the disk refuses.", "", int(bool(desk.disk_trouble)))
        text = "How many times the disk began to refuse the journal."
        yield _counter("disk_troubles", text, "", desk.tally.disk_troubles)
        text = "Lines of the log that were dropped, because nobody read standard error."
        yield _counter("log_lines_dropped", text, "", dropped_lines())
        if isinstance(desk.time, LoopTime):
            text = "Turns of the event loop that were busy for more than 50 ms."
            yield _counter("loop_stalls", text, "", desk.time.stalls)
            text = "The longest busy turn of the event loop since the last look."
            longest = desk.time.take_longest_turn() / 1e9
            yield _gauge("loop_longest_turn_seconds", text, "", longest)


@contextlib.contextmanager
def serve_metrics(referee: Referee, host: str, port: int) -> Iterator[int]:
    """Serve the metrics of *referee* on *host* and *port* (0 for a free one); yield the port.

    Raises `CannotStart` if it cannot listen there.
    """
    registry = CollectorRegistry()
    registry.register(RefereeCollector(referee))
    ProcessCollector(registry=registry)
    with contextlib.ExitStack() as served:
        try:
            found = served.enter_context(serve_registry(registry, host, port))
        except OSError as error:
            raise CannotStart(
                f"cannot serve metrics on {host}:{port}: {error.strerror}; "
                "choose another port with --metrics-port"
            ) from None
        yield found


def _states(matches: Iterable[Match]) -> dict[str, int]:
    counts = Counter(_state(match) for match in matches)
    return {state: counts[state] for state in STATES}


def _state(match: Match) -> str:
    if match.paused:
        return "paused"
    return pb.MatchPhase.Name(match.phase).removeprefix("MATCH_PHASE_").lower()


def _referee_time(tally: Tally) -> HistogramMetricFamily:
    """Return the histogram of the referee's own time for a decision, in seconds."""
    sums = list(accumulate(list(tally.referee_buckets)))
    edges = [str(2**exponent / 1e6) for exponent in range(len(sums) - 1)]
    buckets = list(zip([*edges, "+Inf"], map(float, sums), strict=True))
    return HistogramMetricFamily(
        "harbourmaster_referee_seconds",
        "The referee's own time for a decision, from arrival to verdict.",
        buckets=buckets,
        sum_value=tally.referee_micros / 1e6,
    )


Values = Mapping[str, float] | float


def _gauge(name: str, text: str, label: str, values: Values) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"harbourmaster_{name}", text, labels=[label] if label else [])
    for key, value in _labelled(values):
        family.add_metric(key, value)
    return family


def _counter(name: str, text: str, label: str, values: Values) -> CounterMetricFamily:
    family = CounterMetricFamily(f"harbourmaster_{name}", text, labels=[label] if label else [])
    for key, value in _labelled(values):
        family.add_metric(key, value)
    return family


def _labelled(values: Values) -> list[tuple[list[str], float]]:
    if isinstance(values, Mapping):
        return [([key], value) for key, value in values.items()]
    return [([], values)]
