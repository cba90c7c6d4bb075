"""The position of a match of Wild Rummy, and how moves change it."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Self

from harbourmaster_engine.cards import Card, fresh_deck
from harbourmaster_engine.chance import SEED_BYTES, Stream
from harbourmaster_engine.game import (
    LAST_SEAT,
    ForfeitReason,
    IllegalMove,
    LegalMoves,
    Outcome,
    Refusal,
    SeatForfeited,
    no_such_seat,
    placements,
)
from harbourmaster_engine.wild_rummy.hidden import by_value, deal_again
from harbourmaster_engine.wild_rummy.judge import (
    judge_addition,
    judge_discard,
    judge_draw,
    judge_meld,
    judge_purchase,
    wrong_phase,
)
from harbourmaster_engine.wild_rummy.legal import MOST_MOVES, hand_melds, table_moves
from harbourmaster_engine.wild_rummy.melds import (
    ALL_CARDS,
    BIT,
    SHORTEST,
    VALUE,
    cards_of,
    refuse,
    value_of,
)
from harbourmaster_engine.wild_rummy.moves import (
    AddCard,
    BuyWild,
    CardAdded,
    CardDiscarded,
    Discard,
    DiscardTaken,
    Draw,
    LayMeld,
    Meld,
    MeldLaid,
    Phase,
    RoundBegan,
    RoundEnded,
    Source,
    StockDrawn,
    StockRenewed,
    WildBought,
    WildRummyEvent,
    WildRummyMove,
    WildRummyView,
)

HAND: Final = 7
"""How many cards a seat is dealt; the dealer gets one more."""
DISCARDS: Final = tuple(Discard(card) for card in range(52))
NO_MOVES: Final[LegalMoves[WildRummyMove]] = LegalMoves((), True)
STOCK_DRAW: Final[LegalMoves[WildRummyMove]] = LegalMoves((Draw(Source.STOCK),), True)
BOTH_DRAWS: Final[LegalMoves[WildRummyMove]] = LegalMoves(
    (Draw(Source.STOCK), Draw(Source.DISCARD)), True
)

SETTLED_TRIES: Final = 200
"""How often a redeal of a finished match looks for hands that cost what was scored."""


class WildRummyState:
    """One position of Wild Rummy. Hands are bit masks: card `c` is `1 << c`."""

    __slots__ = (
        "_batches",
        "_dealer",
        "_discards",
        "_forfeits",
        "_gone",
        "_hands",
        "_known",
        "_left",
        "_max_turns",
        "_melded",
        "_melds",
        "_out",
        "_phase",
        "_reason",
        "_return_taken",
        "_round",
        "_round_scores",
        "_round_turns",
        "_rounds",
        "_scores",
        "_seed",
        "_stock",
        "_stream",
        "_taken",
        "_to_move",
        "_winners",
        "seats",
        "turns",
    )

    def __init__(self, options: Mapping[str, Any], seats: int, seed: bytes, number: int) -> None:
        """Make round *number* with empty hands and piles, from resolved *options*."""
        self.seats = seats
        self._rounds: int = options["rounds"]
        self._return_taken: bool = options["return_taken_discard"]
        self._max_turns: int = options["max_turns_per_round"]
        self._seed = seed
        self._scores = (0,) * seats
        self._winners: tuple[int | None, ...] = ()
        self._round_scores: tuple[tuple[int, ...], ...] = ()
        self._forfeits: tuple[tuple[int, ForfeitReason], ...] = ()
        self._out = (False,) * seats
        # The next remaining seat to the left of each seat.
        self._left = (*range(1, seats), 0)
        self._reason = ""
        self.turns = 0
        self._clear_table(number, (number - 1) % seats)

    @classmethod
    def deal(cls, options: Mapping[str, Any], seats: int, seed: bytes) -> Self:
        """Deal the first round; *options* are resolved."""
        state = cls(options, seats, seed, 1)
        state._deal_hands()
        return state

    @property
    def to_move(self) -> int | None:
        """The seat whose decision it is, or `None` when the match is over."""
        return None if self._reason else self._to_move

    @property
    def scores(self) -> tuple[int, ...]:
        """The points of each seat."""
        return self._scores

    def check(self, move: object) -> Refusal | None:
        """Return why *move* is illegal, or `None`."""
        judged = self._judge(move)
        return judged if isinstance(judged, Refusal) else None

    def apply(self, move: WildRummyMove) -> tuple[WildRummyEvent, ...]:
        """Make *move*; raise `IllegalMove` if `check` refuses it."""
        judged = self._judge(move)
        if isinstance(judged, Refusal):
            raise IllegalMove(judged)
        if type(move) is Discard:
            return self._discard(move.card)
        if type(move) is Draw:
            return self._draw(move.source)
        assert isinstance(judged, Meld)
        if type(move) is AddCard:
            return self._add(move, judged)
        if type(move) is BuyWild:
            return self._buy(move, judged)
        return self._lay(judged)

    def view(self, seat: int) -> WildRummyView:
        """Return what *seat* may see; a spectator sees no hand."""
        if not -1 <= seat < self.seats:
            raise no_such_seat(seat, self.seats)
        hands = self._hands
        discards = self._discards
        return WildRummyView(
            self._round,
            self._round,
            self._dealer,
            self._phase,
            None if self._reason else self._to_move,
            cards_of(hands[seat]) if seat >= 0 else (),
            tuple([hand.bit_count() for hand in hands]),
            len(self._stock),
            discards[-1] if discards else None,
            len(discards) - 1 if discards else 0,
            tuple(self._melds),
            self._melded,
            self._taken,
            self._scores,
            self.turns,
            self._round_turns,
            self._winners,
            self._out,
            self._rounds,
            self._return_taken,
            self._max_turns,
        )

    def legal_moves(self, limit: int = MOST_MOVES) -> LegalMoves[WildRummyMove]:
        """Return all legal moves; if there are more than *limit*, that many spread over all.

        The order of the cards in a set changes nothing, so that each set is listed in one order.
        """
        if self._reason:
            return NO_MOVES
        if self._phase is Phase.DRAW:
            if not self._discards:
                return STOCK_DRAW
            return BOTH_DRAWS if limit > 1 else LegalMoves(STOCK_DRAW.moves, False)
        hand = self._hands[self._to_move]
        moves: list[WildRummyMove] = []
        if self._phase is Phase.PLAY:
            if hand.bit_count() >= SHORTEST:
                moves += hand_melds(hand, self._round)
            if self._melded[self._to_move]:
                moves += table_moves(hand, self._melds)
        moves += [DISCARDS[card] for card in cards_of(self._discardable())]
        count = len(moves)
        if count <= limit and count < MOST_MOVES:
            return LegalMoves(tuple(moves), True)
        size = min(max(limit, 1), count)
        return LegalMoves(tuple([moves[-1 - i * count // size] for i in range(size)]), False)

    def default_move(self) -> WildRummyMove:
        """Return a draw from the stock, or the discard of the card that costs most."""
        if self._phase is Phase.DRAW:
            return self.legal_moves().moves[0]
        value = VALUE[self._round]
        cards = cards_of(self._discardable())
        return DISCARDS[max(cards, key=lambda card: (value[card], card))]

    def sample_move(self, rng: Stream) -> WildRummyMove:
        """Return a legal move, every one equally likely."""
        return rng.choice(self.legal_moves().moves)

    def redeal(self, seat: int, rng: Stream) -> Self:
        """Exchange the cards that *seat* cannot place, as far as the public history leaves open.

        What stays: cards seen to come into a hand; of cards that were shuffled into a new stock
        together, how many each hand has drawn; after the last round, what the hands cost.
        """
        twin = self.clone()
        twin._stream = rng.fork()
        twin._seed = rng.fork().key()[:SEED_BYTES]
        for _ in range(SETTLED_TRIES):
            twin._exchange(self, seat, self._batches, rng)
            if twin._settlement() == self._settlement():
                return twin
        twin._exchange(self, seat, by_value(self._batches, self._round), rng)
        return twin

    def forfeit(
        self, seat: int, reason: ForfeitReason
    ) -> tuple[SeatForfeited | WildRummyEvent, ...]:
        """Take *seat* and its hand out; if it was its turn, the turn passes as it stands."""
        if self._reason or not 0 <= seat < self.seats or self._out[seat]:
            raise ValueError(f"seat {seat} cannot forfeit: the match is over or it is out of it")
        left_of = self._left[seat]
        self._out = tuple([out or s == seat for s, out in enumerate(self._out)])
        self._left = tuple([left_of if left == seat else left for left in self._left])
        self._gone[seat], self._hands[seat] = self._hands[seat], 0
        self._forfeits += ((seat, reason),)
        events = (SeatForfeited(seat, reason),)
        if self._out.count(False) == 1:
            self._reason = LAST_SEAT
            return events
        return (*events, *self._begin_turn(left_of)) if self._to_move == seat else events

    def outcome(self) -> Outcome | None:
        """Return how the match ended, or `None`."""
        if not self._reason:
            return None
        reasons = dict(self._forfeits)
        return Outcome(
            self._scores,
            placements(self._scores, [seat for seat, _ in self._forfeits]),
            self._reason,
            tuple([reasons.get(seat) for seat in range(self.seats)]),
        )

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin.seats = self.seats
        twin.turns = self.turns
        twin._rounds = self._rounds
        twin._return_taken = self._return_taken
        twin._max_turns = self._max_turns
        twin._seed = self._seed
        twin._stream = self._stream.clone()
        twin._scores = self._scores
        twin._winners = self._winners
        twin._round_scores = self._round_scores
        twin._forfeits = self._forfeits
        twin._out = self._out
        twin._left = self._left
        twin._reason = self._reason
        twin._round = self._round
        twin._dealer = self._dealer
        twin._to_move = self._to_move
        twin._phase = self._phase
        twin._taken = self._taken
        twin._round_turns = self._round_turns
        twin._melded = self._melded
        twin._batches = self._batches
        twin._hands = self._hands[:]
        twin._known = self._known[:]
        twin._gone = self._gone[:]
        twin._stock = self._stock[:]
        twin._discards = self._discards[:]
        twin._melds = self._melds[:]
        return twin

    def fingerprint(self) -> bytes:
        """Return a hash of everything, hands, stock and chance included."""
        parts = [getattr(self, name) for name in self.__slots__ if name != "_stream"]
        return sha256(repr((parts, self._stream.key())).encode()).digest()

    def _clear_table(self, number: int, dealer: int) -> None:
        """Make the table of round *number* as it is before the deal."""
        self._stream = Stream.for_round(self._seed, number)
        self._round = number
        self._dealer = dealer
        self._to_move = dealer
        self._phase = Phase.OPEN
        self._taken: Card | None = None
        self._round_turns = 0
        self._melded = (False,) * self.seats
        # Sets of cards that were shuffled together last; hidden cards of one set look alike.
        self._batches: tuple[int, ...] = (ALL_CARDS,)
        self._hands = [0] * self.seats
        # Cards that everybody saw come into a hand, and that have not left it.
        self._known = [0] * self.seats
        # Hands that left play with their seat.
        self._gone = [0] * self.seats
        self._stock: list[Card] = []
        self._discards: list[Card] = []
        self._melds: list[Meld] = []

    def _deal_hands(self) -> None:
        deck = fresh_deck()
        self._stream.shuffle(deck)
        for _ in range(HAND):
            seat = self._left[self._dealer]
            while seat != self._dealer:
                self._hands[seat] |= BIT[deck.pop()]
                seat = self._left[seat]
            self._hands[seat] |= BIT[deck.pop()]
        self._hands[self._dealer] |= BIT[deck.pop()]
        self._stock = deck

    def _judge(self, move: object) -> Refusal | Meld | None:
        """Return why *move* is illegal, the meld that it makes, or `None` for another move."""
        if self._reason:
            return refuse("over", "the match is over")
        if type(move) is Draw:
            return judge_draw(move.source, self._phase, self._stock, self._discards)
        if type(move) is Discard:
            barred = None if self._return_taken else self._taken
            return judge_discard(move.card, self._phase, self._hands[self._to_move], barred)
        kind = type(move)
        if kind is not LayMeld and kind is not AddCard and kind is not BuyWild:
            return refuse("malformed", f"{kind.__name__} is not a move of Wild Rummy")
        if self._phase is not Phase.PLAY:
            return wrong_phase(self._phase)
        seat, wild_rank = self._to_move, self._round
        if type(move) is LayMeld:
            return judge_meld(move, self._hands[seat], wild_rank)
        if not self._melded[seat]:
            return refuse("not_melded", "lay down a meld of your own first")
        if type(move) is AddCard:
            return judge_addition(move, self._hands[seat], self._melds, wild_rank)
        assert type(move) is BuyWild
        return judge_purchase(move, self._hands[seat], self._melds, wild_rank)

    def _discardable(self) -> int:
        """Return the cards that the seat to move may discard, once it may discard at all."""
        hand = self._hands[self._to_move]
        taken = self._taken
        if taken is not None and not self._return_taken and hand != BIT[taken]:
            hand ^= BIT[taken]
        return hand

    def _draw(self, source: Source) -> tuple[WildRummyEvent, ...]:
        seat = self._to_move
        self._phase = Phase.PLAY
        if source is Source.STOCK:
            self._hands[seat] |= BIT[self._stock.pop()]
            return (StockDrawn(seat),)
        self._taken = card = self._discards.pop()
        self._receive_openly(seat, card)
        return (DiscardTaken(seat, card),)

    def _lay(self, meld: Meld) -> tuple[WildRummyEvent, ...]:
        seat = self._to_move
        for card in meld.cards:
            self._spend(seat, card)
        self._melds.append(meld)
        if not self._melded[seat]:
            self._melded = tuple([had or s == seat for s, had in enumerate(self._melded)])
        return (MeldLaid(seat, len(self._melds), meld.cards), *self._go_out_if_empty(seat))

    def _add(self, move: AddCard, made: Meld) -> tuple[WildRummyEvent, ...]:
        seat = self._to_move
        self._spend(seat, move.card)
        self._melds[move.meld - 1] = made
        added = CardAdded(seat, move.meld, move.card, move.end)
        return (added, *self._go_out_if_empty(seat))

    def _buy(self, move: BuyWild, made: Meld) -> tuple[WildRummyEvent, ...]:
        seat = self._to_move
        wild = self._melds[move.meld - 1].cards[move.index]
        self._spend(seat, move.card)
        self._receive_openly(seat, wild)
        self._melds[move.meld - 1] = made
        return (WildBought(seat, move.meld, move.index, move.card, wild),)

    def _discard(self, card: Card) -> tuple[WildRummyEvent, ...]:
        seat = self._to_move
        self._spend(seat, card)
        self._discards.append(card)
        discarded = CardDiscarded(seat, card)
        if self._phase is Phase.PLAY:
            self._count_turn()
        if not self._hands[seat]:
            return (discarded, *self._end_round(seat))
        if self._round_turns < self._max_turns:
            return (discarded, *self._begin_turn(self._left[seat]))
        self._phase = Phase.DRAW
        return (discarded, *self._end_round(None))

    def _spend(self, seat: int, card: Card) -> None:
        """Take *card* out of the hand of *seat*."""
        self._hands[seat] ^= BIT[card]
        self._known[seat] &= ~BIT[card]
        if card == self._taken:
            self._taken = None

    def _receive_openly(self, seat: int, card: Card) -> None:
        """Put *card* into the hand of *seat* for all to see."""
        self._hands[seat] |= BIT[card]
        self._known[seat] |= BIT[card]

    def _count_turn(self) -> None:
        self.turns += 1
        self._round_turns += 1

    def _begin_turn(self, seat: int) -> tuple[WildRummyEvent, ...]:
        """Let *seat* draw; an empty stock is renewed first, or the round is a wash."""
        self._to_move = seat
        self._phase = Phase.DRAW
        self._taken = None
        if self._stock:
            return ()
        if len(self._discards) < 2:
            return self._end_round(None)
        top = self._discards.pop()
        self._stock, self._discards = self._discards, [top]
        self._stream.shuffle(self._stock)
        fresh = sum([BIT[card] for card in self._stock])
        self._batches = (*[batch & ~fresh for batch in self._batches], fresh)
        return (StockRenewed(len(self._stock)),)

    def _go_out_if_empty(self, seat: int) -> tuple[WildRummyEvent, ...]:
        if self._hands[seat]:
            return ()
        self._count_turn()
        return self._end_round(seat)

    def _end_round(self, winner: int | None) -> tuple[WildRummyEvent, ...]:
        """Settle the round for *winner*, or as a wash, and deal the next one, if any."""
        points = 0
        if winner is not None:
            points = sum([value_of(hand, self._round) for hand in self._hands])
            self._scores = tuple(
                [score + points * (s == winner) for s, score in enumerate(self._scores)]
            )
        self._winners += (winner,)
        self._round_scores += (self._scores,)
        ended = RoundEnded(self._round, winner, points, self._scores)
        if self._round >= self._rounds:
            self._reason = "rounds"
            return (ended,)
        self._clear_table(self._round + 1, self._left[self._dealer])
        self._deal_hands()
        return (ended, RoundBegan(self._round, self._dealer))

    def _settlement(self) -> int:
        """Return what the hands cost that the last round was settled by, 0 if none was."""
        if self._reason != "rounds" or self._winners[-1] is None:
            return 0
        return sum([value_of(hand, self._round) for hand in self._hands])

    def _exchange(self, truth: Self, seat: int, groups: Sequence[int], rng: Stream) -> None:
        """Take hands and stock from *truth* with what *seat* cannot place exchanged by *groups*."""
        held = [hand | gone for hand, gone in zip(truth._hands, truth._gone, strict=True)]
        hidden = [hand & ~known for hand, known in zip(held, truth._known, strict=True)]
        if seat >= 0:
            hidden[seat] = 0
        dealt, self._stock = deal_again(hidden, truth._stock, groups, rng)
        for s, out in enumerate(truth._out):
            hand = held[s] ^ hidden[s] | dealt[s]
            self._hands[s], self._gone[s] = (0, hand) if out else (hand, 0)
