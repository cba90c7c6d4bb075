"""From finished matches to ledger rows, and from ledger rows to what ratings are made of."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from harbourmaster.v1 import game_pb2, match_service_pb2
from harbourmaster_server.codec import FORFEIT_REASONS
from harbourmaster_server.records.store import SUFFIX
from harbourmaster_tournaments.ledger import CAUSED_VOID, GameRow, ToPlay
from harbourmaster_tournaments.ratings import RatedGame, ThinkTime

VOID_QUOTA = "void_quota"
"""The forfeit of a bot whose own side made a rotation group void too often."""
UNPLAYED = ("not_connected", "not_ready", "quarantined", "disqualified", VOID_QUOTA)
"""Forfeits before the first move: the game scores, but says nothing about strength."""


def game_row(
    todo: ToPlay,
    entrants: tuple[str, ...],
    pool: str,
    info: match_service_pb2.MatchInfo,
    finished: int,
) -> GameRow:
    """Return the row for a match that is over; *finished* is in microseconds since 1970."""
    outcome = info.outcome
    forfeits = tuple(
        CAUSED_VOID if seat.void_caused else _forfeit(seat.reason) for seat in outcome.seats
    )
    game = todo.game
    return GameRow(
        number=game.number,
        stage=game.stage,
        group=game.group,
        seating=game.seating,
        attempt=todo.attempt,
        deal=todo.deal,
        match_id=info.match_id,
        pool=pool,
        entrants=entrants,
        placements=tuple(seat.placement for seat in outcome.seats),
        scores=tuple(seat.score for seat in outcome.seats),
        reason=outcome.reason,
        forfeits=forfeits,
        played=info.decisions > 0 and not set(forfeits) & set(UNPLAYED),
        void_cause=outcome.text if outcome.void else None,
        think=_think(info),
        game_hash=info.game_hash.hex(),
        record=info.match_id + SUFFIX,
        started=info.create_time.ToMicroseconds(),
        finished=finished,
    )


def quarantine_row(
    todo: ToPlay, entrants: tuple[str, ...], pool: str, out: set[str], now: int
) -> GameRow:
    """Return the row for a game that is not played because the bots in *out* are quarantined."""
    lost = [name in out for name in entrants]
    row = _row_without_match(todo, entrants, pool, now)
    forfeits = tuple("quarantined" if gone else None for gone in lost)
    return replace(row, placements=_placements(lost), reason="quarantine", forfeits=forfeits)


def unlaunched_row(
    todo: ToPlay, entrants: tuple[str, ...], pool: str, why: str, cause: str | None, now: int
) -> GameRow:
    """Return the void row for a game whose bots could not all be launched, and *why*.

    *cause* is the bot whose own side it was, if it was one's.
    """
    row = _row_without_match(todo, entrants, pool, now)
    forfeits = tuple(CAUSED_VOID if name == cause else None for name in entrants)
    return replace(row, reason="void", forfeits=forfeits, void_cause=why)


def over_quota_row(row: GameRow) -> GameRow:
    """Return the row for a game that counts as a forfeit instead of being void once more."""
    lost = [why == CAUSED_VOID for why in row.forfeits]
    return replace(
        row,
        placements=_placements(lost),
        scores=(0,) * len(lost),
        reason=VOID_QUOTA,
        forfeits=tuple(VOID_QUOTA if gone else None for gone in lost),
        played=False,
        void_cause=None,
    )


def _placements(lost: Sequence[bool]) -> tuple[int, ...]:
    """Return the places when those who *lost* without a game share the last one."""
    if all(lost):
        return (1,) * len(lost)
    return tuple(1 + sum(not other for other in lost) if gone else 1 for gone in lost)


def _row_without_match(todo: ToPlay, entrants: tuple[str, ...], pool: str, now: int) -> GameRow:
    game = todo.game
    return GameRow(
        number=game.number,
        stage=game.stage,
        group=game.group,
        seating=game.seating,
        attempt=todo.attempt,
        deal=todo.deal,
        match_id="",
        pool=pool,
        entrants=entrants,
        placements=(1,) * len(entrants),
        scores=(0,) * len(entrants),
        reason="",
        forfeits=(None,) * len(entrants),
        played=False,
        started=now,
        finished=now,
    )


def rated_games(rows: Iterable[GameRow]) -> list[RatedGame]:
    """Return what ratings need of *rows*."""
    return [
        RatedGame(
            number=row.number,
            pool=row.pool,
            group=f"{row.stage}/{row.group}",
            entrants=row.entrants,
            placements=row.placements,
            scores=row.scores,
            forfeits=row.forfeits,
            played=row.played,
            think=tuple(
                ThinkTime.from_buckets(total, count, dict(buckets))
                for total, count, buckets in json.loads(row.think or "[]")
            ),
        )
        for row in rows
    ]


def _forfeit(reason: game_pb2.SeatEndReason.ValueType) -> str | None:
    forfeit = FORFEIT_REASONS.get(reason)
    return None if forfeit is None else str(forfeit)


def _think(info: match_service_pb2.MatchInfo) -> str:
    """Return the seats' think times in the ledger's compact form."""
    return json.dumps(
        [
            [c.taken_micros, c.decisions, [*zip(c.buckets, c.bucket_counts, strict=True)]]
            for c in info.clocks
        ],
        separators=(",", ":"),
    )
