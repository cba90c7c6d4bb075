package harbourmaster

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "harbourmaster.example/client/harbourmasterv1"
)

const testTime = 2 * time.Minute

// errDrop ends a call as a lost connection does.
var errDrop = status.Error(codes.Unavailable, "the line is cut")

// script is what the fake referee does in one call; its error ends the call.
type script func(desk *desk) error

// referee is a fake one that plays one script for each call, in order.
type referee struct {
	pb.UnimplementedBotServiceServer
	t       *testing.T
	address string

	lock    sync.Mutex
	scripts []script
	calls   int
}

func newReferee(t *testing.T, scripts ...script) *referee {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	fake := &referee{t: t, address: listener.Addr().String(), scripts: scripts}
	server := grpc.NewServer()
	pb.RegisterBotServiceServer(server, fake)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		fake.lock.Lock()
		defer fake.lock.Unlock()
		if fake.calls != len(scripts) {
			t.Errorf("%d calls, where the script has %d", fake.calls, len(scripts))
		}
	})
	return fake
}

func (fake *referee) Play(call pb.BotService_PlayServer) (err error) {
	fake.lock.Lock()
	fake.calls++
	if fake.calls > len(fake.scripts) {
		fake.lock.Unlock()
		return status.Error(codes.Aborted, "the script has no further call")
	}
	play := fake.scripts[fake.calls-1]
	fake.lock.Unlock()
	defer func() {
		if wrong := recover(); wrong != nil {
			fake.t.Errorf("the referee of call %d: %v", fake.calls, wrong)
			err = status.Error(codes.Aborted, fmt.Sprint(wrong))
		}
	}()
	return play(&desk{call: call})
}

// desk is one call, as its script sees it. What it does not expect, it panics with.
type desk struct {
	call    pb.BotService_PlayServer
	pending []*pb.BotEvent
}

func (desk *desk) next() *pb.BotEvent {
	if len(desk.pending) == 0 {
		message, err := desk.call.Recv()
		if err != nil {
			panic(fmt.Sprintf("expected an event, got %v", err))
		}
		desk.pending = message.GetEvents()
	}
	event := desk.pending[0]
	desk.pending = desk.pending[1:]
	return event
}

func (desk *desk) send(events ...*pb.RefereeEvent) {
	if err := desk.call.Send(&pb.PlayResponse{Events: events}); err != nil {
		panic(err)
	}
}

// welcome reads a hello and welcomes the bot.
func (desk *desk) welcome(resumed bool) *pb.Hello {
	hello := desk.next().GetHello()
	if hello == nil {
		panic("the first event is not a hello")
	}
	desk.send(welcomeEvent(1, resumed))
	return hello
}

func welcomeEvent(major uint32, resumed bool) *pb.RefereeEvent {
	return &pb.RefereeEvent{Event: &pb.RefereeEvent_Welcome{Welcome: &pb.Welcome{
		ResumeToken:     []byte("again"),
		ProtocolVersion: &pb.ProtocolVersion{Major: major},
		Limits:          &pb.SessionLimits{NoteCharacters: 5},
		Resumed:         resumed,
	}}}
}

// start begins a match, or takes it up again with history, and reads that the bot is ready.
func (desk *desk) start(match string, history ...*pb.Event) {
	desk.send(&pb.RefereeEvent{Event: &pb.RefereeEvent_MatchStart{MatchStart: &pb.MatchStart{
		MatchId: match,
		Seat:    1,
		Players: []*pb.Player{{Seat: 1, Name: "b"}, {Seat: 0, Name: "a"}},
		Terms:   &pb.MatchTerms{Game: "anchorline"},
		History: history,
	}}})
	if ready := desk.next().GetMatchReady(); ready.GetMatchId() != match || ready.GetSeat() != 1 {
		panic(fmt.Sprintf("expected to be told that match %s is ready, got %v", match, ready))
	}
}

// ask asks a decision of the match, with events.
func (desk *desk) ask(match string, decision uint32, events ...*pb.Event) {
	left := uint64(1_500_000)
	request := &pb.DecisionRequest{
		MatchId: match, Decision: decision, Attempt: 1, Seat: 1, Events: events,
		View: &pb.View{View: &pb.View_Anchorline{Anchorline: &pb.AnchorlineView{
			Turns: decision - 1,
		}}},
		TimeLeftMicros: &left,
		Offered:        &pb.OfferedMoves{Moves: []*pb.Move{{}, {}}, Complete: true},
	}
	desk.send(&pb.RefereeEvent{Event: &pb.RefereeEvent_DecisionRequest{DecisionRequest: request}})
}

// reply reads an answer to a decision.
func (desk *desk) reply(match string, decision, attempt uint32) *pb.MoveReply {
	event := desk.next()
	reply := event.GetMoveReply()
	same := reply.GetMatchId() == match && reply.GetDecision() == decision
	if !same || reply.GetAttempt() != attempt {
		panic(fmt.Sprintf("expected an answer to %s/%d/%d, got %v", match, decision, attempt, event))
	}
	return reply
}

// quiet waits a while in which the bot is to send nothing.
func (desk *desk) quiet() {
	time.Sleep(50 * time.Millisecond)
	desk.send(&pb.RefereeEvent{Event: &pb.RefereeEvent_Ping{Ping: &pb.Ping{}}})
	if event := desk.next(); event.GetPong() == nil {
		panic(fmt.Sprintf("expected nothing but a pong, got %v", event))
	}
}

// refuse refuses an attempt at a decision.
func (desk *desk) refuse(match string, decision, attempt, triesLeft uint32) {
	desk.send(&pb.RefereeEvent{Event: &pb.RefereeEvent_MoveReceipt{MoveReceipt: &pb.MoveReceipt{
		MatchId: match, Decision: decision, Attempt: attempt,
		Status:    pb.MoveReceiptStatus_MOVE_RECEIPT_STATUS_REFUSED,
		Refusal:   &pb.Refusal{Text: "a card lies there"},
		TriesLeft: triesLeft, NextAttempt: attempt + 1,
	}}})
}

// end ends a match.
func (desk *desk) end(match string) {
	desk.send(&pb.RefereeEvent{Event: &pb.RefereeEvent_MatchEnd{MatchEnd: &pb.MatchEnd{
		MatchId: match, Seat: 1,
		Outcome: &pb.MatchOutcome{
			Seats: []*pb.SeatResult{{Seat: 0, Placement: 2}, {Seat: 1, Placement: 1, Score: 5}},
			Text:  "seat 1 wins",
		},
	}}})
}

// bearer returns the token that came with the call.
func (desk *desk) bearer() string {
	values := metadata.ValueFromIncomingContext(desk.call.Context(), "authorization")
	return strings.Join(values, "; ")
}

// player is a bot under test, and what it was told.
type player struct {
	referee *referee
	choose  func(Decision) Answer

	lock    sync.Mutex
	results []Result
	said    []string
}

// play plays with the settings that change makes of the usual ones.
func (bot *player) play(ctx context.Context, change func(*Settings)) error {
	settings := Settings{
		Address: bot.referee.address,
		Name:    "tester",
		OnEnd: func(result Result) {
			bot.lock.Lock()
			defer bot.lock.Unlock()
			bot.results = append(bot.results, result)
		},
		Log: func(text string) {
			bot.lock.Lock()
			defer bot.lock.Unlock()
			bot.said = append(bot.said, text)
		},
	}
	if change != nil {
		change(&settings)
	}
	done := make(chan error, 1)
	go func() { done <- Play(ctx, settings, bot.choose) }()
	select {
	case err := <-done:
		return err
	case <-time.After(testTime):
		bot.referee.t.Fatal("Play did not return in time")
		return nil
	}
}

// heard tells whether a sentence with text was logged.
func (bot *player) heard(text string) bool {
	bot.lock.Lock()
	defer bot.lock.Unlock()
	return strings.Contains(strings.Join(bot.said, "\n"), text)
}

func coinReturned(seat uint32) *pb.Event {
	returned := &pb.AnchorlineCoinReturned{Seat: seat}
	event := &pb.AnchorlineEvent{
		Event: &pb.AnchorlineEvent_CoinReturned{CoinReturned: returned},
	}
	return &pb.Event{Event: &pb.Event_Anchorline{Anchorline: event}}
}

// coinSeats returns the seats of events made by coinReturned.
func coinSeats(events []*pb.Event) []uint32 {
	var seats []uint32
	for _, event := range events {
		seats = append(seats, event.GetAnchorline().GetCoinReturned().GetSeat())
	}
	return seats
}
