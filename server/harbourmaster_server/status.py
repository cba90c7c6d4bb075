"""How a referee stands: who is connected, and whom each match waits for, since when."""

from google.protobuf.timestamp_pb2 import Timestamp

from harbourmaster.v1 import admin_service_pb2 as pb
from harbourmaster.v1 import match_service_pb2
from harbourmaster_server.matches.decision import Decision
from harbourmaster_server.matches.match import SERVER_VERSION, Match, Seat
from harbourmaster_server.referee import Referee
from harbourmaster_server.sessions.session import Session
from harbourmaster_server.terms import to_duration


def referee_status(referee: Referee) -> pb.GetStatusResponse:
    """Return how *referee* stands."""
    tally = referee.desk.tally
    matches = sorted(referee.open_matches, key=lambda match: match.created)
    return pb.GetStatusResponse(
        server_version=SERVER_VERSION,
        start_time=Timestamp(seconds=referee.start_seconds),
        draining=referee.draining,
        disk_trouble=referee.desk.disk_trouble,
        sessions=[_session_status(session) for session in referee.sessions.all()],
        matches=[match_status(referee, match) for match in matches],
        watchers=referee.watchers,
        matches_finished=tally.matches_over + tally.matches_void,
        decisions=tally.decisions,
    )


def match_status(referee: Referee, match: Match) -> pb.MatchStatus:
    """Return how *match* stands."""
    now = match.desk.time.now()
    return pb.MatchStatus(
        match_id=match.id,
        game=match.terms.game.id,
        phase=match.info().phase,
        decisions=match.decisions,
        age=to_duration((now - match.created) // 1000),
        paused=match.paused,
        waits=_waits(referee, match, now),
    )


def _session_status(session: Session) -> pb.SessionStatus:
    return pb.SessionStatus(
        session_id=session.id,
        bot=session.bot,
        name=session.hello.name,
        software_version=session.hello.software_version,
        connected=session.connection is not None,
        match_ids=list(session.matches),
        room=max(0, session.room),
        leaving=session.leaving,
    )


def _waits(referee: Referee, match: Match, now: int) -> list[pb.WaitedFor]:
    """Return whom *match* waits for."""
    if match.phase == match_service_pb2.MATCH_PHASE_WAITING:
        seats = [seat for seat in match.seats if seat.forfeit is None and not seat.ready.is_set()]
        missing = (_absent(referee, match, seat, now) for seat in seats)
        return [waited for waited in missing if waited is not None]
    decision = match.decision
    if decision is None or not decision.open:
        return []
    return [_asked(match, decision, now)]


def _absent(referee: Referee, match: Match, seat: Seat, now: int) -> pb.WaitedFor | None:
    """Return what is missing of *seat* before the match can begin, if anything is."""
    reason = pb.WAIT_REASON_NOT_READY
    if seat.session is None:
        there = referee.lobby.sessions_of(seat.bot)
        free = [s for s in there if s.room > 0 and s.accepts(match.terms)]
        if free:
            return None
        reason = pb.WAIT_REASON_BUSY if there else pb.WAIT_REASON_NOT_CONNECTED
    waited = to_duration((now - match.created) // 1000)
    return pb.WaitedFor(seat=seat.number, bot=seat.bot, reason=reason, waited=waited)


def _asked(match: Match, decision: Decision, now: int) -> pb.WaitedFor:
    """Return who is asked, and whether its clock runs."""
    seat = match.seats[decision.seat]
    reason, since = pb.WAIT_REASON_DECISION, decision.started or decision.opened_at
    if decision.gone_at is not None:
        reason, since = pb.WAIT_REASON_DISCONNECTED, decision.gone_at
    elif decision.started is None and not match.paused:
        reason = pb.WAIT_REASON_HELD_BACK
    waited = pb.WaitedFor(
        seat=seat.number,
        bot=seat.bot,
        reason=reason,
        waited=to_duration((now - since) // 1000),
        decision=decision.number,
    )
    left = match.time_left(decision)
    if left is not None:
        waited.time_left.CopyFrom(to_duration(left))
    return waited
