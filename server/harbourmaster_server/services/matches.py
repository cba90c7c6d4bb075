"""`MatchService`: what organisers and watchers ask the referee."""

from collections.abc import AsyncIterator
from typing import Any, NoReturn, TypeAlias

import grpc

from harbourmaster.v1 import bot_service_pb2, match_service_pb2_grpc
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.errors import STATUS, NotAllowed, RefereeError
from harbourmaster_server.identity import ADMIN, WATCH
from harbourmaster_server.referee import Referee

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]
ENTRIES_PER_MESSAGE = 100


class MatchService(match_service_pb2_grpc.MatchServiceServicer):
    """Serves organisers and watchers."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    async def CreateMatch(
        self, request: pb.CreateMatchRequest, context: Context
    ) -> pb.CreateMatchResponse:
        """Make a match."""
        try:
            self._need(context, ADMIN)
            return pb.CreateMatchResponse(match=await self._referee.create_match(request))
        except RefereeError as error:
            await _refuse(context, error)

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        """Return a match."""
        try:
            self._need(context, WATCH)
            return pb.GetMatchResponse(match=self._referee.get_match(request.match_id))
        except RefereeError as error:
            await _refuse(context, error)

    async def ListMatches(
        self, request: pb.ListMatchesRequest, context: Context
    ) -> pb.ListMatchesResponse:
        """List matches."""
        try:
            self._need(context, WATCH)
            return self._referee.list_matches(request)
        except RefereeError as error:
            await _refuse(context, error)

    async def UnsealMatch(
        self, request: pb.UnsealMatchRequest, context: Context
    ) -> pb.UnsealMatchResponse:
        """Open the deal of a match."""
        try:
            self._need(context, ADMIN)
            return pb.UnsealMatchResponse(match=await self._referee.unseal_match(request.match_id))
        except RefereeError as error:
            await _refuse(context, error)

    async def StreamRecord(
        self, request: pb.StreamRecordRequest, context: Context
    ) -> AsyncIterator[pb.StreamRecordResponse]:
        """Stream the record of a match."""
        try:
            self._need(context, WATCH)
            entries = self._referee.load_record(request.match_id)
        except RefereeError as error:
            await _refuse(context, error)
        for start in range(0, len(entries), ENTRIES_PER_MESSAGE):
            message = pb.StreamRecordResponse()
            for data in entries[start : start + ENTRIES_PER_MESSAGE]:
                message.entries.add().MergeFromString(data)
            yield message

    async def WatchMatch(
        self, request: pb.WatchMatchRequest, context: Context
    ) -> AsyncIterator[pb.WatchMatchResponse]:
        """Follow a match: first what happened, then what happens, then how it ended."""
        try:
            self._need(context, WATCH)
            match = self._referee.match_to_watch(request.match_id)
        except RefereeError as error:
            await _refuse(context, error)
        yield pb.WatchMatchResponse(match=match.info())
        yield pb.WatchMatchResponse(view=match.first_view)
        shown = 0
        while True:
            new, over = match.publication.since(shown)
            if new:
                shown += len(new)
                events = bot_service_pb2.MatchEvents(match_id=match.id, events=new)
                yield pb.WatchMatchResponse(events=events)
            elif over:
                yield pb.WatchMatchResponse(outcome=match.outcome)
                return
            else:
                await match.publication.wait(shown)

    def _need(self, context: Context, right: str) -> None:
        metadata = {k: v for k, v in context.invocation_metadata() or () if isinstance(v, str)}
        identity = self._referee.gatekeeper.identify(metadata)
        if not identity.may(right):
            raise NotAllowed(f"the token has not the right to {right}")


async def _refuse(context: Context, error: RefereeError) -> NoReturn:
    """End the call with the status that *error* stands for."""
    await context.abort(STATUS[type(error)], str(error))
