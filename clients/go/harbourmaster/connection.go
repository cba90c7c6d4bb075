package harbourmaster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"

	pb "harbourmaster.example/client/harbourmasterv1"
)

const (
	// welcomeTime is how long a referee may take to say welcome before it counts as unreachable.
	welcomeTime = 10 * time.Second
	// eventsPerMessage is the most that the protocol allows.
	eventsPerMessage = 256
	// messageBytes is room for the history of a long match, after a drop.
	messageBytes = 64 << 20
)

var errNoWelcome = errors.New("no welcome in time")

// connection is one call of Play: whoever made it reads, and a goroutine writes what has gathered.
type connection struct {
	channel *grpc.ClientConn
	call    pb.BotService_PlayClient
	ctx     context.Context
	cancel  context.CancelCauseFunc
	// patience ends the call when no welcome comes.
	patience *time.Timer
	resuming bool
	// welcomed tells whether the referee said welcome; the session's lock guards it.
	welcomed bool

	lock     sync.Mutex
	gathered []*pb.BotEvent
	wake     chan struct{}
}

// connect calls the referee and sends hello. The connection lasts no longer than ctx.
func connect(ctx context.Context, settings Settings, resumeToken []byte) (*connection, error) {
	channel, err := dial(settings)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadSettings, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if settings.Token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+settings.Token)
	}
	conn := &connection{
		channel:  channel,
		ctx:      ctx,
		cancel:   cancel,
		patience: time.AfterFunc(welcomeTime, func() { cancel(errNoWelcome) }),
		resuming: len(resumeToken) > 0,
		wake:     make(chan struct{}, 1),
	}
	conn.call, err = pb.NewBotServiceClient(channel).Play(ctx)
	if err != nil {
		conn.close()
		return nil, conn.explained(err)
	}
	conn.send(&pb.BotEvent{Event: &pb.BotEvent_Hello{Hello: settings.hello(resumeToken)}})
	go conn.write()
	return conn, nil
}

// dial makes a channel of its own for every call, so that none inherits the waiting time of one
// that failed.
func dial(settings Settings) (*grpc.ClientConn, error) {
	security := insecure.NewCredentials()
	switch settings.TLS {
	case "", "0":
	case "1":
		security = credentials.NewTLS(nil)
	default:
		var err error
		if security, err = credentials.NewClientTLSFromFile(settings.TLS, ""); err != nil {
			return nil, fmt.Errorf("the certificates in %s cannot be used: %w", settings.TLS, err)
		}
	}
	return grpc.NewClient(settings.Address,
		grpc.WithTransportCredentials(security),
		// A referee that is dead or cut off is noticed within 15 seconds, also while it is silent.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: 10 * time.Second, Timeout: 5 * time.Second,
		}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(messageBytes)),
	)
}

// send sends event, with all that gathers meanwhile.
func (conn *connection) send(event *pb.BotEvent) {
	conn.lock.Lock()
	conn.gathered = append(conn.gathered, event)
	conn.lock.Unlock()
	select {
	case conn.wake <- struct{}{}:
	default:
	}
}

func (conn *connection) write() {
	for {
		select {
		case <-conn.ctx.Done():
			return
		case <-conn.wake:
		}
		for batch := conn.take(); len(batch) > 0; batch = conn.take() {
			// Reading tells why a call has ended; writing need not.
			if conn.call.Send(&pb.PlayRequest{Events: batch}) != nil {
				return
			}
		}
	}
}

// take returns what has gathered, as much as goes into one message.
func (conn *connection) take() []*pb.BotEvent {
	conn.lock.Lock()
	defer conn.lock.Unlock()
	size := min(len(conn.gathered), eventsPerMessage)
	batch := conn.gathered[:size:size]
	conn.gathered = conn.gathered[size:]
	return batch
}

// read returns the referee's next events. The error is io.EOF when it ended the call well.
func (conn *connection) read() ([]*pb.RefereeEvent, error) {
	message, err := conn.call.Recv()
	if err != nil {
		return nil, conn.explained(err)
	}
	return message.GetEvents(), nil
}

func (conn *connection) explained(err error) error {
	if errors.Is(context.Cause(conn.ctx), errNoWelcome) {
		return fmt.Errorf("%w: %s", errNoWelcome, welcomeTime)
	}
	return errorOf(err, conn.resuming && !conn.welcomed)
}

func (conn *connection) close() {
	conn.patience.Stop()
	conn.cancel(nil)
	// It only says that it was closed before, which is no matter.
	_ = conn.channel.Close()
}
