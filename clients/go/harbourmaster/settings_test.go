package harbourmaster

import (
	"errors"
	"flag"
	"strings"
	"testing"
)

func TestAddressesAreSettled(t *testing.T) {
	for wanted, expected := range map[string]string{
		"":                "localhost:50111",
		"referee":         "referee:50111",
		"10.0.0.1:7":      "10.0.0.1:7",
		" [::1]:7 ":       "[::1]:7",
		"::1":             "[::1]:50111",
		"[::1]":           "[::1]:50111",
		"unix:/run/sock":  "unix:/run/sock",
		"http://here:1":   "",
		"referee:port":    "",
		"referee:0":       "",
		"referee:70000":   "",
		":7":              "",
		"two words:50111": "",
	} {
		address, err := settledAddress(wanted)
		if address != expected || (err == nil) != (expected != "") {
			t.Errorf("%q became %q and %v, not %q", wanted, address, err, expected)
		}
		if err != nil && !errors.Is(err, ErrBadSettings) {
			t.Errorf("%q is refused with %v", wanted, err)
		}
	}
}

func TestFlagsWinOverTheEnvironment(t *testing.T) {
	t.Setenv("HARBOURMASTER_ADDRESS", "there:1")
	t.Setenv("HARBOURMASTER_TOKEN", "from the environment")
	settings := Settings{Name: "default"}
	flags := flag.NewFlagSet("bot", flag.ContinueOnError)
	settings.AddFlags(flags)
	if err := flags.Parse([]string{"--address", "here:2", "--open-matches", "3"}); err != nil {
		t.Fatal(err)
	}

	settled, err := settings.settled()

	if err != nil || settled.Address != "here:2" || settled.Token != "from the environment" {
		t.Errorf("settled to %+v, %v", settled, err)
	}
	if settled.Name != "default" || settled.OpenMatches != 3 || settled.OpenDecisions != 1 {
		t.Errorf("settled to %+v", settled)
	}
}

func TestBadSettingsAreRefusedInASentence(t *testing.T) {
	for part, settings := range map[string]Settings{
		"-1 matches":    {OpenMatches: -1},
		"no/such/file":  {TLS: "no/such/file"},
		`"a b" is not `: {Address: "a b"},
	} {
		err := Play(background, settings, firstOffered)
		if !errors.Is(err, ErrBadSettings) || !strings.Contains(err.Error(), part) {
			t.Errorf("%+v ended with %v", settings, err)
		}
	}
}
