"""Deals: their seeds, and the promise that none was chosen after the first game.

- The tournament's seed is 32 random bytes. Deal seed `i` is
  `SHA-256("harbourmaster/deal" || tournament seed || uint64 i)`, big-endian: it depends on nothing
  that happens in the tournament.
- Before the first game the organiser announces
  `SHA-256(tournament id || 32-byte salt || tournament seed)`. At the end seed and salt are
  revealed, and anybody can check the announcement and deal every game again.
"""

import hmac
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol

from harbourmaster_engine.chance import SEED_BYTES
from harbourmaster_tournaments.schedules.planned import ScheduleError

SALT_BYTES: Final = 32
"""The length of the commitment's salt."""

_INDEX: Final = struct.Struct(">Q")


def deal_seed(tournament_seed: bytes, index: int) -> bytes:
    """Return the seed of deal *index* (0 to 2**64 - 1)."""
    _check_length("a tournament's seed", tournament_seed, SEED_BYTES)
    return sha256(b"harbourmaster/deal" + tournament_seed + _INDEX.pack(index)).digest()


def commitment(tournament_id: str, salt: bytes, tournament_seed: bytes) -> bytes:
    """Return what is announced before the first game, so that the seed cannot be changed."""
    _check_length("the commitment's salt", salt, SALT_BYTES)
    _check_length("a tournament's seed", tournament_seed, SEED_BYTES)
    return sha256(tournament_id.encode() + salt + tournament_seed).digest()


def check_commitment(
    announced: bytes, tournament_id: str, salt: bytes, tournament_seed: bytes
) -> bool:
    """Return whether the revealed *salt* and *tournament_seed* are those that were announced."""
    return hmac.compare_digest(announced, commitment(tournament_id, salt, tournament_seed))


class Deals(Protocol):
    """Where the seeds of a tournament's deals come from."""

    def seed(self, index: int) -> bytes:
        """Return the 32-byte seed of deal *index*."""
        ...


@dataclass(frozen=True, slots=True)
class TournamentDeals:
    """Deals made from the tournament's seed: as many as there are numbers."""

    tournament_seed: bytes

    def seed(self, index: int) -> bytes:
        """Return the 32-byte seed of deal *index*."""
        return deal_seed(self.tournament_seed, index)


class SuppliedDeals:
    """Deals from the organiser's own list, from its beginning again when it is used up."""

    def __init__(self, seeds: Sequence[bytes]) -> None:
        if not seeds:
            raise ScheduleError("the list of supplied deals is empty: give at least one seed")
        for seed in seeds:
            _check_length("a supplied seed", seed, SEED_BYTES)
        self._seeds = tuple(seeds)

    def seed(self, index: int) -> bytes:
        """Return the seed at *index* modulo the length of the list."""
        return self._seeds[index % len(self._seeds)]

    def notice(self, deals: int) -> str | None:
        """Return the sentence to show if *deals* deals are more than were supplied."""
        if deals <= len(self._seeds):
            return None
        return (
            f"{deals} deals are needed and {len(self._seeds)} were supplied: each is used up to "
            f"{-(-deals // len(self._seeds))} times, from the beginning of the list again"
        )


def _check_length(what: str, value: bytes, length: int) -> None:
    if len(value) != length:
        raise ScheduleError(f"{what} has {length} bytes, not {len(value)}")
