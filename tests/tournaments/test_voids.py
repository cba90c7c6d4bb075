"""The quota of voids: what a bot's own side breaks is replayed so often, and then its forfeit."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from harbourmaster_server.launching import BotCommandError, LaunchError
from harbourmaster_tournaments.ledger import GameRow, Ledger, effective
from harbourmaster_tournaments.reports import render_voids, report
from harbourmaster_tournaments.running import TournamentStopped
from harbourmaster_tournaments.running.coordinator import Coordinator
from harbourmaster_tournaments.running.voids import VoidCount, Voids, count_voids
from support.coordinated import MadeUpPlayers, Void, coordinate, definition

NAMES = ("a", "b", "c", "sick")
RELAXED = "quarantine_after = 100\n"


def sick_always(bots: Sequence[str]) -> Void | None:
    """Let every match of `sick` be void by its side."""
    return ("the bot sick was lost", bots.index("sick")) if "sick" in bots else None


def decided(rows: Sequence[GameRow]) -> dict[int, tuple[int, tuple[str | None, ...]]]:
    """Return, for each game that counts, at which attempt it was decided and who forfeited."""
    return {row.number: (row.attempt, row.forfeits) for row in effective(rows)}


def assert_quota_kept(rows: Sequence[GameRow], quota: int) -> None:
    """Insist that every game of `sick` is its forfeit after *quota* voids, and no other suffers."""
    results = {row.number: row for row in effective(rows)}
    assert sorted(results) == list(range(1, 13))
    for row in results.values():
        if "sick" in row.entrants:
            mine = row.entrants.index("sick")
            assert row.attempt == quota + 1
            assert (row.forfeits[mine], row.placements[mine]) == ("void_quota", 2)
            assert (row.forfeits[1 - mine], row.placements[1 - mine]) == (None, 1)
            assert not row.played
        else:
            assert (row.attempt, row.forfeits, row.played) == (1, (None, None), True)


@pytest.mark.parametrize("quota", [0, 1, 2, 3])
def test_over_its_quota_a_bots_voids_are_its_forfeits_and_other_pairings_are_left_alone(
    quota: int, tmp_path: Path
) -> None:
    file = definition(NAMES, f"{RELAXED}void_quota = {quota}")
    assert_quota_kept(coordinate(tmp_path, file, sick_always), quota)


def test_twin_a_quota_that_is_not_looked_at_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Voids, "over_quota", lambda voids, row: False)
    left = 40

    def sick_for_long(bots: Sequence[str]) -> Void | None:
        nonlocal left
        void = sick_always(bots) if left else None
        left -= void is not None
        return void

    rows = coordinate(tmp_path, definition(NAMES, RELAXED), sick_for_long)
    with pytest.raises(AssertionError):
        assert_quota_kept(rows, 2)


@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_what_is_forfeited_does_not_depend_on_how_many_games_are_played_at_once(
    at_once: int, tmp_path: Path
) -> None:
    one = coordinate(tmp_path / "one", definition(NAMES, RELAXED), sick_always)
    more = definition(NAMES, f"{RELAXED}matches_at_once = {at_once}")
    assert decided(coordinate(tmp_path / "more", more, sick_always)) == decided(one)


@pytest.mark.parametrize("stop_after", range(1, 20, 3))
def test_the_quota_survives_a_restart_at_any_game(stop_after: int, tmp_path: Path) -> None:
    file = definition(NAMES, RELAXED + "matches_at_once = 1")
    whole = coordinate(tmp_path / "whole", file, sick_always)
    coordinate(tmp_path / "cut", file, sick_always, stop_after=stop_after)
    assert decided(coordinate(tmp_path / "cut", file, sick_always)) == decided(whole)


def test_shuffled_rows_give_the_same_counts_and_the_same_verdicts(tmp_path: Path) -> None:
    rows = coordinate(tmp_path, definition(NAMES, RELAXED), sick_always)
    shuffled = list(rows)
    Random(3).shuffle(shuffled)
    one, other = Voids(2), Voids(2)
    for mine, theirs in zip(rows, shuffled, strict=True):
        one.take(mine)
        other.take(theirs)
    assert [one.over_quota(row) for row in rows] == [other.over_quota(row) for row in rows]
    assert count_voids(rows) == count_voids(shuffled)


def test_forfeits_by_the_quota_lead_to_quarantine(tmp_path: Path) -> None:
    rows = coordinate(tmp_path, definition(NAMES, "quarantine_after = 2"), sick_always)
    forfeits = [why for row in effective(rows) for why in row.forfeits if why]
    assert sorted(forfeits) == ["quarantined"] * 4 + ["void_quota"] * 2


def test_voids_through_nobodys_side_are_laid_to_nobody_and_wait_for_the_organiser(
    tmp_path: Path,
) -> None:
    def broken(bots: Sequence[str]) -> Void | None:
        return ("the referee failed: KeyError", None) if set(bots) == {"a", "b"} else None

    file = definition(NAMES, RELAXED)
    with pytest.raises(TournamentStopped, match="void again and again, at attempt 3 because"):
        coordinate(tmp_path, file, broken)
    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        rows = ledger.games()
    assert not any(any(row.forfeits) for row in rows)
    assert len(effective(rows)) == 10
    assert len(effective(coordinate(tmp_path, file))) == 12


def test_the_counts_are_in_every_form_of_the_table(tmp_path: Path) -> None:
    rows = coordinate(tmp_path, definition(("a", "sick"), RELAXED), sick_always)
    found = report(effective(rows), ["a", "sick"], played=rows)

    # One void for each attempt: the other game of the group is not played any more then.
    expected = {"a": VoidCount(2, 0, 0), "sick": VoidCount(2, 2, 2)}
    assert found.voids == (expected,)
    assert found.to_json()[0]["voids"]["sick"] == {"involved": 2, "caused": 2, "forfeited": 2}
    assert "| sick | 2 | 2 | 2 |" in found.to_markdown()
    shown = render_voids(found.voids[0])
    assert shown is not None
    assert shown.row_count == 2
    assert render_voids({}) is None


def fails_later(good: int, error: Callable[[str], Exception]) -> MadeUpPlayers:
    """Return players of whom `sick` starts *good* times and then never again."""
    starts = 0

    def launch(name: str) -> None:
        nonlocal starts
        starts += name == "sick"
        if name == "sick" and starts > good:
            raise error("bot 'sick': it cannot be started")

    return MadeUpPlayers(launch)


def test_p51_a_bot_whose_command_broke_on_the_way_forfeits_and_the_others_play_on(
    tmp_path: Path,
) -> None:
    file = definition(NAMES, RELAXED + "matches_at_once = 1", command="true")
    rows = coordinate(tmp_path, file, players=fails_later(2, BotCommandError))

    results = effective(rows)
    assert len(results) == 12
    assert {why for row in results for why in row.forfeits} == {None, "void_quota"}
    assert sum(row.played for row in results) == 8
    caused = [row for row in rows if row.void_cause]
    assert {row.void_cause for row in caused} == {
        "the bot sick was not launched: bot 'sick': it cannot be started"
    }
    assert {row.match_id for row in caused} == {""}


def test_a_bot_that_never_started_stops_the_tournament_before_it_loses_a_game(
    tmp_path: Path,
) -> None:
    file = definition(("sick", "a"), RELAXED, command="true")
    with pytest.raises(ExceptionGroup) as stopped:
        coordinate(tmp_path, file, players=fails_later(0, BotCommandError))
    assert stopped.group_contains(TournamentStopped, match="correct the command")
    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        assert ledger.games() == []


def test_a_machine_that_cannot_start_a_bot_is_not_laid_to_it(tmp_path: Path) -> None:
    file = definition(("sick", "a", "b"), RELAXED + "matches_at_once = 1", command="true")
    with pytest.raises(TournamentStopped, match="see the log, then resume"):
        coordinate(tmp_path, file, players=fails_later(1, LaunchError))
    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        assert not any(any(row.forfeits) for row in ledger.games())


def test_twin_failures_that_are_not_counted_put_nobody_in_quarantine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Coordinator, "_count_failures", lambda coordinator, row: None)
    with pytest.raises(AssertionError):
        test_forfeits_by_the_quota_lead_to_quarantine(tmp_path)
