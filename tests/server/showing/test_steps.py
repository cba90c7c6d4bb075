"""A record is told step by step, and to a seat only as far as that seat saw it."""

from pathlib import Path

import pytest

from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_engine.registry import games
from harbourmaster_server.records import RecordError
from harbourmaster_server.showing import Step, show
from support.records import entries_of, play_some

GAMES = sorted(games())


def strange(steps: list[Step], seat: int) -> list[str]:
    """Return what is in *steps* that *seat* cannot have seen."""
    found = []
    for step in steps:
        if step.asked is not None and step.asked.seat != seat:
            found.append(f"the view of seat {step.asked.seat}")
        if step.seat not in (None, seat) and step.kind != "forfeit":
            found.append(f"a decision of seat {step.seat}")
        if step.kind == "move" and step.seat != seat and step.details:
            found.append("the clock or the note of another seat")
        if step.entry is not None:
            found.append("an entry of the record")
        if any("seed" in detail for detail in step.details):
            found.append("the seed")
    return found


@pytest.mark.parametrize("game", GAMES)
def test_every_step_of_every_game_is_told(game: str, tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, game, 20)

    steps = list(show(entries))

    assert [step.number for step in steps] == list(range(1, len(entries) + 1))
    moves = [step for step in steps if step.kind == "move"]
    assert len(moves) == 20
    for step in moves:
        assert step.asked is not None
        assert step.asked.picture
        assert step.changes
        assert step.text.startswith(f"Seat {step.seat} (bot{step.seat}): ")
        assert "note: as offered" in step.details
    assert [step.kind for step in steps][-4:] == ["fault", "forfeit", "end", "signature"]


@pytest.mark.parametrize("game", GAMES)
def test_the_views_events_and_times_shown_are_those_that_were_sent(
    game: str, tmp_path: Path
) -> None:
    entries, bots = play_some(tmp_path, game, 20)
    asked = [step.asked for step in show(entries) if step.asked is not None]
    sent = [request for bot in bots for request in bot.all("decision_request")]

    assert len(asked) == 21
    for request in sent:
        (shown,) = [each for each in asked if each.decision == request.decision]
        assert shown.view == request.view
        assert list(shown.events) == list(request.events)
        assert shown.time_left_micros == request.time_left_micros


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_is_shown_what_it_saw_and_no_more(game: str, tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, game, 20)
    for seat in (0, 1):
        steps = list(show(entries, seat))

        assert strange(steps, seat) == []
        assert sum(step.kind == "move" for step in steps) == 20
        own = [move for move in entries_of(entries, "move") if move.seat == seat]
        assert [step.decision for step in steps if step.kind == "move" and step.seat == seat] == [
            move.decision for move in own
        ]


def test_planted_fault_what_everybody_is_shown_is_too_much_for_a_seat(tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, "wild_rummy", 20)

    found = strange(list(show(entries)), 0)

    assert {"the view of seat 1", "a decision of seat 1", "an entry of the record"} <= set(found)
    assert {"the clock or the note of another seat", "the seed"} <= set(found)


def test_a_step_tells_the_times_and_the_time_left(tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, "anchorline", 3)

    step = next(step for step in show(entries) if step.kind == "move")

    assert step.details[0] == (
        "took 120.0 ms, charged 70.0 ms; held back 0.0 ms, referee 0.0 ms; 60.100 s left"
    )
    assert step.asked is not None
    assert step.asked.time_left_micros == 70_000_000


def test_a_pause_is_told(tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, "anchorline", 3)
    pause = pb.RecordEntry(elapsed_micros=entries[2].elapsed_micros)
    pause.pause.text, pause.pause.pause_micros = "the disk was full", 1_500_000

    steps = list(show([*entries[:3], pause]))

    assert steps[-1].text == "The match stood still for 1.500 s: the disk was full."


def test_there_is_no_such_seat(tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, "anchorline", 1)

    with pytest.raises(RecordError, match="there is no seat 2: the match has seats 0 to 1"):
        list(show(entries, 2))
