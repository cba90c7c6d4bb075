"""What a coordinator plays next, with matches that end when the test says so."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from harbourmaster_tournaments.ledger import Ledger, RulingKind
from harbourmaster_tournaments.ratings import Verdict
from harbourmaster_tournaments.running import TournamentStopped, coordinator
from support.matchmaking import Play, tournament

Scenario = Callable[[Play], Coroutine[Any, Any, None]]


def play(folder: Path, text: str, scenario: Scenario, force: str | None = None) -> list[str]:
    """Run the tournament of *text* while *scenario* ends its matches and rules.

    Return what was told of rulings.
    """

    async def main() -> list[str]:
        with Play.begin(folder, text, force) as running:
            await running.through(scenario(running))
            return running.told

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinator, "RULING_SECONDS", 0.01)


def test_the_rest_of_a_bot_that_is_withdrawn_while_games_run_is_not_played(tmp_path: Path) -> None:
    async def scenario(run: Play) -> None:
        first = await run.desk.open(2)
        run.rule(RulingKind.WITHDRAW, entrant="c")
        for match in first:
            run.desk.end(match)
        await run.desk.end_all()

    told = play(tmp_path, tournament("abcd", groups=2, at_once=2), scenario)

    assert told == ["withdraw c"]
    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        games = Counter(frozenset(row.entrants) for row in ledger.results())
        assert ledger.outstanding() == []
    in_time = sum(count for pair, count in games.items() if "c" in pair)
    assert in_time <= 2
    assert {pair: n for pair, n in games.items() if "c" not in pair} == {
        frozenset(pair): 4 for pair in ("ab", "ad", "bd")
    }


def test_a_game_that_is_voided_while_others_run_is_played_again_with_its_group(
    tmp_path: Path,
) -> None:
    """On a fresh deal; the group's game that was running comes too late and is kept as void."""

    async def scenario(run: Play) -> None:
        one, two, other = await run.desk.open(3)
        run.desk.end(one)
        await run.until_recorded(1)
        run.rule(RulingKind.VOID, number=1)
        await run.desk.open(3)
        run.desk.end(two)
        run.desk.end(other)
        await run.desk.end_all()

    told = play(tmp_path, tournament("abc", groups=1, at_once=3), scenario)

    assert told == ["void 1"]
    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        attempts = [(row.number, row.attempt) for row in ledger.results()]
        rows = ledger.games()
    assert attempts == [(1, 2), (2, 2), (3, 1), (4, 1), (5, 1), (6, 1)]
    deals = {(row.group, row.attempt): row.deal for row in rows}
    assert len(set(deals.values())) == len(deals) == 4
    assert [row.void_cause for row in rows if (row.number, row.attempt) == (2, 1)] == [
        "stale attempt"
    ]


def test_whoever_waits_for_a_round_is_woken_by_a_ruling(tmp_path: Path) -> None:
    """A withdrawn bot's game that is still running no longer holds up the next Swiss round."""

    async def scenario(run: Play) -> None:
        first = await run.desk.open(2)
        second = await run.desk.ended_then_open(first, 2)
        slow = second[0]
        out = run.desk.players(slow)[0]
        run.desk.end(second[1])
        await run.until_recorded(3)
        run.rule(RulingKind.WITHDRAW, entrant=out)
        await run.desk.open(2)
        assert not run.desk.over(slow)
        await run.desk.end_all()

    told = play(
        tmp_path, tournament("abcd", 'format = "swiss"\nrounds = 2', groups=1, at_once=2), scenario
    )

    assert len(told) == 1


def test_progress_counts_every_game_once_whatever_is_ruled(tmp_path: Path) -> None:
    async def scenario(run: Play) -> None:
        first, second = await run.desk.open(2)
        run.desk.end(first)
        await run.until_recorded(1)
        run.rule(RulingKind.VOID, number=1)
        run.rule(RulingKind.DISQUALIFY, entrant="d")
        run.desk.end(second)
        await run.desk.end_all()
        await run.finished()
        standing = run.coordinator.standing
        assert (standing.done, standing.over) == (standing.planned, True)

    play(tmp_path, tournament("abcd", groups=1, at_once=2), scenario)

    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        assert all("d" not in row.entrants for row in ledger.results())
        assert len(ledger.results()) == 6


def test_nothing_is_begun_while_paused_whoever_waits(tmp_path: Path) -> None:
    """One worker waits for the round's last game when the pause comes."""

    async def scenario(run: Play) -> None:
        (only,) = await run.desk.open(1)
        run.coordinator.pause(True)
        run.desk.end(only)
        await run.until_recorded(1)
        await asyncio.sleep(0.05)
        assert run.desk.playing() == []
        run.coordinator.pause(False)
        await run.desk.end_all()

    play(tmp_path, tournament("ab", 'format = "knockout"\nrotation = false', at_once=2), scenario)


def test_p31_a_void_game_is_played_again_before_the_others_with_its_group(tmp_path: Path) -> None:
    async def scenario(run: Play) -> None:
        (only,) = await run.desk.open(1)
        run.desk.end(only, void="the referee fell over")
        await run.desk.end_all()

    play(tmp_path, tournament("abc", groups=1, at_once=1), scenario)

    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        order = [(row.number, row.attempt) for row in ledger.games()]
    assert order == [(1, 1), (1, 2), (2, 2), (3, 1), (4, 1), (5, 1), (6, 1)]


def test_a_game_that_is_void_three_times_waits_for_the_organiser_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    async def scenario(run: Play) -> None:
        for _ in range(3):
            (only,) = await run.desk.open(1)
            run.desk.end(only, void="no room")
        await run.desk.end_all()

    with pytest.raises(TournamentStopped, match="game 1 was void again and again, at attempt 3"):
        play(tmp_path, tournament("abc", groups=1, at_once=1), scenario)

    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        assert [row.number for row in ledger.results()] == [3, 4, 5, 6]
        assert [(todo.game.number, todo.attempt) for todo in ledger.outstanding()] == [
            (1, 4),
            (2, 4),
        ]


def test_a_sequential_test_takes_the_pair_of_one_deal_after_a_void_game(tmp_path: Path) -> None:
    """The first game of the first attempt was won, its second was void; both are then lost."""

    async def scenario(run: Play) -> None:
        first, second = await run.desk.open(2)
        run.desk.end(first, winner="a")
        await run.until_recorded(1)
        run.desk.end(second, void="no room")
        await run.desk.end_all("b")
        await run.finished()
        state = run.coordinator.sprt_state()
        assert state is not None
        assert state.pairs[0] == sum(state.pairs)
        assert state.verdict is Verdict.NOT_BETTER

    play(tmp_path, tournament("ab", more="[sprt]\nelo0 = 0\nelo1 = 300", at_once=2), scenario)


def test_a_sequential_test_is_made_anew_under_a_ruling(tmp_path: Path) -> None:
    async def scenario(run: Play) -> None:
        pair = await run.desk.open(2)
        following = await run.desk.ended_then_open(pair, 2, "a")
        run.rule(RulingKind.VOID, number=2)
        for match in following:
            run.desk.end(match, winner="b")
        await run.desk.end_all("b")
        await run.finished()
        state = run.coordinator.sprt_state()
        assert state is not None
        assert state.pairs[0] == sum(state.pairs)

    play(tmp_path, tournament("ab", more="[sprt]\nelo0 = 0\nelo1 = 300", at_once=2), scenario)


def test_a_sequential_test_whose_bot_never_comes_ends_with_a_sentence(tmp_path: Path) -> None:
    """Games that are not played decide nothing, and there is no end of them."""

    async def scenario(run: Play) -> None:
        await run.desk.end_all(absent="b")

    text = tournament("ab", more="[sprt]\nelo0 = 0\nelo1 = 300", at_once=1)
    with pytest.raises(TournamentStopped, match=r"cannot be decided: b is in quarantine"):
        play(tmp_path, text, scenario)


@pytest.mark.parametrize("at_once", [1, 2, 8])
@pytest.mark.parametrize(
    ("part", "groups", "games"),
    [
        pytest.param("", 2, 40, id="round-robin"),
        pytest.param('format = "gauntlet"\nseeds = ["a", "b"]', 1, 12, id="gauntlet"),
        pytest.param('format = "swiss"\nrounds = 3', 1, 12, id="swiss"),
        pytest.param('format = "knockout"\nbest_of = 3', 0, 16, id="knockout"),
    ],
)
def test_every_format_comes_to_its_end_however_many_matches_there_are_at_once(
    part: str, groups: int, games: int, at_once: int, tmp_path: Path
) -> None:
    """The bot whose name comes first wins: the knockout's four ties end after two groups each."""

    async def scenario(run: Play) -> None:
        await run.desk.end_all()
        await run.finished()

    assert play(tmp_path, tournament("abcde", part, groups=groups, at_once=at_once), scenario) == []
    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        assert len(ledger.results()) == games


async def to_the_end(run: Play) -> None:
    await run.desk.end_all()
    await run.finished()


async def three_games(run: Play) -> None:
    for _ in range(3):
        (match,) = await run.desk.open(1)
        run.desk.end(match)
    await run.until_recorded(3)
    await run.stop()


def meetings(folder: Path) -> Counter[frozenset[str]]:
    with Ledger.open(folder / "ledger.sqlite", own=False) as ledger:
        results = ledger.results()
        assert ledger.outstanding() == []
    return Counter(frozenset(pair) for row in results for pair in combinations(row.entrants, 2))


FREE = 'format = "free_for_all"\nseats = 3\n'
RUMMY = 'game = "wild_rummy"'


@pytest.mark.parametrize("bots", ["abcdez", "zabcde", "edczba"])
@pytest.mark.parametrize(
    ("part", "games"),
    [
        pytest.param("", dict.fromkeys(combinations("abcdez", 2), 4), id="round-robin"),
        pytest.param(
            'format = "gauntlet"\nseeds = ["a"]',
            {("a", other): 4 for other in "bcdez"},
            id="gauntlet",
        ),
        pytest.param(FREE, dict.fromkeys(combinations("abcdez", 2), 24), id="free-for-all"),
    ],
)
def test_a_bot_that_the_file_names_from_now_on_plays_its_full_quota_and_the_others_theirs(
    part: str, games: dict[tuple[str, str], int], bots: str, tmp_path: Path
) -> None:
    """Wherever in the file it stands, and whatever the order of the others."""
    game = RUMMY if part == FREE else 'game = "anchorline"'
    play(tmp_path, tournament("abcde", part, groups=2, game=game), three_games)
    play(tmp_path, tournament(bots, part, groups=2, game=game), to_the_end, "it came late")

    assert meetings(tmp_path) == {frozenset(pair): count for pair, count in games.items()}


@pytest.mark.parametrize("bots", ["abcde", "acde", "edca"])
def test_a_bot_that_the_file_does_not_name_any_more_leaves_the_others_their_games(
    bots: str, tmp_path: Path
) -> None:
    play(tmp_path, tournament("abcde", groups=2), three_games)
    play(tmp_path, tournament(bots, groups=2), to_the_end, "it is gone")

    met = meetings(tmp_path)
    assert {pair: count for pair, count in met.items() if "b" not in pair} == {
        frozenset(pair): 4 for pair in combinations("acde", 2)
    }
    assert sum(count for pair, count in met.items() if "b" in pair) == (16 if "b" in bots else 2)


def test_a_sequential_test_keeps_its_first_bot_when_the_file_is_reordered(tmp_path: Path) -> None:
    async def lost(run: Play) -> None:
        await run.desk.end_all("b")
        await run.finished()
        state = run.coordinator.sprt_state()
        assert state is not None
        assert state.verdict is Verdict.NOT_BETTER

    more = "[sprt]\nelo0 = 0\nelo1 = 300"
    play(tmp_path, tournament("ab", more=more), three_games)
    play(tmp_path, tournament("ba", more=more), lost)


def test_t28_a_bot_that_crashes_in_every_game_forfeits_each_and_the_tournament_ends(
    tmp_path: Path,
) -> None:
    async def scenario(run: Play) -> None:
        await run.desk.end_all(crashed="b")
        await run.finished()

    play(tmp_path, tournament("abc", "quarantine_after = 1000", groups=5), scenario)

    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        rows = ledger.games()
    forfeits = [why for row in rows for why in row.forfeits if why]
    assert len(rows) == 3 * 5 * 2
    assert forfeits == ["disconnected"] * 2 * 5 * 2


def test_p42_a_game_in_which_both_bots_crash_is_stored_and_the_next_one_begins(
    tmp_path: Path,
) -> None:
    async def scenario(run: Play) -> None:
        await run.desk.end_all(crashed="ab")
        await run.finished()

    play(tmp_path, tournament("abc", "quarantine_after = 1000", groups=1), scenario)

    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        rows = {frozenset(row.entrants): row for row in ledger.results()}
        assert len(ledger.results()) == 6
    assert rows[frozenset("ab")].forfeits == ("disconnected", "disconnected")
    assert rows[frozenset("ab")].placements == (1, 1)


def test_p46_a_bot_that_only_fails_takes_five_games_of_the_others_time(tmp_path: Path) -> None:
    """The rest is forfeited without being played, and the others play all of theirs."""

    async def scenario(run: Play) -> None:
        await run.desk.end_all(crashed="b")
        await run.finished()
        assert sum("b" in run.desk.players(match) for match in run.desk.made()) == 5

    play(tmp_path, tournament("abc", groups=20), scenario)

    with Ledger.open(tmp_path / "ledger.sqlite", own=False) as ledger:
        reasons = Counter(why for row in ledger.games() for why in row.forfeits if why)
        played = Counter(frozenset(row.entrants) for row in ledger.games() if row.played)
    assert reasons == {"disconnected": 5, "quarantined": 75}
    assert played[frozenset("ac")] == 40
