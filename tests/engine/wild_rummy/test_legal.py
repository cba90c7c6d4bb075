"""Wild Rummy: the legal moves that are listed are all that there are, and their use is safe."""

from itertools import combinations, permutations

import pytest

from harbourmaster_engine.cards import NAMES
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.wild_rummy import (
    AddCard,
    BuyWild,
    Discard,
    Draw,
    End,
    LayMeld,
    Source,
    WildRummyMove,
    WildRummyState,
)
from harbourmaster_engine.wild_rummy.legal import MOST_MOVES, hand_melds
from harbourmaster_engine.wild_rummy.melds import ALL_CARDS, BIT, cards_of, read_meld
from harbourmaster_engine.wild_rummy.moves import Meld
from support.wild_rummy_boards import do, move, position, start


def key(made: WildRummyMove, wild: int) -> object:
    """Return *made*, or for a set its cards without their order, which changes nothing."""
    if isinstance(made, LayMeld):
        meld = read_meld(made.cards, wild)
        assert isinstance(meld, Meld)
        return made if meld.run else frozenset(made.cards)
    return made


def every_meld(hand: int, wild: int) -> set[object]:
    """Return every meld of the cards of *hand*, by trying all orders of all choices."""
    found: set[object] = set()
    for size in range(3, hand.bit_count() + 1):
        for cards in combinations(cards_of(hand), size):
            for order in permutations(cards):
                if isinstance(read_meld(order, wild), Meld):
                    found.add(key(LayMeld(order), wild))
    return found


def hands(rng: Stream, wild: int, size: int, count: int) -> list[int]:
    """Return hands rich in melds: cards near each other and of the wild rank."""
    found = []
    for _ in range(count):
        low, suit = rng.below(13), rng.below(4) * 13
        pool = [suit + (low + i) % 13 for i in range(6)]
        pool += [wild - 1 + 13 * i for i in range(4)]
        pool += [(low + 2) % 13 + 13 * i for i in range(4)]
        rng.shuffle(pool)
        cards: list[int] = []
        for card in pool:
            if card not in cards and len(cards) < size:
                cards.append(card)
        found.append(sum(BIT[card] for card in cards))
    return found


@pytest.mark.parametrize("wild", [1, 2, 5, 12, 13])
@pytest.mark.parametrize(("size", "count"), [(4, 30), (5, 20), (6, 10)])
def test_every_meld_of_a_hand_is_listed_once(wild: int, size: int, count: int) -> None:
    for hand in hands(Stream(bytes([wild, size])), wild, size, count):
        moves = hand_melds(hand, wild)
        listed = {key(made, wild) for made in moves}
        assert len(moves) == len(listed)
        assert listed == every_meld(hand, wild)


def test_the_hand_of_eight_cards_with_most_melds_is_listed_whole() -> None:
    state = position("wild: 4\n0: 4C 4D 4H 4S 5H 6H 7H 8H\n1: 2D")
    offered = state.legal_moves()

    assert offered.complete
    assert len(offered.moves) == 1227 + 8
    assert all(state.check(made) is None for made in offered.moves)


@pytest.mark.parametrize("limit", [1, 2, 7, 300])
def test_a_limit_gives_so_many_legal_moves_and_says_that_there_are_more(limit: int) -> None:
    state = position("wild: 4\n0: 4C 4D 4H 4S 5H 6H 7H 8H\n1: 2D")
    offered = state.legal_moves(limit)

    assert not offered.complete
    assert len(set(offered.moves)) == limit
    assert set(offered.moves) <= set(state.legal_moves().moves)
    if limit > 1:
        assert {LayMeld, Discard} <= {type(made) for made in offered.moves}


def test_even_a_whole_deck_in_one_hand_gives_a_short_list_with_a_discard() -> None:
    hand = " ".join(NAMES)
    state = position(f"wild: 7\n0: {hand.replace(' JK', '')}\n1:")
    offered = state.legal_moves()

    assert not offered.complete
    assert len(offered.moves) == MOST_MOVES
    assert offered.moves[0] == move("discard KS")
    assert MOST_MOVES <= len(hand_melds(ALL_CARDS, 7)) < 2 * MOST_MOVES


def probes(state: WildRummyState) -> list[WildRummyMove]:
    """Return every draw, discard, addition and purchase that has the right form."""
    found: list[WildRummyMove] = [Draw(source) for source in Source]
    for card in range(52):
        found.append(Discard(card))
        for number in range(len(state.view(0).melds) + 2):
            found += [AddCard(number, card, end) for end in (None, End.LOW, End.HIGH)]
            found += [BuyWild(number, index, card) for index in range(-1, 7)]
    return found


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_list_is_exactly_what_check_allows(seats: int) -> None:
    state = start(seats, {"rounds": 5}, bytes([seats]) * 32)
    rng = Stream(b"list")
    step = 0
    while state.to_move is not None:
        moves = state.legal_moves().moves
        assert moves
        assert state.default_move() in moves
        if step % 25 == 0:
            others = {made for made in moves if not isinstance(made, LayMeld)}
            assert {made for made in probes(state) if state.check(made) is None} == others
        for made in moves:
            assert state.check(made) is None
        state.apply(rng.choice(moves))
        step += 1
    assert step > 200


def test_a_random_player_makes_every_kind_of_move() -> None:
    kinds = dict.fromkeys((Draw, LayMeld, AddCard, BuyWild, Discard), 0)
    rng = Stream(b"kinds")
    for number in range(6):
        state = start(2, seed=bytes([number]) * 32)
        while state.to_move is not None:
            made = state.sample_move(rng)
            kinds[type(made)] += 1
            state.apply(made)

    assert all(count > 20 for count in kinds.values()), kinds


def test_the_default_is_a_draw_from_the_stock_then_the_discard_of_the_dearest_card() -> None:
    state = position("discards: 9D\n0: 3H KD 5H\n1: 2D", phase="draw")

    assert state.default_move() == move("draw stock")
    do(state, "draw discard")
    assert state.default_move() == move("discard 5H")


def test_the_default_keeps_the_taken_card() -> None:
    state = position("discards: KD\n0: 3H 4H\n1: 2D", phase="draw")
    do(state, "draw discard")

    assert state.default_move() == move("discard 4H")


def test_a_clone_goes_its_own_way() -> None:
    rng = Stream(b"clones")
    state = start(3, {"rounds": 2})
    ancestors = []
    while state.to_move is not None:
        ancestors.append((state, state.fingerprint(), state.view(0)))
        state = state.clone()
        assert state.fingerprint() == ancestors[-1][1]
        state.apply(state.sample_move(rng))

    for ancestor, fingerprint, view in ancestors:
        assert ancestor.fingerprint() == fingerprint
        assert ancestor.view(0) == view


def test_a_clone_draws_the_same_cards_after_a_shuffle() -> None:
    state = position("stock: 10H\ndiscards: 9D 8D 7D JS QS\n0: 6H 3S\n1: 2D", phase="draw")
    do(state, "draw stock")
    twin = state.clone()
    for each in (state, twin):
        do(each, "discard 6H", "draw stock")

    assert state.fingerprint() == twin.fingerprint()
