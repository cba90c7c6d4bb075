"""The position of a match of Claim, and how moves change it."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple, Self

from harbourmaster_engine.cards import JOKER, Card, fresh_deck
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.claim.checks import check_merge, check_play, check_replace, refuse
from harbourmaster_engine.claim.groups import (
    CARD_COST,
    JOKER_BONUS,
    MAX_CARDS,
    PAIR_WORTH,
    SINGLE_FITS,
    Fit,
)
from harbourmaster_engine.claim.hidden import Gone, Place, deal_again, without
from harbourmaster_engine.claim.legal import END_TURN, all_moves, relink
from harbourmaster_engine.claim.moves import (
    CardPlayed,
    CardReplaced,
    ClaimEvent,
    ClaimMove,
    ClaimView,
    EndTurn,
    Item,
    ItemsMerged,
    Merge,
    Play,
    Replace,
    Side,
    TurnEnded,
)
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

DECK_SIZES: Final = {2: 27, 3: 18, 4: 13}
"""The cards that each seat is dealt, by the number of seats."""

ADDED: Final = tuple(Item(0, (card,), ()) for card in range(53))
"""Each card on its way to an item: a single without an id."""


class Rules(NamedTuple):
    """The options of one match."""

    hand_size: int
    idle_turns: int
    max_actions: int


class ClaimState:
    """One position of Claim."""

    __slots__ = (
        "_acted",
        "_actions",
        "_aside",
        "_deck_counts",
        "_decks",
        "_fits",
        "_gone",
        "_hands",
        "_idle",
        "_items",
        "_jokers",
        "_known",
        "_links",
        "_next_item",
        "_reason",
        "_rules",
        "_set_aside",
        "_stream",
        "_to_move",
        "_worths",
        "seats",
        "turns",
    )

    def __init__(self, options: Mapping[str, Any], seats: int, stream: Stream) -> None:
        """Make a position with nothing on the table and no cards, from resolved *options*."""
        self._rules = Rules(options["hand_size"], options["idle_turns"], options["max_actions"])
        # Nothing is drawn from the stream after the deal, so that copies share it.
        self._stream = stream
        self.seats = seats
        self._items: dict[int, Item] = {}
        self._fits: dict[int, Fit] = {}
        self._next_item = 1
        # Hands are sorted. A deck is never changed: the count says how much of it is left.
        self._hands: list[tuple[Card, ...]] = [()] * seats
        self._decks: tuple[tuple[Card, ...], ...] = ((),) * seats
        self._deck_counts = [0] * seats
        # The cards of each hand that all have seen go there; those of a seat that left are kept.
        self._known: list[tuple[Card, ...]] = [()] * seats
        # The cards that nobody has: those set aside at the deal, then decks of seats that left.
        self._aside: tuple[Card, ...] = ()
        self._set_aside = 0
        self._gone: tuple[Gone, ...] = ()
        self._worths = [0] * seats
        self._jokers = [0] * seats
        self._to_move = 0
        self._reason = ""
        self._idle = 0
        self._actions = 0
        self._acted = False
        # The legal merges, as numbers. The list is never changed in place, so that copies share it.
        self._links: list[int] = []
        self.turns = 0

    @classmethod
    def deal(cls, options: Mapping[str, Any], seats: int, seed: bytes) -> Self:
        """Shuffle, deal the decks and draw the first hands; *options* are resolved."""
        state = cls(options, seats, Stream.for_round(seed, 1))
        pack = fresh_deck(jokers=2)
        state._stream.shuffle(pack)
        pack.reverse()
        dealt = DECK_SIZES[seats] * seats
        state._decks = tuple(tuple(pack[seat:dealt:seats]) for seat in range(seats))
        state._deck_counts = [DECK_SIZES[seats]] * seats
        state._aside = tuple(pack[dealt:])
        state._set_aside = len(state._aside)
        for seat in range(seats):
            state._draw(seat)
        return state

    @property
    def to_move(self) -> int | None:
        """The seat whose turn it is, or `None` when the match is over."""
        return None if self._reason else self._to_move

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat; one that forfeited keeps the score that it had."""
        scores = [
            worth + JOKER_BONUS * jokers - CARD_COST * (len(hand) + deck)
            for worth, jokers, hand, deck in zip(
                self._worths, self._jokers, self._hands, self._deck_counts, strict=True
            )
        ]
        for gone in self._gone:
            scores[gone.seat] = gone.score
        return tuple(scores)

    def check(self, move: Any) -> Refusal | None:
        """Return why *move* is illegal, or `None`."""
        if self._reason:
            return refuse("over", "the match is over")
        kind = type(move)
        hand = self._hands[self._to_move]
        try:
            if kind is Play:
                return check_play(self._items, self._fits, hand, move.card, move.item, move.side)
            if kind is Merge:
                return check_merge(self._items, self._fits, move.left, move.right)
            if kind is Replace:
                args = move.group, move.index, move.card
                return check_replace(self._items, self._fits, hand, *args)
            if kind is EndTurn:
                return None
        except AttributeError:  # A move that was made without its parts.
            return refuse("malformed", f"the {kind.__name__} lacks a part")
        return refuse("malformed", f"{kind.__name__} is not a move of Claim")

    def apply(self, move: ClaimMove) -> tuple[ClaimEvent, ...]:
        """Make *move*; raise `IllegalMove` if `check` refuses it."""
        refusal = self.check(move)
        if refusal is not None:
            raise IllegalMove(refusal)
        seat = self._to_move
        event: ClaimEvent
        if type(move) is Play:
            event = self._play(seat, move)
        elif type(move) is Merge:
            event = self._merge(seat, move.left, move.right)
        elif type(move) is Replace:
            event = self._replace(seat, move)
        else:
            return (self._end_turn(seat),)
        self._actions += 1
        if self._actions >= self._rules.max_actions:
            return event, self._end_turn(seat)
        return (event,)

    def view(self, seat: int) -> ClaimView:
        """Return what *seat* (or `SPECTATOR`) may see."""
        if not -1 <= seat < self.seats:
            raise no_such_seat(seat, self.seats)
        hands = self._hands
        rules = self._rules
        return ClaimView(
            hands[seat] if seat >= 0 else (),
            tuple(self._items.values()),
            tuple(self._known),
            tuple([len(hand) for hand in hands]),
            tuple(self._deck_counts),
            tuple(self._worths),
            tuple(self._jokers),
            self.scores,
            None if self._reason else self._to_move,
            self.turns,
            self._idle,
            self._actions,
            self._acted,
            self._set_aside,
            tuple([gone.seat for gone in self._gone]) if self._gone else (),
            self._next_item,
            rules.hand_size,
            rules.idle_turns,
            rules.max_actions,
        )

    def legal_moves(self, limit: int = 0) -> LegalMoves[ClaimMove]:
        """Return all legal moves, in an order that the view decides; *limit* is not needed."""
        if self._reason:
            return LegalMoves((), True)
        hand = self._hands[self._to_move]
        return LegalMoves(all_moves(hand, self._fits, self._links), True)

    def default_move(self) -> ClaimMove:
        """Return the end of the turn, which is always legal."""
        return END_TURN

    def sample_move(self, rng: Stream) -> ClaimMove:
        """Return a legal move, every one equally likely."""
        return rng.choice(self.legal_moves().moves)

    def redeal(self, seat: int, rng: Stream) -> Self:
        """Deal again all cards that *seat* has not seen, among the places where they may be.

        Decks, cards set aside, and what nobody has seen of the other hands; a card that was seen
        to go to a hand stays there, as does all that a seat held when it forfeited for itself.
        """
        hands = [*enumerate(self._hands), *((gone.seat, gone.hand) for gone in self._gone)]
        places = [
            Place(hand, hand if owner == seat or not hand else self._known[owner])
            for owner, hand in hands
        ]
        places += [Place(deck, ()) for deck in self._decks_left()]
        places.append(Place(self._aside, ()))
        twin = self.clone()
        twin._stream = rng.fork()
        dealt = iter(deal_again(places, rng))
        twin._hands = [tuple(sorted(next(dealt))) for _ in self._hands]
        twin._gone = tuple(gone._replace(hand=tuple(sorted(next(dealt)))) for gone in self._gone)
        twin._decks = tuple(next(dealt) for _ in self._decks)
        twin._aside = next(dealt)
        return twin

    def forfeit(self, seat: int, reason: ForfeitReason) -> tuple[SeatForfeited, ...]:
        """Take *seat* out: its hand and deck leave play unseen, and it keeps its score."""
        if self._reason or seat not in range(self.seats) or self._is_out(seat):
            raise ValueError(f"seat {seat} cannot forfeit: the match is over or it is not in it")
        hand, count = self._hands[seat], self._deck_counts[seat]
        gone = Gone(seat, reason, hand, self.scores[seat])
        self._gone += (gone,)
        self._aside += self._decks[seat][:count]
        self._hands[seat] = ()
        self._deck_counts[seat] = 0
        if len(self._gone) == self.seats - 1:
            self._reason = LAST_SEAT
        elif seat == self._to_move:
            self._begin_turn()
        return (SeatForfeited(seat, reason),)

    def outcome(self) -> Outcome | None:
        """Return how the match ended, or `None`."""
        if not self._reason:
            return None
        reasons = {gone.seat: gone.reason for gone in self._gone}
        scores = self.scores
        return Outcome(
            scores,
            placements(scores, [gone.seat for gone in self._gone]),
            self._reason,
            tuple(reasons.get(seat) for seat in range(self.seats)),
        )

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin.seats = self.seats
        twin.turns = self.turns
        twin._rules = self._rules
        twin._stream = self._stream
        twin._items = self._items.copy()
        twin._fits = self._fits.copy()
        twin._next_item = self._next_item
        twin._hands = self._hands.copy()
        twin._decks = self._decks
        twin._deck_counts = self._deck_counts.copy()
        twin._known = self._known.copy()
        twin._aside = self._aside
        twin._set_aside = self._set_aside
        twin._gone = self._gone
        twin._worths = self._worths.copy()
        twin._jokers = self._jokers.copy()
        twin._to_move = self._to_move
        twin._reason = self._reason
        twin._idle = self._idle
        twin._actions = self._actions
        twin._acted = self._acted
        twin._links = self._links
        return twin

    def fingerprint(self) -> bytes:
        """Return a hash of everything, the order of the decks and the chance included."""
        parts = (
            self.seats,
            self.turns,
            self._rules,
            list(self._items.values()),
            self._next_item,
            self._hands,
            self._decks_left(),
            self._known,
            self._aside,
            self._set_aside,
            self._gone,
            self._worths,
            self._jokers,
            self._to_move,
            self._reason,
            self._idle,
            self._actions,
            self._acted,
            self._stream.key(),
        )
        return sha256(repr(parts).encode()).digest()

    def _play(self, seat: int, move: Play) -> CardPlayed:
        """Move a hand card to the table."""
        card, item, side = move.card, move.item, move.side
        self._acted = True
        self._hands[seat] = without(self._hands[seat], card)
        if card in self._known[seat]:
            self._known[seat] = without(self._known[seat], card)
        if item is None:
            item = self._next_item
            self._next_item += 1
            self._items[item] = Item(item, (card,), ())
            self._fits[item] = SINGLE_FITS[card]
            self._links = relink(self._links, self._fits, item)
            return CardPlayed(seat, card, item, None)
        old, fit = self._items[item], self._fits[item]
        added = ADDED[card]
        if side is Side.LEFT:
            self._join(seat, item, added, old, SINGLE_FITS[card], fit)
        else:
            self._join(seat, item, old, added, fit, SINGLE_FITS[card])
        self._links = relink(self._links, self._fits, item)
        return CardPlayed(seat, card, item, side)

    def _merge(self, seat: int, left: int, right: int) -> ItemsMerged:
        """Put the item *right* to the right of the item *left*."""
        items, fits = self._items, self._fits
        self._join(seat, left, items[left], items.pop(right), fits[left], fits.pop(right))
        self._links = relink(self._links, fits, left, right)
        return ItemsMerged(seat, left, right)

    def _join(
        self, seat: int, item: int, left: Item, right: Item, left_fit: Fit, right_fit: Fit
    ) -> None:
        """Make one group of two parts, as *item*; singles become the property of *seat*."""
        worths = self._worths
        left_owners = left.owners or self._claim(seat, left)
        right_owners = right.owners or self._claim(seat, right)
        gain = PAIR_WORTH[left.cards[-1]][right.cards[0]]
        worths[left_owners[-1]] += gain
        worths[right_owners[0]] += gain
        cards = left.cards + right.cards
        owners = left_owners + right_owners
        if len(cards) == MAX_CARDS:
            gain = PAIR_WORTH[cards[-1]][cards[0]]
            worths[owners[-1]] += gain
            worths[owners[0]] += gain
        self._items[item] = Item(item, cards, owners)
        self._fits[item] = Fit(cards, left_fit.starts & right_fit.starts >> left_fit.size)

    def _claim(self, seat: int, single: Item) -> tuple[int]:
        """Give a single that becomes part of a group to *seat*; return its owners then."""
        if single.cards[0] == JOKER:
            self._jokers[seat] += 1
        return (seat,)

    def _replace(self, seat: int, move: Replace) -> CardReplaced:
        """Swap a hand card for a card in a group."""
        group, index, card = move.group, move.index, move.card
        cards, owners = self._items[group].cards, self._items[group].owners
        old = cards[index]
        self._acted = True
        self._hands[seat] = tuple(sorted((*without(self._hands[seat], card), old)))
        known = self._known[seat]
        if card in known:
            known = without(known, card)
        self._known[seat] = tuple(sorted((*known, old)))
        self._revalue(seat, cards, owners, index, card)
        cards = (*cards[:index], card, *cards[index + 1 :])
        owners = (*owners[:index], seat, *owners[index + 1 :])
        self._items[group] = Item(group, cards, owners)
        self._fits[group] = Fit(cards, self._fits[group].starts)
        return CardReplaced(seat, group, index, card, old)

    def _revalue(
        self, seat: int, cards: tuple[Card, ...], owners: tuple[int, ...], index: int, card: Card
    ) -> None:
        """Account for *card* of *seat* coming to *index*, and for the worth of its neighbours."""
        worths = self._worths
        old = cards[index]
        last = len(cards) - 1
        beside = []
        if index or last == MAX_CARDS - 1:
            beside.append(index - 1)
        if index < last or last == MAX_CARDS - 1:
            beside.append(index + 1 if index < last else 0)
        for place in beside:
            lost, gained = PAIR_WORTH[old][cards[place]], PAIR_WORTH[card][cards[place]]
            worths[owners[index]] -= lost
            worths[seat] += gained
            worths[owners[place]] += gained - lost
        if old == JOKER:
            self._jokers[owners[index]] -= 1

    def _draw(self, seat: int) -> int:
        """Draw up to a full hand from the top of the own deck; return how many cards."""
        hand, count = self._hands[seat], self._deck_counts[seat]
        drawn = min(self._rules.hand_size - len(hand), count)
        if drawn <= 0:
            return 0
        self._hands[seat] = tuple(sorted(hand + self._decks[seat][count - drawn : count]))
        self._deck_counts[seat] = count - drawn
        return drawn

    def _end_turn(self, seat: int) -> TurnEnded:
        """Draw, count the turn and go on to the next seat."""
        drawn = self._draw(seat)
        self.turns += 1
        self._idle = 0 if self._acted else self._idle + 1
        self._begin_turn()
        return TurnEnded(seat, drawn)

    def _begin_turn(self) -> None:
        """Begin the turn of the next seat that is in the match, unless the match ends there."""
        self._actions = 0
        self._acted = False
        seat = (self._to_move + 1) % self.seats
        while self._is_out(seat):
            seat = (seat + 1) % self.seats
        self._to_move = seat
        if self._idle >= self._rules.idle_turns:
            self._reason = "idle"
        elif not self._hands[seat]:
            self._reason = "empty_hand"

    def _decks_left(self) -> list[tuple[Card, ...]]:
        """Return what is left of each deck, bottom first."""
        return [deck[:count] for deck, count in zip(self._decks, self._deck_counts, strict=True)]

    def _is_out(self, seat: int) -> bool:
        return any(gone.seat == seat for gone in self._gone)
