"""Wild Rummy: what a seat may know, and that nothing else reaches it."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import permutations

import pytest

from harbourmaster_engine.cards import parse_card
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR, ForfeitReason, LegalMoves, Refusal, SeatForfeited
from harbourmaster_engine.wild_rummy import (
    CardAdded,
    CardDiscarded,
    DiscardTaken,
    End,
    MeldLaid,
    RoundBegan,
    RoundEnded,
    StockDrawn,
    StockRenewed,
    WildBought,
    WildRummyEvent,
    WildRummyMove,
    WildRummyState,
    WildRummyView,
)
from harbourmaster_engine.wild_rummy.melds import ALL_CARDS, BIT, cards_of
from support.wild_rummy_boards import do, hand, move, names, position, start


def matches(seats: int, number: int) -> Iterator[WildRummyState]:
    """Yield every state of a random match; from three seats on, one forfeits on the way."""
    rng = Stream(b"match" + bytes([number]))
    state = start(seats, {"rounds": 3}, hashlib.sha256(bytes([seats, number])).digest())
    step = 0
    while state.to_move is not None:
        yield state
        state.apply(state.sample_move(rng))
        step += 1
        if seats > 2 and step == 60 + number:
            state.forfeit(rng.below(seats), ForfeitReason.RESIGNED)
    yield state


def places(state: WildRummyState) -> list[int]:
    """Return the cards of each hand, of each hand out of play, and of each place of the stock."""
    return [*state._hands, *state._gone, *[BIT[card] for card in state._stock]]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_card_is_in_one_place(seats: int) -> None:
    for state in matches(seats, 1):
        cards = [card for held in places(state) for card in cards_of(held)]
        cards += state._discards
        cards += [card for meld in state.view(0).melds for card in meld.cards]
        assert sorted(cards) == [*range(52)]
        assert sum(state._batches) == ALL_CARDS


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_redeal_agrees_with_all_that_the_seat_sees(seats: int) -> None:
    rng = Stream(b"redeal")
    for number, state in enumerate(matches(seats, 2)):
        seat = number % (seats + 1) - 1
        twin = state.redeal(seat, rng)
        assert twin.view(seat) == state.view(seat)
        assert twin.view(SPECTATOR) == state.view(SPECTATOR)
        assert twin._discards == state._discards
        if state.to_move == seat:
            assert twin.legal_moves() == state.legal_moves()
            assert twin.default_move() == state.default_move()
            drawn = state.default_move()
            assert twin.apply(drawn)[0] == state.clone().apply(drawn)[0]
        assert twin._stream.key() != state._stream.key()
        assert twin._seed != state._seed


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_redeal_keeps_the_cards_that_were_seen_to_come_into_a_hand(seats: int) -> None:
    rng = Stream(b"redeal")
    kept = 0
    for number, state in enumerate(matches(seats, 3)):
        twin = state.redeal(number % seats, rng)
        for known, held, gone in zip(state._known, twin._hands, twin._gone, strict=True):
            assert known & ~(held | gone) == 0
            kept += known.bit_count()
    assert kept > 100


def test_a_redeal_varies_every_hidden_place_before_the_first_new_stock() -> None:
    state = start(3)
    for seat in (SPECTATOR, 0, 1, 2):
        twins = [state.redeal(seat, Stream(bytes([n]) * 32)) for n in range(60)]
        for i, found in enumerate(zip(*map(places, twins), strict=True)):
            if i == seat or 3 <= i < 6:
                assert set(found) == {places(state)[i]}
            else:
                assert len(set(found)) > 20


CARDS = "KC 9H 8H 7S 6S 4D 3D"
HISTORY = (
    "draw discard",  # Seat 0 takes JS, for all to see.
    "discard 2C",
    "draw stock",
    "discard 8H",
    "draw discard",  # Seat 2 takes the 8H.
    "discard 7S",
    "draw discard",
    "discard JS",
    "draw stock",  # Seat 1 takes the last card; then 2C and JS are the new stock.
    "discard 9H",
    "draw stock",
)


def small(hands: tuple[str, str], stock: str) -> WildRummyState:
    text = f"wild: 13\nstock: {stock}\ndiscards: JS\n0: 2C 2D\n1: {hands[0]}\n2: {hands[1]}"
    return position(text, phase="draw")


def worlds_after(state: WildRummyState, commands: tuple[str, ...]) -> Iterator[WildRummyState]:
    """Yield the states after *commands*, one for each order of a new stock, if they are legal."""
    if not commands:
        yield state
        return
    if state.check(move(commands[0])) is not None:
        return
    renewed = [event for event in do(state, commands[0]) if isinstance(event, StockRenewed)]
    for order in permutations(state._stock) if renewed else [tuple(state._stock)]:
        twin = state.clone()
        twin._stock = list(order)
        yield from worlds_after(twin, commands[1:])


@pytest.mark.parametrize("length", range(len(HISTORY) + 1))
def test_a_redeal_finds_exactly_the_worlds_in_which_the_public_history_could_have_happened(
    length: int,
) -> None:
    """Deal every world of a small position, play the history in it, and compare."""
    history = HISTORY[:length]
    possible = set()
    for one in permutations(CARDS.split()):
        if [*one[:3]] == sorted(one[:3]) and [*one[3:5]] == sorted(one[3:5]):
            state = small((" ".join(one[:3]), " ".join(one[3:5])), " ".join(one[5:]))
            for world in worlds_after(state, history):
                possible.add((*world._hands, *world._stock))
    truth = small(("9H 8H 4D", "7S 3D"), "6S KC")
    *_, truth = worlds_after(truth, history)
    rng = Stream(b"worlds")
    found = set()
    for _ in range(60 * len(possible)):
        twin = truth.redeal(0, rng)
        found.add((*twin._hands, *twin._stock))

    assert found == {world for world in possible if world[0] == truth._hands[0]}
    assert len(found) > 1


def test_after_the_last_round_a_redeal_keeps_what_the_hands_cost() -> None:
    state = position("wild: 13\nstock: 3C 4D 6S 7S\n0: 10H\n1: 8D 2C\n2: JC 3H 9D")
    do(state, "discard 10H")
    twins = [state.redeal(0, Stream(bytes([n]) * 32)) for n in range(40)]

    assert {twin._settlement() for twin in twins} == {32}
    assert len({tuple(twin._hands) for twin in twins}) > 10


@dataclass
class Table:
    """The public part of a view, kept up to date from events alone."""

    view: WildRummyView
    discards: list[int] = field(default_factory=list)
    melds: list[tuple[int, ...]] = field(default_factory=list)

    def fold(self, event: WildRummyEvent | SeatForfeited) -> None:
        """Take in *event*."""
        view = self.view
        match event:
            case StockDrawn(seat):
                self.count(seat, 1)
                view.stock_count -= 1
            case DiscardTaken(seat, _):
                self.count(seat, 1)
                self.discards.pop()
            case MeldLaid(seat, number, cards):
                self.count(seat, -len(cards))
                self.melds.append(cards)
                assert number == len(self.melds)
                view.melded = tuple(m or s == seat for s, m in enumerate(view.melded))
            case CardAdded(seat, number, card, end):
                self.count(seat, -1)
                old = self.melds[number - 1]
                self.melds[number - 1] = (card, *old) if end is End.LOW else (*old, card)
            case WildBought(_, number, index, card, wild):
                cards = self.melds[number - 1]
                assert cards[index] == wild
                self.melds[number - 1] = (*cards[:index], card, *cards[index + 1 :])
            case CardDiscarded(seat, card):
                self.count(seat, -1)
                self.discards.append(card)
            case StockRenewed(count):
                self.discards = self.discards[-1:]
                view.stock_count = count
            case RoundEnded(_, winner, _, scores):
                view.scores, view.round_winners = scores, (*view.round_winners, winner)
            case SeatForfeited(seat, _):
                self.count(seat, -view.hand_counts[seat])
                view.forfeited = tuple(f or s == seat for s, f in enumerate(view.forfeited))
            case RoundBegan(number, dealer):
                self.discards, self.melds = [], []
                view.round, view.dealer = number, dealer
                view.melded = (False,) * len(view.scores)
                view.hand_counts = tuple(
                    0 if out else 7 + (s == dealer) for s, out in enumerate(view.forfeited)
                )
                view.stock_count = 52 - sum(view.hand_counts)

    def count(self, seat: int, change: int) -> None:
        """Change the number of cards of *seat*."""
        counts = list(self.view.hand_counts)
        counts[seat] += change
        self.view.hand_counts = tuple(counts)

    def facts(self) -> dict[str, object]:
        """Return everything that was kept up to date."""
        view, discards = self.view, self.discards
        return {name: getattr(view, name) for name in FOLDED} | {
            "discard_top": discards[-1] if discards else None,
            "discards_below": max(0, len(discards) - 1),
            "melds": self.melds,
        }


FOLDED = (
    "round",
    "dealer",
    "hand_counts",
    "stock_count",
    "melded",
    "scores",
    "round_winners",
    "forfeited",
)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_e25_the_events_folded_over_the_first_view_give_the_public_part_of_every_later_one(
    seats: int,
) -> None:
    rng = Stream(b"fold")
    state = start(seats, {"rounds": 4})
    table = Table(state.view(SPECTATOR))
    step = 0
    while state.to_move is not None:
        events: list[WildRummyEvent | SeatForfeited] = [*state.apply(state.sample_move(rng))]
        step += 1
        if seats > 2 and step == 150:
            events += state.forfeit(state.to_move, ForfeitReason.TIMEOUT)
        for event in events:
            table.fold(event)
        now = state.view(SPECTATOR)
        expected = {name: getattr(now, name) for name in table.facts()}
        expected["melds"] = [meld.cards for meld in now.melds]
        assert table.facts() == expected, step


def test_a_spectator_sees_no_hand_and_a_seat_only_its_own() -> None:
    state = position("0: 6H KD\n1: 2D 9S")

    assert state.view(SPECTATOR).hand == ()
    assert [names(state.view(seat).hand) for seat in (0, 1)] == ["KD 6H", "2D 9S"]


def test_hands_stay_hidden_after_the_end() -> None:
    state = position("wild: 13\n0: 10H\n1: 8D 2C\n2: KC 3H")
    do(state, "discard 10H")

    assert state.view(SPECTATOR).hand == ()
    assert names(state.view(1).hand) == "2C 8D"
    assert hand(state, 2) == "KC 3H"


def leaks(state: WildRummyState, seat: int, twin: WildRummyState) -> list[str]:
    """Return what lets *seat* tell *state* from *twin*, which are alike for it."""
    found = []
    if state.view(seat) != twin.view(seat):
        found.append("view")
    if state.legal_moves() != twin.legal_moves():
        found.append("legal moves")
    for command in ("draw stock", "draw discard", "discard 9D", "meld 2H 3H 4H", "buy 6C 1[1]"):
        if state.check(move(command)) != twin.check(move(command)):
            found.append(f"refusal of {command}")
    if state.clone().apply(move("draw stock")) != twin.clone().apply(move("draw stock")):
        found.append("event")
    return found


LEAKY = "stock: 3C 4D 6S 7S\ndiscards: 8C\nmeld: 5C 5D 7C\n0*: 10H 2H\n1: 8D 2C\n2: JC 3H 9D"


class TellsTheTopCard(WildRummyState):
    """A state with a planted fault: the event of a draw from the stock tells the card."""

    __slots__ = ()

    def apply(self, move: WildRummyMove) -> tuple[WildRummyEvent, ...]:
        top = self._stock[-1]
        return tuple(
            DiscardTaken(event.seat, top) if type(event) is StockDrawn else event
            for event in super().apply(move)
        )


class OrdersByTheStock(WildRummyState):
    """A state with a planted fault: the order of the offered moves depends on the stock."""

    __slots__ = ()

    def legal_moves(self, limit: int = 100) -> LegalMoves[WildRummyMove]:
        offered = super().legal_moves(limit)
        return replace(offered, moves=offered.moves[:: 1 if self._stock[-1] % 2 else -1])


class TellsAHand(WildRummyState):
    """A state with a planted fault: a refusal names a card of another hand."""

    __slots__ = ()

    def check(self, move: object) -> Refusal | None:
        refusal = super().check(move)
        return refusal and replace(refusal, text=f"{refusal.text}: seat 1 has {hand(self, 1)}")


@pytest.mark.parametrize(
    ("kind", "leak"),
    [
        (WildRummyState, None),
        (TellsTheTopCard, "event"),
        (OrdersByTheStock, "legal moves"),
        (TellsAHand, "refusal of meld 2H 3H 4H"),
    ],
)
def test_nothing_hidden_reaches_a_seat_and_the_check_finds_it_where_it_does(
    kind: type[WildRummyState], leak: str | None
) -> None:
    state = position(LEAKY, phase="draw")
    state.__class__ = kind
    rng = Stream(b"leaks")
    found = [each for _ in range(20) for each in leaks(state, 0, state.redeal(0, rng))]

    if leak is None:
        assert found == []
    else:
        assert leak in found


def test_the_taken_card_and_bought_wilds_are_public_until_they_leave_the_hand() -> None:
    state = position("discards: 9D\nmeld: 5C 5D 7C\n0*: 6C KD\n1: 2D", phase="draw")
    do(state, "draw discard", "buy 6C 1[1]")
    nine, wild = BIT[parse_card("9D")], BIT[parse_card("5D")]
    assert state._known == [nine | wild, 0]
    assert state.redeal(1, Stream(b"x"))._hands[0] & (nine | wild) == nine | wild
    do(state, "discard 5D")
    assert state._known == [nine, 0]
