// Package harbourmaster lets a bot play with a Harbourmaster referee.
//
// A bot is a function of a decision. Play calls it for every decision of every match, over one
// session that outlives connections; Run does so as a program that signals can end.
//
//	func main() {
//		settings := harbourmaster.Settings{Name: "first", OfferedMoves: true}
//		settings.AddFlags(flag.CommandLine)
//		flag.Parse()
//		harbourmaster.Run(settings, func(harbourmaster.Decision) harbourmaster.Answer {
//			return harbourmaster.Offered(0)
//		})
//	}
//
// The messages come from the generated package harbourmasterv1.
package harbourmaster
