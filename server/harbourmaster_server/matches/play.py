"""How a match is refereed."""

from harbourmaster_engine.game import ForfeitReason
from harbourmaster_server.matches.closing import close, reach_ceiling
from harbourmaster_server.matches.course import Decisions
from harbourmaster_server.matches.decision import Fault
from harbourmaster_server.matches.judging import judge, punish
from harbourmaster_server.matches.match import Match
from harbourmaster_server.matches.seating import gather
from harbourmaster_server.sessions.lobby import Lobby


async def play_match(match: Match, lobby: Lobby) -> None:
    """Play *match* from the coming of its bots to its end.

    A bot that breaks a rule, runs out of time or leaves pays by the fault policy: nothing that a
    bot does makes this raise. What it raises is the referee's own fault, and voids the match.
    """
    await gather(match, lobby)
    await match.course.follow(decisions(match))
    close(match, lobby)


def decisions(match: Match) -> Decisions:
    """Yield each decision of *match* to be put to its bot, and judge the answer that comes back."""
    while match.state.to_move is not None:
        decision = match.open_decision()
        while decision.open:
            answer = yield decision
            if isinstance(answer, Fault):
                fault: Fault | None = answer
            else:
                match.handling = decision.seat
                fault = judge(match, decision, answer)
                match.handling = None
            if fault is not None and fault.reason is ForfeitReason.CEILING:
                reach_ceiling(match, decision, fault)
            elif fault is not None:
                # A retry leaves the decision open, on the same clock.
                punish(match, decision, fault)
