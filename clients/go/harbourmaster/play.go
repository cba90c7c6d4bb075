package harbourmaster

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Play plays matches, answering every decision with what choose returns, until the session ends.
//
// It ends with nil when the referee ends it well, or after ctx is done: then the bot asks for no
// more matches and plays the open ones to their end. After a drop it connects again, with growing
// pauses, and takes the open matches up again.
//
// choose is called in other goroutines, as many at a time as settings allow. One that still thinks
// when Play returns is not waited for.
//
// The error is a *Refused when the referee says no, and wraps ErrConnectionLost when trying again
// was given up, or ErrBadSettings.
func Play(ctx context.Context, settings Settings, choose func(Decision) Answer) error {
	settings, err := settings.settled()
	if err != nil {
		return err
	}
	session := newSession(settings, choose)
	defer session.stop()
	defer context.AfterFunc(ctx, session.leave)()
	return session.run()
}

// Run is Play as a program: it leaves on the first SIGINT or SIGTERM and ends at once on a second,
// and ends the process with one sentence and exit code 1 on an error.
func Run(settings Settings, choose func(Decision) Answer) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, leave := context.WithCancel(context.Background())
	go func() {
		<-signals
		leave()
		again := <-signals
		if number, known := again.(syscall.Signal); known {
			os.Exit(128 + int(number))
		}
		os.Exit(1)
	}()
	if err := Play(ctx, settings, choose); err != nil {
		say(err.Error())
		os.Exit(1)
	}
}
