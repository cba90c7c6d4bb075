"""The standard services beside our own: health, and reflection.

Health needs no token: load balancers ask for it that have none. So it is as bounded as what has
one, and nothing that its callers leave unread can hold up the referee, not even its end.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

from harbourmaster_server.errors import LimitExceeded, RefereeError
from harbourmaster_server.referee import Referee
from harbourmaster_server.services.access import Context, identify, refuse
from harbourmaster_server.services.unread import Unread

HEALTH: Final = "grpc.health.v1.Health"
SERVING: Final = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING: Final = health_pb2.HealthCheckResponse.NOT_SERVING
_UNKNOWN: Final = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


class Health(health_pb2_grpc.HealthServicer):
    """Tells whether the services take new work.

    See https://github.com/grpc/grpc/blob/master/doc/health-checking.md. The library's own servicer
    holds a lock while it writes, so that one watcher with a window of zero kept a referee from
    ending.
    """

    def __init__(self, watches: int) -> None:
        """Let there be so many *watches* in all."""
        self._most = watches
        self._watches = 0
        self._states: dict[str, Any] = {}
        self._changed = asyncio.Event()

    def tell(self, names: Iterable[str], state: Any) -> None:
        """Say of the services of these *names* that they are in *state* from now on."""
        self._states.update(dict.fromkeys(names, state))
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def tell_all(self, state: Any) -> None:
        """Say so of every service."""
        self.tell(list(self._states), state)

    async def Check(
        self, request: health_pb2.HealthCheckRequest, context: Context
    ) -> health_pb2.HealthCheckResponse:
        """Return how a service is."""
        state = self._states.get(request.service)
        if state is None:
            known = ", ".join(filter(None, self._states))
            text = f"there is no service {request.service[:80]!r} here: there is {known}"
            await context.abort(grpc.StatusCode.NOT_FOUND, text)
        return health_pb2.HealthCheckResponse(status=state)

    async def Watch(
        self, request: health_pb2.HealthCheckRequest, context: Context
    ) -> AsyncIterator[health_pb2.HealthCheckResponse]:
        """Follow how a service is."""
        if self._watches >= self._most:
            await refuse(
                context, LimitExceeded(f"{self._most} calls follow the health, and no more may")
            )
        self._watches += 1
        try:
            last = None
            while True:
                changed = self._changed
                state = self._states.get(request.service, _UNKNOWN)
                if state != last:
                    last = state
                    yield health_pb2.HealthCheckResponse(status=state)
                await changed.wait()
        finally:
            self._watches -= 1


class Reflection(reflection_pb2_grpc.ServerReflectionServicer):
    """Tells what services there are, and their messages, to who has a token."""

    def __init__(self, names: Iterable[str], referee: Referee) -> None:
        # Its type says that the method returns a coroutine; it is a generator.
        self._library: Any = reflection.aio.ReflectionServicer(names)
        self._referee = referee
        self._unread = Unread(referee.config.limits.unread_calls)

    async def ServerReflectionInfo(
        self,
        request_iterator: AsyncIterator[reflection_pb2.ServerReflectionRequest],
        context: Context,
    ) -> AsyncIterator[reflection_pb2.ServerReflectionResponse]:
        """Answer what is asked."""
        try:
            caller = identify(self._referee, context).bot
            self._unread.check(caller)
        except RefereeError as error:
            await refuse(context, error)
        with self._unread.counted(caller):
            async for answer in self._library.ServerReflectionInfo(request_iterator, context):
                yield answer


def add_standard(
    server: grpc.aio.Server, health: Health, names: Iterable[str], referee: Referee
) -> None:
    """Add *health*, and reflection of it and the services of these *names*, to *server*."""
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    reflected = Reflection((*names, HEALTH, reflection.SERVICE_NAME), referee)
    add: Any = reflection_pb2_grpc.add_ServerReflectionServicer_to_server
    add(reflected, server)
