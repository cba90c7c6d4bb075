"""`AdminService`: what whoever runs the referee asks it."""

from harbourmaster.v1 import admin_service_pb2 as pb
from harbourmaster.v1 import admin_service_pb2_grpc
from harbourmaster_server.errors import BadRequest, NotAllowed, NotNow, RefereeError
from harbourmaster_server.identity import ADMIN
from harbourmaster_server.matches.match import Match
from harbourmaster_server.referee import Referee
from harbourmaster_server.services.access import Context, from_loopback, need, refuse
from harbourmaster_server.status import match_status, referee_status

MAX_REASON = 200
DEFAULT_REASON = "paused by whoever runs the referee"


class AdminService(admin_service_pb2_grpc.AdminServiceServicer):
    """Serves whoever runs the referee."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    async def GetStatus(
        self, request: pb.GetStatusRequest, context: Context
    ) -> pb.GetStatusResponse:
        """Return who is connected, and whom each match waits for."""
        try:
            need(self._referee, context, ADMIN)
            return referee_status(self._referee)
        except RefereeError as error:
            await refuse(context, error)

    async def PauseMatch(
        self, request: pb.PauseMatchRequest, context: Context
    ) -> pb.PauseMatchResponse:
        """Stop every clock of a match, or let them go on."""
        try:
            need(self._referee, context, ADMIN)
            if len(request.reason) > MAX_REASON:
                raise BadRequest(f"reason has more than {MAX_REASON} characters")
            match = self._open_match(request.match_id)
            reason = request.reason or DEFAULT_REASON
            if request.HasField("seat"):
                _hold(match, request, reason, context)
            else:
                for seat in match.seats:
                    match.release(seat)
                if request.paused:
                    match.pause(reason)
                else:
                    match.resume()
            return pb.PauseMatchResponse(match=match_status(self._referee, match))
        except RefereeError as error:
            await refuse(context, error)

    def _open_match(self, match_id: str) -> Match:
        """Return a match that goes on; raise `UnknownMatch` or `NotNow`."""
        for match in self._referee.open_matches:
            if match.id == match_id and match.outcome is None:
                return match
        self._referee.get_match(match_id)
        raise NotNow(f"the match {match_id} is over")


def _hold(match: Match, request: pb.PauseMatchRequest, reason: str, context: Context) -> None:
    """Stop the clock of one seat, or let it run again; raise `NotAllowed` or `BadRequest`."""
    if not from_loopback(context.peer()):
        raise NotAllowed("the clock of one seat can be stopped on the referee's own machine alone")
    if request.seat >= len(match.seats):
        raise BadRequest(f"there is no seat {request.seat}: the match has {len(match.seats)}")
    seat = match.seats[request.seat]
    if request.paused:
        match.hold(seat, reason)
    else:
        match.release(seat)
