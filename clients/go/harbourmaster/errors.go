package harbourmaster

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ErrConnectionLost tells that the referee cannot be reached, and that trying again was given up.
var ErrConnectionLost = errors.New("the referee cannot be reached")

// ErrBadSettings tells that a setting cannot be used.
var ErrBadSettings = errors.New("bad settings")

// Refused tells that the referee said no; asking again changes nothing.
type Refused struct {
	// Code is the status of the call: Unauthenticated for a bad token, NotFound for an unknown
	// game, FailedPrecondition for another major version of the protocol, and so on.
	Code codes.Code
	// Reason is the referee's sentence.
	Reason string
}

// Error returns a sentence that says what to do.
func (refused *Refused) Error() string {
	return fmt.Sprintf("the referee refused: %s; %s", refused.Reason, advice[refused.Code])
}

// advice holds the statuses that trying again does not change, with what to do about them.
var advice = map[codes.Code]string{
	codes.Unauthenticated:    "give the token that the organiser handed out, as --token or HARBOURMASTER_TOKEN",
	codes.PermissionDenied:   "ask the organiser for a token that may play",
	codes.InvalidArgument:    "correct what the message names",
	codes.FailedPrecondition: "use the version of this client that fits the referee",
	codes.NotFound:           "ask for a game that the referee has, or for none to play any",
	codes.AlreadyExists:      "stop the other bot with this token, or use another token",
	codes.ResourceExhausted:  "ask for less, or ask the organiser to raise the limit",
	codes.Aborted:            "run only one bot with this token, or nothing if that was meant",
	codes.Unimplemented:      "check the address: what listens there does not know the call of a bot",
}

// errResumeRefused tells that the referee does not know the resume token: it has to be greeted as
// by a stranger.
var errResumeRefused = errors.New("the resume token is unknown")

// errorOf returns what the end of a call means: a *Refused, errResumeRefused, io.EOF for a good end,
// or else that the connection is gone. resuming tells whether the call took up an earlier session
// and was not welcomed yet.
func errorOf(err error, resuming bool) error {
	if errors.Is(err, io.EOF) {
		return err
	}
	code, reason := status.Code(err), status.Convert(err).Message()
	if resuming && code == codes.NotFound {
		return errResumeRefused
	}
	if reason == "" {
		reason = "no reason given"
	}
	if _, final := advice[code]; final {
		return &Refused{Code: code, Reason: reason}
	}
	return fmt.Errorf("%s (%s)", reason, code)
}
