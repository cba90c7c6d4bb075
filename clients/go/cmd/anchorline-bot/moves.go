package main

import (
	pb "harbourmaster.example/client/harbourmasterv1"
)

type moveKind int

const (
	place moveKind = iota
	shift
	returnCoin
)

// move is a turn: a card goes to target, when it is moved from origin.
type move struct {
	kind           moveKind
	origin, target cell
}

func (m move) message() *pb.AnchorlineMove {
	switch m.kind {
	case place:
		placing := &pb.AnchorlinePlace{Cell: m.target.message()}
		return &pb.AnchorlineMove{Move: &pb.AnchorlineMove_Place{Place: placing}}
	case shift:
		shifting := &pb.AnchorlineShift{Origin: m.origin.message(), Target: m.target.message()}
		return &pb.AnchorlineMove{Move: &pb.AnchorlineMove_Shift{Shift: shifting}}
	default:
		returning := &pb.AnchorlineReturnCoin{}
		return &pb.AnchorlineMove{Move: &pb.AnchorlineMove_ReturnCoin{ReturnCoin: returning}}
	}
}

// moves returns all legal moves.
func (p *position) moves() []move {
	var moves []move
	if p.counts[p.seat] > 0 {
		for _, target := range p.free(p.arrows) {
			moves = append(moves, move{kind: place, target: target})
		}
	} else {
		moves = p.shifts()
	}
	if len(moves) == 0 {
		moves = append(moves, move{kind: returnCoin})
	}
	return moves
}

// shifts returns the moves of own cards on the table that leave every card connected.
func (p *position) shifts() []move {
	var moves []move
	free := p.free(p.shiftArrows)
	table := append([]placed(nil), p.table...)
	for index, card := range p.table {
		if card.owner != p.seat {
			continue
		}
		for _, target := range free {
			table[index].at = target
			if whole(table) {
				moves = append(moves, move{shift, card.at, target})
			}
		}
		table[index].at = card.at
	}
	return moves
}

// after returns the position after a legal move, with the other seat to move.
func (p *position) after(m move) position {
	next := *p
	next.seat = 1 - p.seat
	if m.kind == returnCoin {
		next.coin = cell{}
		next.scores[next.seat]++
		next.won = false
		return next
	}
	next.table = make([]placed, len(p.table), len(p.table)+1)
	copy(next.table, p.table)
	if m.kind == place {
		next.table = append(next.table, placed{m.target, p.tops[p.seat], p.seat})
		next.counts[p.seat]--
		next.tops[p.seat] = hidden
	} else {
		for index := range next.table {
			if next.table[index].at == m.origin {
				next.table[index].at = m.target
			}
		}
	}
	next.coin = m.target
	longest := next.score(m.target, p.seat)
	next.won = longest >= five || next.scores[p.seat] >= next.target
	return next
}

// score scores the lines of seat through a cell and clears them away; it returns the length of the
// longest one, or 0.
func (p *position) score(at cell, seat int) int {
	scored, longest, axes := p.lines(at, seat)
	if scored == 0 {
		return 0
	}
	p.scores[seat] += scored
	p.coin = cell{}
	gone := map[cell]bool{at: true}
	for axis, step := range steps[:4] {
		if axes[axis] {
			for ahead := range p.run(at, step, seat) {
				gone[cell{at.x + step.x*int32(ahead+1), at.y + step.y*int32(ahead+1)}] = true
			}
			for behind := range p.run(at, cell{-step.x, -step.y}, seat) {
				gone[cell{at.x - step.x*int32(behind+1), at.y - step.y*int32(behind+1)}] = true
			}
		}
	}
	p.clear(gone)
	return longest
}

// clear takes the cards on the cells that are gone off the table, and those that are then no longer
// connected, and puts them under their stacks.
func (p *position) clear(gone map[cell]bool) {
	rest := p.table[:1:1]
	for _, card := range p.table[1:] {
		if !gone[card.at] {
			rest = append(rest, card)
		}
	}
	rest = connected(rest)
	for _, card := range p.table[1:] {
		p.counts[card.owner]++
		for _, left := range rest {
			if left.at == card.at {
				p.counts[card.owner]--
			}
		}
	}
	for side := range p.tops {
		if p.tops[side] == 0 && p.counts[side] > 0 {
			p.tops[side] = hidden
		}
	}
	p.table = rest
}

// scoringMoves returns how many of the legal moves make a line.
func (p *position) scoringMoves() int {
	count := 0
	for _, m := range p.moves() {
		if next := p.after(m); next.scores[p.seat] > p.scores[p.seat] {
			count++
		}
	}
	return count
}
