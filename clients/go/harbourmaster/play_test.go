package harbourmaster

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "harbourmaster.example/client/harbourmasterv1"
)

var background = context.Background()

func firstOffered(Decision) Answer { return Offered(0) }

func TestAMatchIsPlayedWithATypedViewAndATypedMove(t *testing.T) {
	place := &pb.AnchorlinePlace{Cell: &pb.AnchorlineCell{X: -1, Y: 2}}
	typed := &pb.AnchorlineMove{Move: &pb.AnchorlineMove_Place{Place: place}}
	var asked Decision
	referee := newReferee(t, func(desk *desk) error {
		hello := desk.welcome(false)
		if hello.GetName() != "tester" || hello.GetOpenMatches() != 1 || !hello.GetOfferedMovesWanted() {
			t.Errorf("hello holds other settings: %v", hello)
		}
		if games := hello.GetGames(); len(games) != 1 || games[0].GetGame() != "anchorline" {
			t.Errorf("hello names the games %v", games)
		}
		if desk.bearer() != "Bearer secret" {
			t.Errorf("the token came as %q", desk.bearer())
		}
		desk.start("m")
		desk.ask("m", 7)
		reply := desk.reply("m", 7, 1)
		if cell := reply.GetMove().GetAnchorline().GetPlace().GetCell(); cell.GetX() != -1 || cell.GetY() != 2 {
			t.Errorf("the move came as %v", reply)
		}
		if reply.GetNote() != "five " {
			t.Errorf("the note %q is not cut at the limit of 5", reply.GetNote())
		}
		desk.end("m")
		return nil
	})
	bot := &player{referee: referee, choose: func(decision Decision) Answer {
		asked = decision
		answer := Move(&pb.Move{Move: &pb.Move_Anchorline{Anchorline: typed}})
		answer.Note = "five signs fit"
		return answer
	}}

	err := bot.play(background, func(settings *Settings) {
		settings.Token, settings.OfferedMoves = "secret", true
		settings.Games = []string{"anchorline"}
	})

	if err != nil {
		t.Fatal(err)
	}
	if asked.View.GetAnchorline().GetTurns() != 6 || len(asked.Offered) != 2 || !asked.OfferedComplete {
		t.Errorf("the bot was asked %+v", asked)
	}
	if asked.TimeLeft != 1500*time.Millisecond || !asked.Limited {
		t.Errorf("time left: %v", asked.TimeLeft)
	}
	if names := strings.Join(asked.Match.Players, ","); names != "a,b" || asked.Match.Seat != 1 {
		t.Errorf("seat %d of %s", asked.Match.Seat, names)
	}
	if len(bot.results) != 1 || bot.results[0].Seat.GetScore() != 5 {
		t.Errorf("results: %v", bot.results)
	}
}

func TestSeveralMatchesAreThoughtAboutAtOnce(t *testing.T) {
	referee := newReferee(t, func(desk *desk) error {
		desk.welcome(false)
		desk.start("m")
		desk.start("n")
		desk.ask("m", 1)
		desk.ask("n", 1)
		got := map[string]bool{}
		for range 2 {
			got[desk.next().GetMoveReply().GetMatchId()] = true
		}
		if !got["m"] || !got["n"] {
			t.Errorf("answers came for %v", got)
		}
		desk.end("m")
		desk.end("n")
		return nil
	})
	thinking := make(chan struct{}, 2)
	bot := &player{referee: referee, choose: func(Decision) Answer {
		thinking <- struct{}{}
		// Neither answers before both are asked.
		for len(thinking) < 2 {
			time.Sleep(time.Millisecond)
		}
		return Offered(1)
	}}

	err := bot.play(background, func(settings *Settings) {
		settings.OpenMatches, settings.OpenDecisions = 2, 2
	})

	if err != nil || len(bot.results) != 2 {
		t.Errorf("ended with %v and %d results", err, len(bot.results))
	}
}

func TestOneDecisionAtATimeIsThoughtAboutUnlessMoreAreWished(t *testing.T) {
	var thinking, most atomic.Int32
	referee := newReferee(t, func(desk *desk) error {
		desk.welcome(false)
		for _, match := range []string{"m", "n", "o"} {
			desk.start(match)
		}
		for _, match := range []string{"m", "n", "o"} {
			desk.ask(match, 1)
		}
		for range 3 {
			desk.next()
		}
		return nil
	})
	bot := &player{referee: referee, choose: func(Decision) Answer {
		most.Store(max(most.Load(), thinking.Add(1)))
		time.Sleep(20 * time.Millisecond)
		thinking.Add(-1)
		return Offered(0)
	}}

	if err := bot.play(background, nil); err != nil {
		t.Fatal(err)
	}
	if most.Load() != 1 {
		t.Errorf("%d decisions were thought about at once", most.Load())
	}
}

func TestARefusedAnswerIsAskedAgainWithTheReason(t *testing.T) {
	referee := newReferee(t, func(desk *desk) error {
		desk.welcome(false)
		desk.start("m")
		desk.ask("m", 3, coinReturned(0))
		desk.reply("m", 3, 1)
		desk.refuse("m", 3, 1, 1)
		if index := desk.reply("m", 3, 2).GetOfferedIndex(); index != 1 {
			t.Errorf("the second answer was %d", index)
		}
		// The last try is used up: nothing more is asked, and so nothing answered.
		desk.refuse("m", 3, 2, 0)
		desk.quiet()
		desk.end("m")
		return nil
	})
	var second Decision
	asked := 0
	bot := &player{referee: referee, choose: func(decision Decision) Answer {
		asked++
		if decision.Refusal == nil {
			return Resign()
		}
		second = decision
		return Offered(1)
	}}

	if err := bot.play(background, nil); err != nil {
		t.Fatal(err)
	}
	if asked != 2 || second.Refusal.GetText() != "a card lies there" || second.TriesLeft != 1 {
		t.Errorf("asked %d times, the last time %+v", asked, second)
	}
	if len(second.Events) != 0 || second.View == nil {
		t.Error("the second try has the view again, and no event twice")
	}
	if !bot.heard("refused: a card lies there; tries left: 1") {
		t.Errorf("the refusal is not logged: %q", bot.said)
	}
}

func TestAResignationIsSent(t *testing.T) {
	referee := newReferee(t, func(desk *desk) error {
		desk.welcome(false)
		desk.start("m")
		desk.ask("m", 1)
		if desk.reply("m", 1, 1).GetResignation() == nil {
			t.Error("no resignation came")
		}
		return nil
	})
	bot := &player{referee: referee, choose: func(Decision) Answer { return Resign() }}
	if err := bot.play(background, nil); err != nil {
		t.Fatal(err)
	}
}

func TestAPingIsAnsweredAndUnknownEventsAreIgnored(t *testing.T) {
	referee := newReferee(t, func(desk *desk) error {
		desk.welcome(false)
		desk.send(&pb.RefereeEvent{},
			&pb.RefereeEvent{Event: &pb.RefereeEvent_Ping{Ping: &pb.Ping{Payload: 42}}})
		if payload := desk.next().GetPong().GetPayload(); payload != 42 {
			t.Errorf("the pong held %d", payload)
		}
		return nil
	})
	bot := &player{referee: referee, choose: firstOffered}
	if err := bot.play(background, nil); err != nil {
		t.Fatal(err)
	}
}

func TestARefusalOfTheCallIsNotTriedAgainAndSaysWhatToDo(t *testing.T) {
	referee := newReferee(t, func(*desk) error {
		return status.Error(codes.Unauthenticated, "the token is unknown")
	})
	bot := &player{referee: referee, choose: firstOffered}

	err := bot.play(background, nil)

	var refused *Refused
	if !errors.As(err, &refused) || refused.Code != codes.Unauthenticated {
		t.Fatalf("ended with %v", err)
	}
	for _, part := range []string{"the token is unknown", "HARBOURMASTER_TOKEN"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

func TestAnotherMajorVersionOfTheProtocolIsRefused(t *testing.T) {
	referee := newReferee(t, func(desk *desk) error {
		desk.next()
		desk.send(welcomeEvent(2, false))
		<-desk.call.Context().Done()
		return nil
	})
	bot := &player{referee: referee, choose: firstOffered}
	err := bot.play(background, nil)
	var refused *Refused
	if !errors.As(err, &refused) || refused.Code != codes.FailedPrecondition {
		t.Errorf("ended with %v", err)
	}
}

func TestLeavingPlaysTheOpenMatchToItsEnd(t *testing.T) {
	ctx, leave := context.WithCancel(background)
	referee := newReferee(t, func(desk *desk) error {
		desk.welcome(false)
		desk.start("m")
		leave()
		if desk.next().GetLeave() == nil {
			t.Error("the bot did not say that it leaves")
		}
		desk.ask("m", 1)
		desk.reply("m", 1, 1)
		desk.end("m")
		return nil
	})
	bot := &player{referee: referee, choose: firstOffered}
	if err := bot.play(ctx, nil); err != nil || len(bot.results) != 1 {
		t.Errorf("ended with %v and %d results", err, len(bot.results))
	}
}

func TestLeavingWithoutAMatchEndsThoughTheRefereeDoesNotAnswer(t *testing.T) {
	ctx, leave := context.WithCancel(background)
	leave()
	bot := &player{referee: newReferee(t), choose: firstOffered}
	began := time.Now()
	err := bot.play(ctx, func(settings *Settings) { settings.Address = "localhost:1" })
	if err != nil || time.Since(began) > testTime {
		t.Errorf("ended with %v after %s", err, time.Since(began))
	}
}
