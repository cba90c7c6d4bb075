"""Deals depend on the tournament's seed and a number alone, and were promised beforehand."""

from hashlib import sha256

import pytest

from harbourmaster_tournaments.schedules import (
    Grouping,
    RoundRobin,
    ScheduleError,
    SuppliedDeals,
    TournamentDeals,
    check_commitment,
    commitment,
    deal_of_attempt,
    deal_seed,
)
from support.tournaments import names

SEED = bytes(range(32))
SALT = bytes(reversed(range(32)))


def test_p81_deal_i_depends_only_on_the_seed_and_i() -> None:
    expected = sha256(b"harbourmaster/deal" + SEED + (7).to_bytes(8, "big")).digest()

    assert deal_seed(SEED, 7) == expected
    assert TournamentDeals(SEED).seed(7) == expected


def test_every_deal_has_its_own_seed() -> None:
    indices = [*range(1000), *(deal_of_attempt(i, 2) for i in range(1000))]

    assert len({deal_seed(SEED, index) for index in indices}) == 2000


def test_the_commitment_is_the_hash_of_id_salt_and_seed() -> None:
    assert commitment("spring", SALT, SEED) == sha256(b"spring" + SALT + SEED).digest()


def test_the_revealed_seed_is_checked_against_the_announcement() -> None:
    announced = commitment("spring", SALT, SEED)

    assert check_commitment(announced, "spring", SALT, SEED)
    assert not check_commitment(announced, "spring", SALT, SALT)
    assert not check_commitment(announced, "spring", SEED, SEED)
    assert not check_commitment(announced, "autumn", SALT, SEED)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_seeds_and_salts_have_32_bytes(length: int) -> None:
    with pytest.raises(ScheduleError, match=f"has 32 bytes, not {length}"):
        deal_seed(bytes(length), 0)
    with pytest.raises(ScheduleError, match=f"salt has 32 bytes, not {length}"):
        commitment("spring", bytes(length), SEED)


def test_each_group_has_a_deal_of_its_own() -> None:
    games = list(RoundRobin(names(5), groups=3).games())

    deals = {game.group: game.deal for game in games}
    assert sorted(deals.values()) == list(range(len(deals)))
    assert all(game.deal == deals[game.group] for game in games)


def test_t42_seed_i_is_the_same_deal_for_every_pairing_on_request() -> None:
    schedule = RoundRobin(names(5), groups=3, grouping=Grouping(same_deals=True))

    by_pair: dict[frozenset[str], list[int]] = {}
    for game in schedule.games():
        by_pair.setdefault(frozenset(game.entrants), []).append(game.deal)

    assert len(by_pair) == 10
    assert set(map(tuple, by_pair.values())) == {(0, 0, 1, 1, 2, 2)}


def test_t43_supplied_seeds_are_used_again_and_that_is_said() -> None:
    deals = SuppliedDeals([bytes([i]) * 32 for i in range(3)])

    assert [deals.seed(i)[0] for i in range(7)] == [0, 1, 2, 0, 1, 2, 0]
    assert deals.notice(3) is None
    assert deals.notice(7) == (
        "7 deals are needed and 3 were supplied: each is used up to 3 times, from the beginning "
        "of the list again"
    )


def test_t43_every_supplied_seed_is_used_before_one_comes_again() -> None:
    deals = SuppliedDeals([bytes([i]) * 32 for i in range(10)])

    used = {deals.seed(game.deal) for game in RoundRobin(names(5)).games()}

    assert len(used) == 10


def test_no_supplied_seeds_are_an_error() -> None:
    with pytest.raises(ScheduleError, match="at least one seed"):
        SuppliedDeals([])
