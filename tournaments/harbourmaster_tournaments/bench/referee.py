"""`harbourmaster bench referee`: what a decision costs the referee, next to a bare echo."""

import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from harbourmaster_server.records.signing import read_public_key
from harbourmaster_server.verify import verify_file
from harbourmaster_tournaments.bench.echo import measure_echo
from harbourmaster_tournaments.bench.load import Load, LoadBots, Shape
from harbourmaster_tournaments.bench.machine import Machine
from harbourmaster_tournaments.bench.processes import child

SHAPES = (("1 match, 2 sessions", 1, 2), ("64 matches, 128 sessions", 64, 128))
BATCHED = ("64 matches, 8 sessions", 64, 8)


@dataclass(frozen=True, slots=True)
class Line:
    """What one shape costs."""

    name: str
    micros: float
    """The referee's own processor time for each decision, user and system."""
    echo_micros: float
    """The same of the echo for each exchange."""
    echo_streams: int
    ratio: float
    decisions: int
    matches: int
    verified: int
    bytes_out: int
    """Sent by the referee for each decision."""
    bytes_in: int


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    game: str
    machine: Machine
    lines: tuple[Line, ...]

    def to_json(self) -> dict[str, object]:
        """Return the run as plain data."""
        return asdict(self)


async def bench_referee(game: str, decisions: int, report: Callable[[str], None]) -> Result:
    """Measure every shape with *decisions* decisions each; *report* is told what goes on.

    Raises `RuntimeError` if a match was forfeited or a record does not verify: then the figures
    would be of something else.
    """
    lines = []
    for name, matches, sessions in (*SHAPES, BATCHED):
        report(f"{name}: playing")
        count = decisions if matches > 1 else max(500, decisions // 10)
        micros, load, verified = await _measure(Shape(game, matches, sessions, count))
        streams = 1 if matches == 1 else 128
        report(f"{name}: the echo over {streams} streams")
        out, back = load.bytes_out // load.decisions, load.bytes_in // load.decisions
        with child(["harbourmaster_tournaments.bench.echo", str(out)]) as server:
            await measure_echo(server, streams, streams * 20, back)
            echo = await measure_echo(server, streams, count, back)
        lines.append(
            Line(
                name=name,
                micros=micros,
                echo_micros=echo,
                echo_streams=streams,
                ratio=micros / echo,
                decisions=load.decisions,
                matches=len(load.ended),
                verified=verified,
                bytes_out=out,
                bytes_in=back,
            )
        )
    return Result(game, Machine.here(), tuple(lines))


async def _measure(shape: Shape) -> tuple[float, Load, int]:
    """Return the microseconds for each decision, what was played, and how many records verify."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["harbourmaster_tournaments.cli", "serve", "--open", "--port", "0"]
        arguments += ["--data", folder, "--log-level", "error"]
        with child(arguments) as server:
            warm_up = Shape(shape.game, shape.matches, shape.sessions, shape.decisions // 10)
            await LoadBots(server.address, warm_up).run()
            before = server.cpu_seconds()
            load = await LoadBots(server.address, shape, seed=2).run()
            used = server.cpu_seconds() - before
        if load.forfeits:
            raise RuntimeError(f"{load.forfeits} matches were not played to their end")
        return used / load.decisions * 1e6, load, _verify(Path(folder), load)


def _verify(folder: Path, load: Load) -> int:
    key = read_public_key(folder / "referee.pub")
    for match_id in load.ended:
        verify_file(folder / "records" / f"{match_id}.hmr", key)
    return len(load.ended)
