"""What goes over the wire in whole matches tells nobody what it cannot know."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import game_pb2
from harbourmaster_engine.game import SPECTATOR, LegalMoves
from harbourmaster_engine.registry import find_game
from harbourmaster_server.codec import codec_for
from harbourmaster_server.matches.match import Match, Seat
from support.wire import (
    Tapped,
    assert_no_secret_was_sent,
    assert_only_public_things_were_sent,
    secrets_of,
    tap,
)

MATCHES: list[tuple[str, int, Mapping[str, Any]]] = [
    ("anchor", 2, {"target_score": 250}),
    ("anchor", 3, {"target_score": 60, "no_play_rounds": 9}),
    ("claim", 2, {"idle_turns": 3}),
    ("claim", 4, {"hand_size": 7, "idle_turns": 2}),
    ("tide", 2, {"format": "EMPTY_HAND"}),
    ("tide", 3, {"format": "CLASSIC", "max_rounds": 1}),
    ("tide", 4, {"format": "MELD_SCORE", "target_score": 60}),
    ("wild_rummy", 2, {"rounds": 2, "max_turns_per_round": 30}),
    ("wild_rummy", 4, {"rounds": 1, "max_turns_per_round": 40}),
    ("anchorline", 2, {}),
]
SHORT = ("wild_rummy", 3, {"rounds": 1, "max_turns_per_round": 6})


def search(tapped: Tapped) -> tuple[int, int]:
    """Assert both that no secret was sent and that only public things were; count what was seen."""
    return assert_no_secret_was_sent(tapped), assert_only_public_things_were_sent(tapped)


@pytest.mark.parametrize(("game", "seats", "options"), MATCHES)
def test_no_secret_is_in_the_bytes_of_a_whole_match(
    game: str, seats: int, options: Mapping[str, Any], tmp_path: Path
) -> None:
    tapped = tap(tmp_path, game, seats, options)

    assert {each.seat for each in tapped.sent} == {SPECTATOR, *range(seats)}
    searched, compared = search(tapped)
    assert searched > 2 * len(tapped.moves)
    assert compared == len(tapped.moves) > 10


def test_a_sealed_match_keeps_its_deal_to_the_end(tmp_path: Path) -> None:
    tapped = tap(tmp_path, *SHORT, sealed=True)

    ends = [e.match_end for e in tapped.to(0) if e.HasField("match_end")]
    assert [end.WhichOneof("deal") for end in ends] == ["sealed"]
    assert b"".join(each.data for each in tapped.sent).count(tapped.seed) == 0
    assert_no_secret_was_sent(tapped)


def told_by(tapped: Tapped, seats: int) -> list[game_pb2.Event]:
    """Return every public event of the match, by the engine alone."""
    state = find_game(tapped.game).start(tapped.seed, seats, tapped.options)
    codec = codec_for(tapped.game)
    return [event for _, move in tapped.moves for event in codec.events(state.apply(move))]


def assert_comebacks_tell_nothing(tapped: Tapped, seats: int) -> int:
    """Assert that a bot that comes back gets public events alone; count how often it did."""
    told, back = told_by(tapped, seats), 0
    for seat in range(seats):
        for event in tapped.to(seat):
            if event.HasField("match_start") and event.match_start.resumed:
                history = list(event.match_start.history)
                assert history == told[: len(history)], f"seat {seat} came back to something else"
                back += 1
    return back


def assert_log_tells_nothing(tapped: Tapped) -> None:
    """Assert that neither the deal nor a way into a session is in the log."""
    assert "match begins" in tapped.log
    for secret in (tapped.seed, *tapped.tokens):
        for form in (secret.hex(), repr(secret), b64encode(secret).decode()):
            assert form not in tapped.log, "a secret is in the log"


@pytest.mark.parametrize(("game", "seats", "options"), [SHORT, *MATCHES[2:6]])
def test_p29_p61_e20_nothing_hidden_is_in_what_a_bot_finds_on_coming_back_nor_in_the_log(
    game: str, seats: int, options: Mapping[str, Any], tmp_path: Path
) -> None:
    tapped = tap(tmp_path, game, seats, options, drops=True)

    assert assert_no_secret_was_sent(tapped) > 2 * len(tapped.moves)
    assert assert_comebacks_tell_nothing(tapped, seats) >= len(tapped.moves) // 5 > 0
    assert_log_tells_nothing(tapped)


# Planted faults.


def change_views(
    match: Match, patch: pytest.MonkeyPatch, change: Callable[[game_pb2.View], object]
) -> None:
    """Let *change* have every view before it is sent."""
    part = match.codec.view_part

    def view_part(view: Any) -> bytes:
        request = pb.DecisionRequest.FromString(part(view))
        change(request.view)
        return request.SerializeToString()

    patch.setattr(match.codec, "view_part", view_part)


def show_hidden_cards(match: Match, patch: pytest.MonkeyPatch) -> None:
    """Let every view hold, in a field that nobody knows, what its seat may not see."""

    def change(view: game_pb2.View) -> None:
        mover = match.state.to_move
        for secret in secrets_of(match, mover if mover is not None else SPECTATOR).values():
            # Field 1000, with a length.
            view.MergeFromString(b"\xc2\x3e" + bytes([len(secret)]) + secret)

    change_views(match, patch, change)


def another_hand(match: Match, patch: pytest.MonkeyPatch) -> None:
    """Let every view be that of the next seat."""
    part = match.codec.view_part

    def view_part(view: Any) -> bytes:
        mover = match.state.to_move
        assert mover is not None
        return part(match.state.view((mover + 1) % len(match.seats)))

    patch.setattr(match.codec, "view_part", view_part)


def offers_by_the_stock(match: Match, patch: pytest.MonkeyPatch) -> None:
    """Let the order of the offered moves depend on the top of the stock."""
    part = match.codec.offered_part

    def offered_part(offered: LegalMoves[Any]) -> bytes:
        stock = getattr(match.state, "_stock")  # noqa: B009 # Its type is not that of every state.
        odd = bool(stock) and stock[-1] % 2
        return part(LegalMoves(offered.moves[::-1] if odd else offered.moves, offered.complete))

    patch.setattr(match.codec, "offered_part", offered_part)


def seed_in_the_view(match: Match, patch: pytest.MonkeyPatch) -> None:
    """Let every view hold the seed."""
    change_views(match, patch, lambda view: view.MergeFromString(b"\xc2\x3e\x20" + match.deal.seed))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (show_hidden_cards, "was sent"),
        (seed_in_the_view, "was sent the seed"),
        (another_hand, "was sent hand 1|saw something else"),
        (offers_by_the_stock, "was offered something else"),
    ],
)
def test_a_leak_on_the_wire_is_noticed(
    fault: Callable[[Match, pytest.MonkeyPatch], None],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    with monkeypatch.context() as patch:
        tapped = tap(tmp_path, *SHORT, plant=lambda match: fault(match, patch))
    with pytest.raises(AssertionError, match=message):
        search(tapped)


def test_twin_a_history_or_a_log_that_says_more_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    game, seats, options = SHORT
    make = Match.start_message

    def says_more(match: Match, seat: Seat) -> pb.MatchStart:
        start = make(match, seat)
        if start.resumed:
            start.history.add().seat_forfeited.seat = 1
        match.log.debug("planted", seed=match.deal.seed.hex())
        return start

    monkeypatch.setattr(Match, "start_message", says_more)
    tapped = tap(tmp_path, game, seats, options, drops=True)
    with pytest.raises(AssertionError, match="came back to something else"):
        assert_comebacks_tell_nothing(tapped, seats)
    with pytest.raises(AssertionError, match="a secret is in the log"):
        assert_log_tells_nothing(tapped)
