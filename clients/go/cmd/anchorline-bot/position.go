package main

import (
	pb "harbourmaster.example/client/harbourmasterv1"
)

// cell is a place on the grid; the Anchor lies at (0, 0).
type cell struct{ x, y int32 }

func (c cell) plus(step cell) cell  { return cell{c.x + step.x, c.y + step.y} }
func (c cell) minus(step cell) cell { return cell{c.x - step.x, c.y - step.y} }

func readCell(message *pb.AnchorlineCell) cell { return cell{message.GetX(), message.GetY()} }
func (c cell) message() *pb.AnchorlineCell     { return &pb.AnchorlineCell{X: c.x, Y: c.y} }

// steps are the eight directions, in the order of their numbers on the wire. The first four are
// also the axes that lines lie on.
var steps = []cell{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}

const (
	anchor = 0
	// hidden stands for a card that is not known: one below the top of a stack.
	hidden = 9
	// both is the owner of the Anchor, which counts in the lines of either seat.
	both = 2
)

// points are those for a line, by its length.
var points = [...]int{0, 0, 0, 1, 2, 5}

const five = 5

// placed is a card on the table.
type placed struct {
	at cell
	// card is its number on the wire, anchor or hidden.
	card  int
	owner int
}

// position is a position of a match, as far as the view tells it.
type position struct {
	// table holds the Anchor and then the cards.
	table []placed
	coin  cell
	// arrows are the steps that the arrows of each card point to.
	arrows *[hidden + 1][]cell
	// shiftArrows are the steps that a card on the table may take from the card with the coin.
	shiftArrows *[hidden + 1][]cell
	tops        [2]int
	counts      [2]int
	scores      [2]int
	target      int
	// seat is the one to move.
	seat int
	// won tells whether the seat that moved last has won.
	won bool
}

// readPosition returns the position that view shows, with seat to move.
func readPosition(view *pb.AnchorlineView, options *pb.AnchorlineOptions, seat int) position {
	now := position{
		table:  []placed{{card: anchor, owner: both}},
		coin:   readCell(view.GetCoin()),
		arrows: readArrows(options),
		target: int(view.GetTargetScore()),
		seat:   seat,
	}
	now.shiftArrows = now.arrows
	if !options.GetArrowsBindMoves() {
		now.shiftArrows = new([hidden + 1][]cell)
		for card := range now.shiftArrows {
			now.shiftArrows[card] = steps
		}
	}
	for _, card := range view.GetTable() {
		number := int(card.GetCard())
		at := cell{card.GetX(), card.GetY()}
		now.table = append(now.table, placed{at, number, (number - 1) / 4})
	}
	for side := range 2 {
		now.tops[side] = int(view.GetTops()[side])
		now.counts[side] = int(view.GetStackCounts()[side])
		now.scores[side] = int(view.GetScores()[side])
	}
	return now
}

func readArrows(options *pb.AnchorlineOptions) *[hidden + 1][]cell {
	var arrows [hidden + 1][]cell
	arrows[anchor] = readSteps(options.GetAnchorArrows())
	for number, set := range options.GetCardArrows() {
		arrows[1+number], arrows[5+number] = readSteps(set), readSteps(set)
	}
	arrows[hidden] = steps
	return &arrows
}

func readSteps(arrows *pb.AnchorlineArrows) []cell {
	var pointed []cell
	for _, direction := range arrows.GetDirections() {
		pointed = append(pointed, steps[direction-1])
	}
	return pointed
}

// on returns the card at a cell, and whether there is one.
func (p *position) on(at cell) (placed, bool) {
	for _, card := range p.table {
		if card.at == at {
			return card, true
		}
	}
	return placed{}, false
}

// free returns the free cells that the card with the coin points to by arrows.
func (p *position) free(arrows *[hidden + 1][]cell) []cell {
	card, _ := p.on(p.coin)
	var free []cell
	for _, step := range arrows[card.card] {
		if _, taken := p.on(p.coin.plus(step)); !taken {
			free = append(free, p.coin.plus(step))
		}
	}
	return free
}

// whole tells whether every card of table is connected to the Anchor.
func whole(table []placed) bool {
	return len(connected(table)) == len(table)
}

// connected returns the cards of table that are connected to the Anchor, which is its first.
func connected(table []placed) []placed {
	joined := table[:1:1]
	var seen [hidden + 1]bool
	for next := 0; next < len(joined); next++ {
		for index, card := range table[1:] {
			if !seen[index] && touch(card.at, joined[next].at) {
				seen[index] = true
				joined = append(joined, card)
			}
		}
	}
	return joined
}

func touch(a, b cell) bool {
	dx, dy := a.x-b.x, a.y-b.y
	return -1 <= dx && dx <= 1 && -1 <= dy && dy <= 1
}

// lines returns the points of the lines of seat through a cell, the longest one's length, and
// whether each of the axes holds one.
func (p *position) lines(at cell, seat int) (scored, longest int, axes [4]bool) {
	for axis, step := range steps[:4] {
		length := 1 + p.run(at, step, seat) + p.run(at, cell{-step.x, -step.y}, seat)
		if length >= 3 {
			axes[axis] = true
			longest = max(longest, length)
			scored += points[min(length, five)]
		}
	}
	return scored, longest, axes
}

// run returns how many own cards, or the Anchor, follow on a cell in the direction of step.
func (p *position) run(at, step cell, seat int) int {
	length := 0
	for at = at.plus(step); ; at = at.plus(step) {
		card, taken := p.on(at)
		if !taken || card.owner == 1-seat {
			return length
		}
		length++
	}
}
