"""Who gets a seat in which match: a bot's room is counted in matches."""

from pathlib import Path

from support.arena import open_arena, run, spin


def test_a_bot_with_room_for_one_match_sits_at_several_of_its_seats(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            bot = await arena.bot("a", open_matches=1)
            first = await arena.match("a", "a")
            second = await arena.match("a", "a")
            starts = [(start.match_id, start.seat) for start in bot.all("match_start")]
            assert starts == [(first, 0), (first, 1)]
            assert bot.session.room == 0

            assert not (await arena.play_out(first, bot)).outcome.void
            await spin()
            starts = [(start.match_id, start.seat) for start in bot.all("match_start")]
            assert starts[2:] == [(second, 0), (second, 1)]
            assert not (await arena.play_out(second, bot)).outcome.void
            assert bot.session.room == 1

    run(work())


def test_a_bot_with_two_sessions_sits_at_one_seat_with_each(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            large = await arena.bot("a", open_matches=50)
            small = await arena.bot("a", open_matches=1)
            await arena.match("a", "a")
            assert [start.seat for start in large.all("match_start")] == [0]
            assert [start.seat for start in small.all("match_start")] == [1]
            assert (large.session.room, small.session.room) == (49, 0)

    run(work())


def test_a_third_seat_goes_to_a_session_that_has_one_already(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            one = await arena.bot("a", open_matches=1)
            other = await arena.bot("a", open_matches=1)
            await arena.match("a", "a", "a", game="claim")
            seats = [start.seat for bot in (one, other) for start in bot.all("match_start")]
            assert sorted(seats) == [0, 1, 2]
            assert (one.session.room, other.session.room) == (0, 0)

    run(work())
