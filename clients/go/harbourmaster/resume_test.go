package harbourmaster

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestAfterADropTheSessionIsTakenUpAgainWithItsToken(t *testing.T) {
	think := make(chan struct{})
	var asked atomic.Int32
	referee := newReferee(t,
		func(desk *desk) error {
			if token := desk.welcome(false).GetResumeToken(); len(token) > 0 {
				t.Errorf("the first hello holds the resume token %q", token)
			}
			desk.start("m")
			desk.ask("m", 4)
			return errDrop
		},
		func(desk *desk) error {
			if token := desk.welcome(true).GetResumeToken(); string(token) != "again" {
				t.Errorf("the second hello holds the resume token %q", token)
			}
			desk.start("m")
			desk.ask("m", 4)
			close(think)
			desk.reply("m", 4, 1)
			desk.end("m")
			return nil
		},
	)
	bot := &player{referee: referee, choose: func(Decision) Answer {
		asked.Add(1)
		<-think
		return Offered(0)
	}}

	if err := bot.play(background, nil); err != nil {
		t.Fatal(err)
	}
	if asked.Load() != 1 || len(bot.results) != 1 {
		t.Errorf("the bot was asked %d times and got %d results", asked.Load(), len(bot.results))
	}
	if !bot.heard("the line is cut") || !bot.heard("connected again") {
		t.Errorf("the drop is not logged: %q", bot.said)
	}
}

func TestAnAnswerThatWasLostIsSentAgain(t *testing.T) {
	asked := 0
	referee := newReferee(t,
		func(desk *desk) error {
			desk.welcome(false)
			desk.start("m")
			desk.ask("m", 4)
			desk.reply("m", 4, 1)
			return errDrop
		},
		func(desk *desk) error {
			desk.welcome(true)
			desk.start("m")
			desk.ask("m", 4)
			if index := desk.reply("m", 4, 1).GetOfferedIndex(); index != 1 {
				t.Errorf("the answer came as %d the second time", index)
			}
			return nil
		},
	)
	bot := &player{referee: referee, choose: func(Decision) Answer {
		asked++
		return Offered(1)
	}}
	if err := bot.play(background, nil); err != nil || asked != 1 {
		t.Errorf("ended with %v after %d questions", err, asked)
	}
}

func TestAnAnswerThatComesTooLateIsDropped(t *testing.T) {
	thinking, think := make(chan struct{}), make(chan struct{})
	referee := newReferee(t, func(desk *desk) error {
		desk.welcome(false)
		desk.start("m")
		desk.ask("m", 1)
		<-thinking
		// Its time runs out, and the next decision comes.
		desk.ask("m", 3)
		desk.reply("m", 3, 1)
		close(think)
		desk.quiet()
		desk.end("m")
		return nil
	})
	bot := &player{referee: referee, choose: func(decision Decision) Answer {
		if decision.Number == 1 {
			close(thinking)
			<-think
		}
		return Offered(0)
	}}
	err := bot.play(background, func(settings *Settings) { settings.OpenDecisions = 2 })
	if err != nil || len(bot.results) != 1 {
		t.Errorf("ended with %v and %d results", err, len(bot.results))
	}
	if !bot.heard("the answer to decision 1 came too late") {
		t.Errorf("the late answer is not logged: %q", bot.said)
	}
}

func TestADecisionThatWaitsTooLongIsNotThoughtAbout(t *testing.T) {
	thinking, think := make(chan struct{}), make(chan struct{})
	referee := newReferee(t, func(desk *desk) error {
		desk.welcome(false)
		desk.start("m")
		desk.start("n")
		desk.ask("n", 1)
		<-thinking
		desk.ask("m", 1)
		desk.ask("m", 3)
		desk.quiet()
		close(think)
		desk.reply("n", 1, 1)
		desk.reply("m", 3, 1)
		return nil
	})
	asked := 0
	bot := &player{referee: referee, choose: func(decision Decision) Answer {
		if asked++; decision.Match.ID == "n" {
			close(thinking)
			<-think
		}
		return Offered(0)
	}}
	if err := bot.play(background, nil); err != nil || asked != 2 {
		t.Errorf("ended with %v after %d decisions", err, asked)
	}
}

func TestNoEventIsMissedAndNoneComesTwice(t *testing.T) {
	referee := newReferee(t,
		func(desk *desk) error {
			desk.welcome(false)
			desk.start("m")
			desk.ask("m", 1, coinReturned(1), coinReturned(2))
			desk.reply("m", 1, 1)
			return errDrop
		},
		func(desk *desk) error {
			desk.welcome(true)
			desk.start("m", coinReturned(1), coinReturned(2), coinReturned(3), coinReturned(4))
			desk.ask("m", 5)
			desk.reply("m", 5, 1)
			desk.ask("m", 7, coinReturned(5))
			desk.reply("m", 7, 1)
			return nil
		},
	)
	var seen []uint32
	bot := &player{referee: referee, choose: func(decision Decision) Answer {
		seen = append(seen, coinSeats(decision.Events)...)
		return Offered(0)
	}}
	if err := bot.play(background, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen, []uint32{1, 2, 3, 4, 5}) {
		t.Errorf("the bot was given the events %v", seen)
	}
}

func TestARefereeThatForgotTheSessionIsGreetedAnew(t *testing.T) {
	referee := newReferee(t,
		func(desk *desk) error {
			desk.welcome(false)
			return errDrop
		},
		func(desk *desk) error {
			desk.next()
			return status.Error(codes.NotFound, "the resume token is unknown")
		},
		func(desk *desk) error {
			if token := desk.welcome(false).GetResumeToken(); len(token) > 0 {
				t.Errorf("the new hello holds the old token %q", token)
			}
			return nil
		},
	)
	bot := &player{referee: referee, choose: firstOffered}
	if err := bot.play(background, nil); err != nil {
		t.Fatal(err)
	}
}

func TestARefereeThatIsNotThereIsGivenUp(t *testing.T) {
	bot := &player{referee: newReferee(t), choose: firstOffered}

	began := time.Now()
	err := bot.play(background, func(settings *Settings) {
		settings.Address = "localhost:1"
		settings.GiveUpAfter = 2 * time.Second
	})

	if !errors.Is(err, ErrConnectionLost) || !strings.Contains(err.Error(), "localhost:1") {
		t.Errorf("ended with %v", err)
	}
	if away := time.Since(began); away > testTime {
		t.Errorf("given up after %s only", away)
	}
	if !bot.heard("trying again within 200ms") {
		t.Errorf("the pauses do not grow: %q", bot.said)
	}
}
