//go:build unix

package harbourmaster

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestMain lets this program be a bot, for the test that sends it a signal.
func TestMain(m *testing.M) {
	if os.Getenv("HARBOURMASTER_TEST_BOT") != "" {
		Run(Settings{Name: "tester"}, firstOffered)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestTheProgramLeavesOnSIGTERM(t *testing.T) {
	testTheProgramLeavesOn(t, syscall.SIGTERM)
}

func TestTheProgramLeavesOnSIGINT(t *testing.T) {
	testTheProgramLeavesOn(t, syscall.SIGINT)
}

func testTheProgramLeavesOn(t *testing.T, signal syscall.Signal) {
	var output bytes.Buffer
	bot := exec.Command(os.Args[0])
	started := make(chan struct{})
	referee := newReferee(t, func(desk *desk) error {
		desk.welcome(false)
		desk.start("m")
		<-started
		if err := bot.Process.Signal(signal); err != nil {
			panic(err)
		}
		if desk.next().GetLeave() == nil {
			panic("the bot did not say that it leaves")
		}
		desk.ask("m", 1)
		desk.reply("m", 1, 1)
		desk.end("m")
		return nil
	})
	bot.Env = append(os.Environ(), "HARBOURMASTER_TEST_BOT=1", "HARBOURMASTER_ADDRESS="+referee.address)
	bot.Stdout, bot.Stderr = &output, &output
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	if err := bot.Wait(); err != nil {
		t.Errorf("the bot ended with %v and said:\n%s", err, output.String())
	}
}

func TestTheProgramEndsWithOneWhenItIsRefused(t *testing.T) {
	bot := exec.Command(os.Args[0])
	bot.Env = append(os.Environ(), "HARBOURMASTER_TEST_BOT=1", "HARBOURMASTER_ADDRESS=not good")
	output, err := bot.CombinedOutput()
	if bot.ProcessState.ExitCode() != 1 {
		t.Errorf("the bot ended with %v and said:\n%s", err, output)
	}
	expected := "harbourmaster: bad settings: the address \"not good\" is not good: " +
		"write host:port, such as localhost:50111\n"
	if string(output) != expected {
		t.Errorf("the bot said:\n%s", output)
	}
}
