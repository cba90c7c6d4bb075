package harbourmaster

import (
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	pb "harbourmaster.example/client/harbourmasterv1"
)

// The version of the protocol that this client speaks, and its own.
const (
	protocolMajor = 1
	protocolMinor = 0
	clientVersion = "0.1.0"
)

const defaultPort = "50111"

// DefaultAddress is where the client dials when it is told nothing else.
const DefaultAddress = "localhost:" + defaultPort

// Settings tell how a bot wants to play. The zero value is good.
type Settings struct {
	// Address is the referee's host:port; else HARBOURMASTER_ADDRESS, else DefaultAddress.
	Address string
	// Token is who the bot is; else HARBOURMASTER_TOKEN. A referee in open mode needs none.
	Token string
	// TLS is "" or "0" for plain text, "1" for encryption, or the file with the certificates to
	// trust; else HARBOURMASTER_TLS.
	TLS string
	// Name is what the bot is called in tables, 1 to 64 characters; else the program's name.
	Name string
	// Version is the bot's own version, to show.
	Version string
	// Games are the ids of the games that the bot plays, with any options; none means any.
	Games []string
	// OpenMatches is how many matches the bot plays at once; 0 means 1.
	OpenMatches int
	// OpenDecisions is how many decisions it works on at once, each in a goroutine of its own;
	// 0 means 1.
	OpenDecisions int
	// OfferedMoves tells whether decisions shall come with moves to choose from.
	OfferedMoves bool
	// GiveUpAfter is how long an unreachable referee is dialled; 0 means a minute. It is the time
	// for which the referee keeps a session, if that is longer.
	GiveUpAfter time.Duration
	// OnEnd is called when a match is over, if it is set; it must return soon.
	OnEnd func(Result)
	// Log is called with each sentence about connections and matches; nil means standard error.
	Log func(string)
}

// AddFlags adds the flags that every bot has to flags. Their defaults are what settings hold.
func (settings *Settings) AddFlags(flags *flag.FlagSet) {
	flags.StringVar(&settings.Address, "address", settings.Address,
		"`HOST:PORT` of the referee (else HARBOURMASTER_ADDRESS, else "+DefaultAddress+")")
	flags.StringVar(&settings.Token, "token", settings.Token,
		"who the bot is (else HARBOURMASTER_TOKEN, which is safer)")
	flags.StringVar(&settings.TLS, "tls", settings.TLS,
		"1 to encrypt, or a `FILE` of certificates to trust (else HARBOURMASTER_TLS)")
	flags.StringVar(&settings.Name, "name", settings.Name, "what the bot is called")
	flags.IntVar(&settings.OpenMatches, "open-matches", max(settings.OpenMatches, 1),
		"matches at once")
	flags.IntVar(&settings.OpenDecisions, "open-decisions", max(settings.OpenDecisions, 1),
		"decisions at once")
}

// settled returns settings with every field settled.
func (settings Settings) settled() (Settings, error) {
	address, err := settledAddress(first(settings.Address, os.Getenv("HARBOURMASTER_ADDRESS")))
	if err != nil {
		return settings, err
	}
	settings.Address = address
	settings.Token = strings.TrimSpace(first(settings.Token, os.Getenv("HARBOURMASTER_TOKEN")))
	settings.TLS = first(settings.TLS, os.Getenv("HARBOURMASTER_TLS"))
	settings.Name = first(settings.Name, filepath.Base(os.Args[0]))
	settings.Version = first(settings.Version, "harbourmaster-go "+clientVersion)
	if settings.OpenMatches < 0 || settings.OpenDecisions < 0 {
		return settings, fmt.Errorf(
			"%w: %d matches and %d decisions at once: write numbers from 1 on",
			ErrBadSettings, settings.OpenMatches, settings.OpenDecisions)
	}
	settings.OpenMatches = max(settings.OpenMatches, 1)
	settings.OpenDecisions = max(settings.OpenDecisions, 1)
	if settings.GiveUpAfter == 0 {
		settings.GiveUpAfter = time.Minute
	}
	if settings.Log == nil {
		settings.Log = say
	}
	return settings, nil
}

// hello returns what opens a session, or takes up the one with resumeToken again.
func (settings Settings) hello(resumeToken []byte) *pb.Hello {
	games := make([]*pb.GameSupport, 0, len(settings.Games))
	for _, game := range settings.Games {
		games = append(games, &pb.GameSupport{Game: game, Options: []string{"*"}})
	}
	return &pb.Hello{
		ProtocolVersion:    &pb.ProtocolVersion{Major: protocolMajor, Minor: protocolMinor},
		Name:               settings.Name,
		SoftwareVersion:    settings.Version,
		Games:              games,
		OpenMatches:        uint32(settings.OpenMatches),
		OpenDecisions:      uint32(settings.OpenDecisions),
		OfferedMovesWanted: settings.OfferedMoves,
		ResumeToken:        resumeToken,
	}
}

// settledAddress returns where to dial, as host and port; the port may be left out of wanted.
func settledAddress(wanted string) (string, error) {
	wanted = strings.TrimSpace(first(wanted, DefaultAddress))
	if strings.HasPrefix(wanted, "unix:") {
		return wanted, nil
	}
	host, port, err := net.SplitHostPort(wanted)
	if err != nil {
		// Without a port: a name, or an address of version 6 with or without its brackets.
		host, port = strings.TrimSuffix(strings.TrimPrefix(wanted, "["), "]"), defaultPort
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 || host == "" || strings.ContainsAny(host, "/@ []") {
		return "", fmt.Errorf("%w: the address %q is not good: write host:port, such as %s",
			ErrBadSettings, wanted, DefaultAddress)
	}
	return net.JoinHostPort(host, port), nil
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func say(text string) {
	fmt.Fprintln(os.Stderr, "harbourmaster: "+text)
}
