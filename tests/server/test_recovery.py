"""What the referee takes up again after it was killed, and what it does where it cannot."""

import dataclasses
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_server import terms as terms_module
from harbourmaster_server.errors import CannotStart
from harbourmaster_server.records import read_record
from harbourmaster_server.records.journal import SUFFIX, Journal, read_journal
from harbourmaster_server.terms import to_duration
from harbourmaster_server.verify import verify_file
from support.arena import Arena, ScriptedBot, open_arena, run

SECOND = 1_000_000


def terms(game: str = "anchorline") -> match_pb2.MatchTerms:
    clock = match_pb2.ClockTerms(
        bank=match_pb2.BankLimit(initial_time=to_duration(20 * SECOND)),
        first_turn_allowance=to_duration(0),
        grace=to_duration(0),
    )
    return match_pb2.MatchTerms(game=game, clock=clock)


async def killed(tmp_path: Path, moves: int = 5, matches: int = 1, think: float = 100) -> Path:
    """Return the folder of a referee that was killed in the middle of *matches* matches."""
    image = tmp_path / "killed"
    async with open_arena(tmp_path / "alive") as arena:
        first = await arena.bot("first", open_decisions=matches)
        second = await arena.bot("second", open_decisions=matches)
        for number in range(matches):
            await arena.match("first", "second", terms=terms(), match_id=f"m{number}")
            for _ in range(moves):
                await arena.time.advance(think)
                await answer(arena, f"m{number}", first, second)
        shutil.copytree(tmp_path / "alive", image)
    return image


async def answer(arena: Arena, match_id: str, *bots: ScriptedBot) -> None:
    """Let whoever is asked take the first offered move."""
    decision = arena.referee._matches[match_id].decision
    assert decision is not None
    for bot in bots:
        requests = bot.all("decision_request")
        asked = [r for r in requests if (r.match_id, r.decision) == (match_id, decision.number)]
        if asked:
            await bot.reply(match_id=match_id, decision=decision.number)
            return
    raise AssertionError("nobody is asked")


def test_a_match_goes_on_at_the_same_decision_with_the_same_view_offers_and_clock(
    tmp_path: Path,
) -> None:
    async def play() -> tuple[Any, Any, str]:
        image = tmp_path / "killed"
        async with open_arena(tmp_path / "alive") as arena:
            first, second = await arena.bot("first"), await arena.bot("second")
            match_id = await arena.match("first", "second", terms=terms())
            for _ in range(4):
                await arena.time.advance(700)
                await answer(arena, match_id, first, second)
            await arena.time.advance(300)
            shutil.copytree(tmp_path / "alive", image)
            before = first.request
        async with open_arena(image) as arena:
            first, second = await arena.bot("first"), await arena.bot("second")
            assert first.last("match_start").resumed
            after = first.request
            info = await arena.play_out(match_id, first, second)
            return before, after, info.outcome.reason

    before, after, reason = run(play())
    assert after.decision == 5
    assert after.view == before.view
    assert after.offered == before.offered
    # What was thought about the open decision before the kill is not in the journal.
    assert after.time_left_micros == 20 * SECOND - 2 * 700_000
    assert reason != "void"
    [record] = (tmp_path / "killed" / "records").glob("*.hmr")
    verify_file(record)


def test_e38_an_attempt_that_was_refused_before_the_kill_is_still_spent(tmp_path: Path) -> None:
    async def play() -> tuple[int, int]:
        image = tmp_path / "killed"
        async with open_arena(tmp_path / "alive") as arena:
            first, _ = await arena.bot("first"), await arena.bot("second")
            await arena.match("first", "second", terms=terms())
            await arena.time.advance(900)
            await first.reply(offered_index=99)
            shutil.copytree(tmp_path / "alive", image)
        async with open_arena(image) as arena:
            first, _ = await arena.bot("first"), await arena.bot("second")
            return first.request.attempt, first.request.time_left_micros

    assert run(play()) == (2, 20 * SECOND - 900_000)


def test_a_pause_of_the_referee_is_in_the_record(tmp_path: Path) -> None:
    async def play() -> None:
        image = await killed(tmp_path)
        async with open_arena(image) as arena:
            first, second = await arena.bot("first"), await arena.bot("second")
            await arena.play_out("m0", first, second)

    run(play())
    entries = read_record(tmp_path / "killed" / "records" / "m0.hmr")
    pauses = [e.pause for e in map(pb.RecordEntry.FromString, entries) if e.HasField("pause")]
    assert [pause.text for pause in pauses] == ["the referee was restarted"]


def test_a_kill_in_the_middle_of_a_start_leaves_both_journals_and_no_match_mixed_up(
    tmp_path: Path,
) -> None:
    """The old journal is deleted only when the new one has it all: here it never comes to that."""

    async def play() -> list[str]:
        image = await killed(tmp_path, matches=3)
        old = {path.name: path.read_bytes() for path in (image / "journal").glob(f"*{SUFFIX}")}
        again = tmp_path / "again"
        async with open_arena(image) as arena:
            # Of a match that was made since, too.
            await arena.match("first", "second", terms=terms(), match_id="new")
            shutil.copytree(image, again)
        for name, data in old.items():
            (again / "journal" / name).write_bytes(data)
        numbers = read_journal(again / "journal")
        assert len(numbers) == 3 + 3 + 1
        async with open_arena(again) as arena:
            return sorted(match.id for match in arena.referee.open_matches)

    assert run(play()) == ["m0", "m1", "m2", "new"]


def test_a_start_on_a_full_disk_fails_in_a_sentence_and_leaves_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(journal: Journal) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def start(image: Path) -> int:
        async with open_arena(image) as arena:
            return arena.referee.open_matches[0].decisions

    image = run(killed(tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "flush", full)
        with pytest.raises(CannotStart, match="No space left"):
            run(start(image))

    assert run(start(image)) == 5


def spoil(folder: Path, change: Callable[[bytes], bytes]) -> None:
    """Change the only segment of a journal."""
    [path] = folder.glob(f"*{SUFFIX}")
    path.write_bytes(change(path.read_bytes()))


def middle_flipped(data: bytes) -> bytes:
    place = len(data) // 3
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("moves", [3, 8])
def test_a_damaged_entry_voids_its_match_and_nothing_else(moves: int, tmp_path: Path) -> None:
    async def play() -> tuple[list[str], list[bool]]:
        image = await killed(tmp_path, moves=moves, matches=2)
        spoil(image / "journal", middle_flipped)
        async with open_arena(image) as arena:
            infos = [arena.referee.get_match(f"m{number}") for number in range(2)]
            open_ids = [match.id for match in arena.referee.open_matches]
            return open_ids, [info.outcome.void for info in infos]

    open_ids, voids = run(play())
    assert sorted(voids) == [False, True]
    assert open_ids == [f"m{voids.index(False)}"]
    void_record = tmp_path / "killed" / "records" / f"m{voids.index(True)}.hmr"
    assert "restarted and cannot go on" in verify_text(void_record)


def verify_text(path: Path) -> str:
    end = [e for e in map(pb.RecordEntry.FromString, read_record(path)) if e.HasField("end")]
    verify_file(path)
    return end[0].end.outcome.text


def test_a_torn_end_is_as_if_it_had_never_been_written(tmp_path: Path) -> None:
    async def play() -> int:
        image = await killed(tmp_path)
        spoil(image / "journal", lambda data: data[:-7])
        async with open_arena(image) as arena:
            return arena.referee.open_matches[0].decisions

    assert run(play()) == 4


def test_other_rules_void_the_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> tuple[bool, str]:
        image = await killed(tmp_path)
        known = vars(terms_module)["find_game"]

        def newer(game_id: str) -> Any:
            return dataclasses.replace(known(game_id), rules_version=99)

        monkeypatch.setattr(terms_module, "find_game", newer)
        async with open_arena(image) as arena:
            assert arena.referee.open_matches == []
            outcome = arena.referee.get_match("m0").outcome
            return outcome.void, outcome.text

    void, text = run(play())
    assert void
    assert "rules_version is 1" in text


def test_a_bot_that_does_not_come_back_lost_its_connection(tmp_path: Path) -> None:
    """Not `not_connected`, which would say that the game was never played."""

    async def play() -> list[int]:
        image = await killed(tmp_path)
        async with open_arena(image) as arena:
            arena.referee.bot_exited("second", "it is gone")
            await arena.bot("first")
            info = await arena.referee.wait("m0")
            return [seat.reason for seat in info.outcome.seats]

    assert run(play()) == [
        game_pb2.SEAT_END_REASON_LAST_SEAT,
        game_pb2.SEAT_END_REASON_DISCONNECTED,
    ]


def test_a_match_of_launched_bots_waits_for_them_and_is_void_when_it_is_not_wanted(
    tmp_path: Path,
) -> None:
    names = ("first@1", "second@2")

    async def play() -> tuple[bool, bool, str]:
        image = tmp_path / "killed"
        async with open_arena(tmp_path / "alive") as arena:
            for number in range(2):
                await arena.match(*names, terms=terms(), match_id=f"m{number}")
            shutil.copytree(tmp_path / "alive", image)
        async with open_arena(image) as arena:
            first, second = await arena.bot(names[0]), await arena.bot(names[1])
            waits = not first.all("match_start")
            arena.referee.drop_held({"m1"})
            dropped = await arena.referee.wait("m1")
            await arena.match(*names, terms=terms(), match_id="m0")
            info = await arena.play_out("m0", first, second)
            return waits, dropped.outcome.void, info.outcome.reason

    waits, void, reason = run(play())
    assert waits
    assert void
    assert reason != "void"
