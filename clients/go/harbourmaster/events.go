package harbourmaster

import (
	"fmt"
	"strings"

	pb "harbourmaster.example/client/harbourmasterv1"
)

// handle does what an event asks for; it ignores unknown ones.
func (s *session) handle(event *pb.RefereeEvent) error {
	if end := event.GetMatchEnd(); end != nil {
		s.onMatchEnd(end)
		return nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	switch event := event.GetEvent().(type) {
	case *pb.RefereeEvent_Welcome:
		return s.onWelcome(event.Welcome)
	case *pb.RefereeEvent_MatchStart:
		s.onMatchStart(event.MatchStart)
	case *pb.RefereeEvent_DecisionRequest:
		s.onDecisionRequest(event.DecisionRequest)
	case *pb.RefereeEvent_MoveReceipt:
		s.onMoveReceipt(event.MoveReceipt)
	case *pb.RefereeEvent_Ping:
		pong := &pb.Pong{Payload: event.Ping.GetPayload()}
		s.conn.send(&pb.BotEvent{Event: &pb.BotEvent_Pong{Pong: pong}})
	default:
		s.onNews(event)
	}
	return nil
}

// All of the following are called with the lock held, except onMatchEnd, which takes it.

func (s *session) onWelcome(welcome *pb.Welcome) error {
	if major := welcome.GetProtocolVersion().GetMajor(); major != protocolMajor {
		return refusedVersion(major)
	}
	s.conn.patience.Stop()
	s.conn.welcomed = true
	s.resumeToken = welcome.GetResumeToken()
	s.limits = welcome.GetLimits()
	how := "connected again to"
	if !welcome.GetResumed() {
		clear(s.live)
		how = "connected to"
	}
	s.settings.Log(fmt.Sprintf("%s %s as %s",
		how, s.settings.Address, first(welcome.GetBot(), s.settings.Name)))
	if s.leaving {
		s.sayLeave()
	}
	return nil
}

func (s *session) onMatchStart(start *pb.MatchStart) {
	at := place{start.GetMatchId(), start.GetSeat()}
	s.live[at] = true
	known := s.seats[at]
	if known == nil {
		known = &seat{match: readMatch(start)}
		s.seats[at] = known
		s.settings.Log(fmt.Sprintf("match %s: %s, seat %d, %s", at.match,
			start.GetTerms().GetGame(), at.seat, strings.Join(known.match.Players, " against ")))
	}
	if history := start.GetHistory(); len(history) > known.seen {
		known.missed = append(known.missed, history[known.seen:]...)
		known.seen = len(history)
	}
	ready := &pb.MatchReady{MatchId: at.match, Seat: at.seat}
	s.conn.send(&pb.BotEvent{Event: &pb.BotEvent_MatchReady{MatchReady: ready}})
}

func (s *session) onDecisionRequest(request *pb.DecisionRequest) {
	asked := s.seats[place{request.GetMatchId(), request.GetSeat()}]
	if asked == nil {
		s.settings.Log(fmt.Sprintf("a decision of the unknown match %s was left unanswered",
			request.GetMatchId()))
		return
	}
	if open := asked.open; open.is(request.GetDecision(), request.GetAttempt()) {
		// Asked again after a drop: it was answered, or the bot still thinks.
		open.asked = s.conn
		if open.reply != nil {
			s.conn.send(replyEvent(open.reply))
		}
		return
	}
	asked.seen += len(request.GetEvents())
	missed := asked.missed
	asked.missed = nil
	s.ask(asked, readDecision(request, asked.match, missed))
}

// is tells whether the question is this attempt at this decision.
func (q *question) is(decision, attempt uint32) bool {
	return q != nil && q.decision.Number == decision && q.decision.Attempt == attempt
}

func (s *session) ask(asked *seat, decision Decision) {
	asked.open = &question{decision: decision, asked: s.conn}
	go s.think(asked, asked.open)
}

func (s *session) onMoveReceipt(receipt *pb.MoveReceipt) {
	switch receipt.GetStatus() {
	case pb.MoveReceiptStatus_MOVE_RECEIPT_STATUS_STALE:
		s.settings.Log(fmt.Sprintf("match %s: the answer to decision %d came too late",
			receipt.GetMatchId(), receipt.GetDecision()))
	case pb.MoveReceiptStatus_MOVE_RECEIPT_STATUS_REFUSED:
		s.settings.Log(fmt.Sprintf("match %s: the answer to decision %d was refused: %s; tries left: %d",
			receipt.GetMatchId(), receipt.GetDecision(), receipt.GetRefusal().GetText(),
			receipt.GetTriesLeft()))
		s.askAgain(receipt)
	}
}

func (s *session) askAgain(receipt *pb.MoveReceipt) {
	for at, asked := range s.seats {
		mine := at.match == receipt.GetMatchId() &&
			asked.open.is(receipt.GetDecision(), receipt.GetAttempt())
		if mine && receipt.GetTriesLeft() > 0 {
			s.ask(asked, nextAttempt(asked.open.decision, receipt))
			return
		}
	}
}

func (s *session) onMatchEnd(end *pb.MatchEnd) {
	at := place{end.GetMatchId(), end.GetSeat()}
	s.lock.Lock()
	known := s.seats[at]
	delete(s.live, at)
	delete(s.seats, at)
	if known != nil {
		known.open = nil
	}
	if s.leaving && len(s.live) == 0 {
		s.linger()
	}
	s.lock.Unlock()
	if known == nil {
		return
	}
	result := readResult(end, known.match)
	s.settings.Log(fmt.Sprintf("match %s: %s", at.match, summary(result)))
	if s.settings.OnEnd != nil {
		s.settings.OnEnd(result)
	}
}

func summary(result Result) string {
	text := first(result.Seat.GetText(), result.End.GetOutcome().GetText())
	if result.End.GetOutcome().GetVoid() {
		return "void: " + text
	}
	return fmt.Sprintf("placed %d with %d points: %s",
		result.Seat.GetPlacement(), result.Seat.GetScore(), text)
}

// onNews says what needs no answer.
func (s *session) onNews(event any) {
	switch event := event.(type) {
	case *pb.RefereeEvent_SeatEliminated:
		s.settings.Log(fmt.Sprintf("match %s: seat %d is out: %s", event.SeatEliminated.GetMatchId(),
			event.SeatEliminated.GetSeat(), event.SeatEliminated.GetText()))
	case *pb.RefereeEvent_MatchPaused:
		s.settings.Log(fmt.Sprintf("match %s: paused: %s", event.MatchPaused.GetMatchId(),
			event.MatchPaused.GetText()))
	case *pb.RefereeEvent_MatchResumed:
		s.settings.Log(fmt.Sprintf("match %s: goes on", event.MatchResumed.GetMatchId()))
	case *pb.RefereeEvent_Notice:
		s.settings.Log("the referee says: " + event.Notice.GetText())
	}
}
