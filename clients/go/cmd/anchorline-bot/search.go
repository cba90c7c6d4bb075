package main

const (
	// turnsAhead is how far the search looks. Up to there the view tells nearly all: the cards below
	// the tops come to lie, but where they let the next card go is not asked any more.
	turnsAhead = 3

	worthPoint = 100
	worthWin   = 100_000
	// worthPair is for each own card beside another one or the Anchor: what lines grow from.
	worthPair = 3
)

// bestMove returns the legal move with the greatest value for the seat to move.
func bestMove(now position) move {
	var best move
	highest := -2 * worthWin
	for _, m := range now.moves() {
		next := now.after(m)
		if value := gain(&now, &next, turnsAhead, highest, 2*worthWin); value > highest {
			highest, best = value, m
		}
	}
	return best
}

// search returns the value of a position for the seat to move, turns ahead: exactly between low
// and high, else only a bound (alpha-beta search).
func search(now *position, turns, low, high int) int {
	if turns == 0 {
		return worthPair * (pairs(now, now.seat) - pairs(now, 1-now.seat))
	}
	for _, m := range now.moves() {
		next := now.after(m)
		low = max(low, gain(now, &next, turns, low, high))
		if low >= high {
			break
		}
	}
	return low
}

// gain returns what the step from now to next, turns before the end of the search, is worth to the
// seat that takes it.
func gain(now, next *position, turns, low, high int) int {
	if next.won {
		return worthWin + turns
	}
	if next.scores[next.seat] >= next.target {
		return -worthWin - turns
	}
	own := next.scores[now.seat] - now.scores[now.seat]
	given := next.scores[next.seat] - now.scores[next.seat]
	scored := worthPoint * (own - given)
	return scored - search(next, turns-1, scored-high, scored-low)
}

// pairs returns how often a card of seat lies beside another one of it or the Anchor.
func pairs(p *position, seat int) int {
	count := 0
	for index, card := range p.table {
		for _, other := range p.table[:index] {
			if card.owner == seat && other.owner != 1-seat && touch(card.at, other.at) {
				count++
			}
		}
	}
	return count
}
