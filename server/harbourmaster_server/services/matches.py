"""`MatchService`: what organisers and watchers ask the referee."""

from collections.abc import AsyncIterator
from typing import Any, Final

import grpc

from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster.v1 import match_service_pb2_grpc
from harbourmaster_server.errors import NotRead, RefereeError
from harbourmaster_server.identity import ADMIN, WATCH, Identity
from harbourmaster_server.referee import Referee
from harbourmaster_server.services.access import Context, identify, need, refuse
from harbourmaster_server.services.unread import Unread
from harbourmaster_server.services.watching import counted, public_info, watch

SERVICE: Final = "harbourmaster.v1.MatchService"
ENTRIES_PER_MESSAGE: Final = 100


class MatchService(match_service_pb2_grpc.MatchServiceServicer):
    """Serves organisers and watchers."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self.unread = Unread(referee.config.limits.unread_calls)
        """Records and watched matches that are not read."""

    def register(self, server: grpc.aio.Server) -> None:
        """Have *server* serve this.

        What watchers are sent goes out as bytes: most of it was written before, for others.
        """
        watch_match: grpc.RpcMethodHandler[Any, Any] = grpc.unary_stream_rpc_method_handler(
            self.WatchMatch,
            request_deserializer=pb.WatchMatchRequest.FromString,
            response_serializer=None,
        )
        own = {"WatchMatch": watch_match}
        # Of the generic handlers the first is asked first, of the registered ones the last counts;
        # old versions of grpcio go by the generic ones alone.
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, own),))
        match_service_pb2_grpc.add_MatchServiceServicer_to_server(self, server)
        server.add_registered_method_handlers(SERVICE, own)

    async def CreateMatch(
        self, request: pb.CreateMatchRequest, context: Context
    ) -> pb.CreateMatchResponse:
        """Make a match."""
        try:
            need(self._referee, context, ADMIN)
            return pb.CreateMatchResponse(match=await self._referee.create_match(request))
        except RefereeError as error:
            await refuse(context, error)

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        """Return a match."""
        try:
            caller = need(self._referee, context, WATCH)
            match = self._referee.get_match(request.match_id)
            return pb.GetMatchResponse(match=self._shown(match, caller))
        except RefereeError as error:
            await refuse(context, error)

    async def ListMatches(
        self, request: pb.ListMatchesRequest, context: Context
    ) -> pb.ListMatchesResponse:
        """List matches."""
        try:
            caller = need(self._referee, context, WATCH)
            listed = self._referee.list_matches(request)
            matches = [self._shown(match, caller) for match in listed.matches]
            return pb.ListMatchesResponse(matches=matches, next_page_token=listed.next_page_token)
        except RefereeError as error:
            await refuse(context, error)

    def _shown(self, match: pb.MatchInfo, caller: Identity) -> pb.MatchInfo:
        """Return what *caller* may see of *match*: who looks after the referee sees it all."""
        if caller.may(ADMIN):
            return match
        return public_info(match, self._referee.config.limits)

    async def UnsealMatch(
        self, request: pb.UnsealMatchRequest, context: Context
    ) -> pb.UnsealMatchResponse:
        """Open the deal of a match."""
        try:
            need(self._referee, context, ADMIN)
            return pb.UnsealMatchResponse(match=await self._referee.unseal_match(request.match_id))
        except RefereeError as error:
            await refuse(context, error)

    async def StreamRecord(
        self, request: pb.StreamRecordRequest, context: Context
    ) -> AsyncIterator[pb.StreamRecordResponse]:
        """Stream the record of a match."""
        try:
            identity = identify(self._referee, context)
            self.unread.check(identity.bot)
            entries = self._referee.load_record(request.match_id, identity)
        except RefereeError as error:
            await refuse(context, error)
        with self.unread.counted(identity.bot):
            for start in range(0, len(entries), ENTRIES_PER_MESSAGE):
                message = pb.StreamRecordResponse()
                for data in entries[start : start + ENTRIES_PER_MESSAGE]:
                    message.entries.add().MergeFromString(data)
                yield message

    async def WatchMatch(self, request: pb.WatchMatchRequest, context: Context) -> None:  # type: ignore[override]
        """Follow a match: first what happened, then what happens, then how it ended."""
        try:
            caller = need(self._referee, context, WATCH).bot
            self.unread.check(caller)
            match = self._referee.match_to_watch(request.match_id)
            with counted(self._referee):
                await watch(match, context.write, self._referee.desk.pace)
        except NotRead as error:
            # No watcher any more, but a call that lasts until this is read.
            with self.unread.counted(caller):
                await refuse(context, error)
        except RefereeError as error:
            await refuse(context, error)
