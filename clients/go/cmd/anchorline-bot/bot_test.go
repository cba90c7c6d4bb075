package main

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"harbourmaster.example/client/harbourmaster"
	pb "harbourmaster.example/client/harbourmasterv1"
)

func directions(numbers ...pb.AnchorlineDirection) *pb.AnchorlineArrows {
	return &pb.AnchorlineArrows{Directions: numbers}
}

// usual are the options of a match unless it is given others.
func usual() *pb.AnchorlineOptions {
	return &pb.AnchorlineOptions{
		AnchorArrows: directions(1, 2, 3, 4, 5, 6, 7, 8),
		CardArrows: []*pb.AnchorlineArrows{
			directions(1, 3, 5, 7), directions(2, 4, 6, 8),
			directions(7, 8, 1, 2, 3), directions(3, 4, 5, 6, 7),
		},
		ArrowsBindMoves: proto.Bool(true),
	}
}

// usualView returns a view of a table with the coin on its last card, and stacks of what is left.
func usualView(table ...*pb.AnchorlinePlacedCard) *pb.AnchorlineView {
	view := &pb.AnchorlineView{
		Table: table, Coin: &pb.AnchorlineCell{}, Scores: []int32{0, 0}, TargetScore: 5,
		Tops: make([]pb.AnchorlineCard, 2), StackCounts: []uint32{4, 4},
	}
	laid := map[pb.AnchorlineCard]bool{}
	for _, card := range table {
		laid[card.Card] = true
		view.StackCounts[(card.Card-1)/4]--
		view.Coin = &pb.AnchorlineCell{X: card.X, Y: card.Y}
	}
	for number := pb.AnchorlineCard(1); number <= 8; number++ {
		if !laid[number] {
			view.Tops[(number-1)/4] = number
		}
	}
	return view
}

func card(number pb.AnchorlineCard, x, y int32) *pb.AnchorlinePlacedCard {
	return &pb.AnchorlinePlacedCard{Card: number, X: x, Y: y}
}

const (
	s1, s2, s3, s4 = pb.AnchorlineCard_ANCHORLINE_CARD_S1, pb.AnchorlineCard_ANCHORLINE_CARD_S2,
		pb.AnchorlineCard_ANCHORLINE_CARD_S3, pb.AnchorlineCard_ANCHORLINE_CARD_S4
	g1, g2, g3, g4 = pb.AnchorlineCard_ANCHORLINE_CARD_G1, pb.AnchorlineCard_ANCHORLINE_CARD_G2,
		pb.AnchorlineCard_ANCHORLINE_CARD_G3, pb.AnchorlineCard_ANCHORLINE_CARD_G4
)

func TestACardGoesWhereAnArrowOfTheCardWithTheCoinPoints(t *testing.T) {
	// G1 at (1, 1) points to N, E, S and W; S2 lies to its south.
	now := readPosition(usualView(card(s2, 1, 0), card(g1, 1, 1)), usual(), 0)
	expected := []move{
		{place, cell{}, cell{1, 2}}, {place, cell{}, cell{2, 1}}, {place, cell{}, cell{0, 1}},
	}
	checkMoves(t, now.moves(), expected)
}

func checkMoves(t *testing.T, moves, expected []move) {
	t.Helper()
	found := map[move]bool{}
	for _, m := range moves {
		found[m] = true
	}
	for _, m := range expected {
		if !found[m] {
			t.Errorf("the move %v is missing in %v", m, moves)
		}
	}
	if len(moves) != len(expected) {
		t.Errorf("%d moves, not %d: %v", len(moves), len(expected), moves)
	}
}

func TestACardOnTheTableMovesOnlyIfAllStayConnected(t *testing.T) {
	// A chain to the east: S1 S2 S3 S4, then G1 with the coin, which points to N, E and S.
	view := usualView(card(s1, 1, 0), card(s2, 2, 0), card(s3, 3, 0), card(s4, 4, 0), card(g1, 5, 0))
	now := readPosition(view, usual(), 0)
	// Every Seal is a link, but S4's place may be taken over by S4 itself nowhere near S3.
	checkMoves(t, now.moves(), []move{{kind: returnCoin}})

	// With G1 at (4, 1), next to S3 too, S4 is the end of nothing.
	view = usualView(card(s1, 1, 0), card(s2, 2, 0), card(s3, 3, 0), card(s4, 4, 0), card(g1, 4, 1))
	now = readPosition(view, usual(), 0)
	checkMoves(t, now.moves(), []move{
		{shift, cell{4, 0}, cell{4, 2}}, {shift, cell{4, 0}, cell{5, 1}}, {shift, cell{4, 0}, cell{3, 1}},
		// S3 goes to (3, 1), where it still joins S2 to G1.
		{shift, cell{3, 0}, cell{3, 1}},
	})
}

func TestWithoutBindingArrowsACardMovesAnywhereAroundTheCoin(t *testing.T) {
	options := usual()
	options.ArrowsBindMoves = proto.Bool(false)
	view := usualView(card(s1, 1, 0), card(s2, 0, 1), card(s3, -1, 0), card(s4, 0, -1), card(g1, 1, 1))
	bound, free := readPosition(view, usual(), 0), readPosition(view, options, 0)
	// G1 points to (1, 2) and (2, 1); around it are also (0, 2), (2, 2) and (2, 0).
	if len(bound.moves()) != 4*2 || len(free.moves()) != 4*5 {
		t.Errorf("%d moves bound, %d free", len(bound.moves()), len(free.moves()))
	}
}

func TestALineScoresAndClearsItsCardsAndThoseItCutsOff(t *testing.T) {
	// S1 and S2 lie to the west; G2 hangs on S2 alone. S3 at (-3, 0) makes a line of four.
	view := usualView(card(s1, -1, 0), card(g3, 1, 0), card(g2, -3, 1), card(s2, -2, 0))
	view.Tops[0] = s3
	now := readPosition(view, usual(), 0)
	now.coin = cell{-3, 1}
	next := now.after(move{kind: place, target: cell{-3, 0}})
	if next.scores != [2]int{2, 0} || next.coin != (cell{}) || next.won {
		t.Errorf("the line of four led to %+v", next)
	}
	if len(next.table) != 2 || next.table[1].card != int(g3) {
		t.Errorf("on the table are %v", next.table)
	}
	if next.counts != [2]int{4, 3} {
		t.Errorf("the stacks hold %v", next.counts)
	}
}

func TestALineOfFiveWins(t *testing.T) {
	view := usualView(card(s1, -2, 0), card(s2, -1, 0), card(s3, 1, 0))
	view.TargetScore = 1000
	now := readPosition(view, usual(), 0)
	if next := now.after(move{kind: place, target: cell{2, 0}}); !next.won || next.scores[0] != 5 {
		t.Errorf("the line of five led to %+v", next)
	}
}

func TestReturningTheCoinGivesTheOtherSeatAPoint(t *testing.T) {
	now := readPosition(usualView(card(s1, 1, 0)), usual(), 1)
	next := now.after(move{kind: returnCoin})
	if next.scores != [2]int{1, 0} || next.coin != (cell{}) || next.seat != 0 {
		t.Errorf("returning the coin led to %+v", next)
	}
}

func TestTheBotScoresWhenItCan(t *testing.T) {
	// G1 with the coin at (-2, 1) points east to (-1, 1), across the Anchor from S1, and south to
	// (-2, 0), in a row with S2 and the Anchor; the first leaves S2 on the table.
	now := readPosition(usualView(card(s1, 1, -1), card(s2, -1, 0), card(g1, -2, 1)), usual(), 0)
	if best := bestMove(now); best != (move{kind: place, target: cell{-1, 1}}) {
		t.Errorf("the bot plays %v", best)
	}
	if count := now.scoringMoves(); count != 2 {
		t.Errorf("%d moves would score", count)
	}
}

func TestTheBotDoesNotOpenALineForTheOtherSeat(t *testing.T) {
	// G1 at (-1, 0) waits for a Gull at (1, 0), so that a Seal with an arrow to it gives a point;
	// S1, the top, points to N, E, S and W.
	view := usualView(card(g1, -1, 0))
	view.Tops[0], view.Coin = s1, &pb.AnchorlineCell{}
	now := readPosition(view, usual(), 0)
	best := bestMove(now)
	for _, reply := range ptr(now.after(best)).moves() {
		after := ptr(now.after(best))
		if next := after.after(reply); next.scores[1] > 0 {
			t.Errorf("after %v the other seat scores by %v", best, reply)
		}
	}
	bad := ptr(now.after(move{kind: place, target: cell{1, 1}}))
	if bad.scoringMoves() == 0 {
		t.Error("the position has no mistake to make, and the test no point")
	}
}

func ptr(p position) *position { return &p }

func TestMovesAreTypedOnTheWire(t *testing.T) {
	placing := move{kind: place, target: cell{1, -2}}.message().GetPlace().GetCell()
	shifting := move{shift, cell{3, 4}, cell{-1, 0}}.message().GetShift()
	if readCell(placing) != (cell{1, -2}) {
		t.Errorf("placed on %v", placing)
	}
	if readCell(shifting.GetOrigin()) != (cell{3, 4}) || readCell(shifting.GetTarget()) != (cell{-1, 0}) {
		t.Errorf("moved %v", shifting)
	}
	if (move{kind: returnCoin}).message().GetReturnCoin() == nil {
		t.Error("the coin is not returned")
	}
}

func TestAnIndexIsEnoughWhereNothingIsToBeChosen(t *testing.T) {
	typed := decisionWith(make([]*pb.Move, 3), nil)
	if choose(typed) == harbourmaster.Offered(0) {
		t.Error("a choice was answered with an index")
	}
	if choose(decisionWith(make([]*pb.Move, 1), nil)) != harbourmaster.Offered(0) {
		t.Error("the only move was not taken by its index")
	}
	if choose(decisionWith(make([]*pb.Move, 3), &pb.Refusal{})) != harbourmaster.Offered(0) {
		t.Error("after a refusal no offered move was taken")
	}
}

func decisionWith(offered []*pb.Move, refusal *pb.Refusal) harbourmaster.Decision {
	view := usualView(card(g1, 1, 1))
	options := &pb.GameOptions{Options: &pb.GameOptions_Anchorline{Anchorline: usual()}}
	return harbourmaster.Decision{
		Match:           &harbourmaster.Match{Terms: &pb.MatchTerms{Options: options}},
		View:            &pb.View{View: &pb.View_Anchorline{Anchorline: view}},
		Offered:         offered,
		OfferedComplete: true,
		Refusal:         refusal,
	}
}
