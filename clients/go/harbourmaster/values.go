package harbourmaster

import (
	"time"

	pb "harbourmaster.example/client/harbourmasterv1"
)

// Match is a match, as one of its seats knows it from the start.
type Match struct {
	// ID names the match; it tells nothing of the deal.
	ID string
	// Seat is the bot's seat, from 0.
	Seat uint32
	// Players are the names of the bots, by seat.
	Players []string
	// Terms hold the game, its rules version, every option, the clock and the fault policy.
	Terms *pb.MatchTerms
	// DealCommitment is SHA-256(match id, salt, seed), which fixes the deal before the first move.
	DealCommitment []byte
}

// Decision is one question to the bot. The view holds all that the seat may know, so that a bot
// needs no memory.
type Decision struct {
	// Match is the match that it belongs to.
	Match *Match
	// Number counts the decisions of the match, of all seats, from 1.
	Number uint32
	// Attempt counts the tries of this decision, from 1.
	Attempt uint32
	// View is what the seat may see.
	View *pb.View
	// Events are what happened since the last decision of this seat. Over all decisions of a match
	// no event is missing and none comes twice.
	Events []*pb.Event
	// Offered are legal moves to choose from, in an order that tells nothing; empty unless wished.
	Offered []*pb.Move
	// OfferedComplete tells whether these are all legal moves; otherwise they are a sample.
	OfferedComplete bool
	// TimeLeft is the time left when the referee asked, grace not counted.
	TimeLeft time.Duration
	// Limited tells whether there is a time limit; without one TimeLeft means nothing.
	Limited bool
	// Refusal tells why the previous attempt was refused; nil on the first.
	Refusal *pb.Refusal
	// TriesLeft is how many tries a refused decision has left, this one included.
	TriesLeft uint32
}

// Answer is what a bot answers to a decision: made by Move, Offered or Resign.
type Answer struct {
	// Note is a word for the record, which nobody is shown before the end; cut at the limit.
	Note string

	move    *pb.Move
	offered uint32
	kind    answerKind
}

type answerKind int

const (
	kindNone answerKind = iota
	kindMove
	kindOffered
	kindResign
)

// Move answers with a typed move.
func Move(move *pb.Move) Answer {
	return Answer{kind: kindMove, move: move}
}

// Offered answers with the offered move of that index, from 0.
func Offered(index int) Answer {
	return Answer{kind: kindOffered, offered: uint32(index)}
}

// Resign gives up the match.
func Resign() Answer {
	return Answer{kind: kindResign}
}

// Result is how a match ended for one of its seats.
type Result struct {
	// Match is the match.
	Match *Match
	// Seat is the result of the bot's seat: placement, score, reason and text.
	Seat *pb.SeatResult
	// End is all that the referee told: the outcome of every seat, the own clock, hashes, the deal.
	End *pb.MatchEnd
}

func readMatch(start *pb.MatchStart) *Match {
	players := make([]string, len(start.GetPlayers()))
	for _, player := range start.GetPlayers() {
		if int(player.GetSeat()) < len(players) {
			players[player.GetSeat()] = player.GetName()
		}
	}
	return &Match{
		ID:             start.GetMatchId(),
		Seat:           start.GetSeat(),
		Players:        players,
		Terms:          start.GetTerms(),
		DealCommitment: start.GetDealCommitment(),
	}
}

// readDecision returns what request asks; missed are events from before it.
func readDecision(request *pb.DecisionRequest, match *Match, missed []*pb.Event) Decision {
	return Decision{
		Match:           match,
		Number:          request.GetDecision(),
		Attempt:         request.GetAttempt(),
		View:            request.GetView(),
		Events:          append(missed, request.GetEvents()...),
		Offered:         request.GetOffered().GetMoves(),
		OfferedComplete: request.GetOffered().GetComplete(),
		TimeLeft:        time.Duration(request.GetTimeLeftMicros()) * time.Microsecond,
		Limited:         request.TimeLeftMicros != nil,
	}
}

// nextAttempt returns the next attempt at decision, after receipt refused the previous one.
func nextAttempt(decision Decision, receipt *pb.MoveReceipt) Decision {
	decision.Attempt = receipt.GetNextAttempt()
	decision.Events = nil
	decision.TimeLeft = time.Duration(receipt.GetTimeLeftMicros()) * time.Microsecond
	decision.Limited = receipt.TimeLeftMicros != nil
	decision.Refusal = receipt.GetRefusal()
	decision.TriesLeft = receipt.GetTriesLeft()
	return decision
}

func readResult(end *pb.MatchEnd, match *Match) Result {
	result := Result{Match: match, Seat: &pb.SeatResult{Seat: match.Seat}, End: end}
	for _, seat := range end.GetOutcome().GetSeats() {
		if seat.GetSeat() == match.Seat {
			result.Seat = seat
		}
	}
	return result
}

// writeReply returns answer as a message, with a note of at most limit characters; 0 is no limit.
func writeReply(decision Decision, answer Answer, limit uint32) *pb.MoveReply {
	reply := &pb.MoveReply{
		MatchId:  decision.Match.ID,
		Decision: decision.Number,
		Attempt:  decision.Attempt,
		Note:     shortened(answer.Note, limit),
	}
	switch answer.kind {
	case kindMove:
		reply.Answer = &pb.MoveReply_Move{Move: answer.move}
	case kindOffered:
		reply.Answer = &pb.MoveReply_OfferedIndex{OfferedIndex: answer.offered}
	case kindResign:
		reply.Answer = &pb.MoveReply_Resignation{Resignation: &pb.Resignation{}}
	}
	return reply
}

func shortened(note string, limit uint32) string {
	if signs := []rune(note); limit > 0 && len(signs) > int(limit) {
		return string(signs[:limit])
	}
	return note
}
