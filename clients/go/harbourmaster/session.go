package harbourmaster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	pb "harbourmaster.example/client/harbourmasterv1"
)

const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	// stableTime is after what time a connection that held makes the next pause a short one again.
	stableTime = time.Second
	// lingerTime is how long a session that leaves waits for the referee: to end it, or to be
	// there again after a drop.
	lingerTime = 5 * time.Second
)

// place names one seat of the bot in one match.
type place struct {
	match string
	seat  uint32
}

// seat is what is remembered of one seat of the bot.
type seat struct {
	match *Match
	// seen is how many of the match's events the bot was given, or will be with the next decision.
	seen int
	// missed are events that come with the next decision, because their own was lost in a drop.
	missed []*pb.Event
	open   *question
}

// question is a decision that was asked and not replaced by a later one.
type question struct {
	decision Decision
	// asked is the connection over which it was asked last; an answer goes nowhere else.
	asked *connection
	reply *pb.MoveReply
}

// session is the bot's session with the referee: it outlives connections and knows every match.
type session struct {
	settings Settings
	choose   func(Decision) Answer
	// turns holds a place for every decision that may be worked on at once.
	turns chan struct{}
	// ctx is done when the session is over; stop makes it so.
	ctx  context.Context
	stop context.CancelFunc

	// lock guards what follows.
	lock        sync.Mutex
	conn        *connection
	resumeToken []byte
	limits      *pb.SessionLimits
	seats       map[place]*seat
	// live holds the seats of the matches that the referee has in this session.
	live    map[place]bool
	leaving bool
	lostAt  time.Time
	pause   time.Duration
}

func newSession(settings Settings, choose func(Decision) Answer) *session {
	ctx, stop := context.WithCancel(context.Background())
	return &session{
		settings: settings,
		choose:   choose,
		turns:    make(chan struct{}, settings.OpenDecisions),
		ctx:      ctx,
		stop:     stop,
		seats:    map[place]*seat{},
		live:     map[place]bool{},
		lostAt:   time.Now(),
		pause:    firstPause,
	}
}

// run plays until the session is over.
func (s *session) run() error {
	for {
		began := time.Now()
		err := s.playOn()
		switch {
		case s.ctx.Err() != nil || errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errResumeRefused):
			s.settings.Log("the referee does not know this session any more; greeting it anew")
			s.resumeToken = nil
		case isFinal(err):
			return err
		default:
			if over, err := s.noteDrop(err, began); over {
				return err
			}
		}
		s.wait()
	}
}

func isFinal(err error) bool {
	var refused *Refused
	return errors.As(err, &refused) || errors.Is(err, ErrBadSettings)
}

// playOn connects and plays until the connection ends; the error says how it did.
func (s *session) playOn() error {
	conn, err := connect(s.ctx, s.settings, s.resumeToken)
	if err != nil {
		return err
	}
	s.lock.Lock()
	s.conn = conn
	s.lock.Unlock()
	defer conn.close()
	for {
		events, err := conn.read()
		if err != nil {
			return err
		}
		for _, event := range events {
			if err := s.handle(event); err != nil {
				return err
			}
		}
	}
}

// noteDrop says that the connection is gone; it returns whether it is not tried again, and why.
func (s *session) noteDrop(drop error, began time.Time) (bool, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	now := time.Now()
	if s.conn != nil && s.conn.welcomed {
		s.lostAt = now
		if now.Sub(began) > stableTime {
			s.pause = firstPause
		}
	}
	s.conn = nil
	patience := max(s.settings.GiveUpAfter, s.limits.GetResumeTime().AsDuration())
	if s.leaving {
		if len(s.live) == 0 {
			return true, nil
		}
		patience = lingerTime
	}
	away := now.Sub(s.lostAt)
	if away+s.pause > patience {
		return true, fmt.Errorf("%w: %s: %w; tried for %.1f seconds; check that the referee runs "+
			"and that the address is right", ErrConnectionLost, s.settings.Address, drop,
			away.Seconds())
	}
	s.settings.Log(fmt.Sprintf("no connection to %s: %v; trying again within %s",
		s.settings.Address, drop, s.pause))
	return false, nil
}

// wait waits for the pause before the next connection, and doubles it.
func (s *session) wait() {
	s.lock.Lock()
	pause := time.Duration(float64(s.pause) * (0.5 + rand.Float64()/2))
	s.pause = min(2*s.pause, longestPause)
	s.lock.Unlock()
	select {
	case <-s.ctx.Done():
	case <-time.After(pause):
	}
}

// leave asks for no more matches, and ends after the last open one.
func (s *session) leave() {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.leaving {
		return
	}
	s.leaving = true
	s.settings.Log(fmt.Sprintf("leaving; open matches: %d", len(s.live)))
	if s.conn != nil && s.conn.welcomed {
		s.sayLeave()
	} else {
		s.linger()
		if len(s.live) == 0 {
			s.stop()
		}
	}
}

// sayLeave tells the referee that the bot leaves; the lock is held.
func (s *session) sayLeave() {
	s.conn.send(&pb.BotEvent{Event: &pb.BotEvent_Leave{Leave: &pb.Leave{}}})
	s.linger()
}

// linger ends the session soon, should the referee not end it; the lock is held.
func (s *session) linger() {
	time.AfterFunc(lingerTime, func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		if len(s.live) == 0 {
			s.stop()
		}
	})
}

// think has the bot answer decision, when its turn comes.
func (s *session) think(asked *seat, decision *question) {
	s.turns <- struct{}{}
	defer func() { <-s.turns }()
	// It may have waited here while its time ran out.
	s.lock.Lock()
	open := asked.open == decision && s.ctx.Err() == nil
	s.lock.Unlock()
	if open {
		s.answer(asked, decision, s.choose(decision.decision))
	}
}

// answer sends the answer to decision, unless that is no longer open.
func (s *session) answer(asked *seat, decision *question, answer Answer) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if asked.open != decision {
		s.settings.Log(fmt.Sprintf("match %s: the answer to decision %d came too late and was dropped",
			asked.match.ID, decision.decision.Number))
		return
	}
	decision.reply = writeReply(decision.decision, answer, s.limits.GetNoteCharacters())
	// After a drop the referee asks again, unless it had the answer.
	if s.conn != nil && decision.asked == s.conn {
		s.conn.send(replyEvent(decision.reply))
	}
}

func replyEvent(reply *pb.MoveReply) *pb.BotEvent {
	return &pb.BotEvent{Event: &pb.BotEvent_MoveReply{MoveReply: reply}}
}

// refusedVersion is what a referee of another major version gets to hear, were it to let us in.
func refusedVersion(major uint32) error {
	return &Refused{
		Code: codes.FailedPrecondition,
		Reason: fmt.Sprintf("it speaks version %d of the protocol and this client version %d",
			major, protocolMajor),
	}
}
