// Anchorline-bot plays Anchorline: it looks three turns ahead, in typed views and moves.
package main

import (
	"flag"
	"fmt"

	"harbourmaster.example/client/harbourmaster"
	pb "harbourmaster.example/client/harbourmasterv1"
)

func main() {
	settings := harbourmaster.Settings{
		Name:         "anchorline-go",
		Games:        []string{"anchorline"},
		OfferedMoves: true,
	}
	settings.AddFlags(flag.CommandLine)
	flag.Parse()
	harbourmaster.Run(settings, choose)
}

// choose answers a decision: with an index where nothing is to be chosen, else with a typed move.
func choose(decision harbourmaster.Decision) harbourmaster.Answer {
	forced := len(decision.Offered) == 1 && decision.OfferedComplete
	if forced || decision.Refusal != nil {
		return harbourmaster.Offered(0)
	}
	view, options := decision.View.GetAnchorline(), decision.Match.Terms.GetOptions().GetAnchorline()
	now := readPosition(view, options, int(decision.Match.Seat))
	move := bestMove(now)
	answer := harbourmaster.Move(&pb.Move{Move: &pb.Move_Anchorline{Anchorline: move.message()}})
	scored := now.after(move).scores[now.seat] - now.scores[now.seat]
	answer.Note = fmt.Sprintf("scores %d; %d moves would score", scored, now.scoringMoves())
	return answer
}
