"""Who may call what, and how a call is refused."""

from typing import Any, Final, NoReturn, TypeAlias
from urllib.parse import unquote

import grpc

from harbourmaster_server.errors import STATUS, NotAllowed, RefereeError
from harbourmaster_server.identity import Identity
from harbourmaster_server.referee import Referee

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]
LOOPBACK_PEERS: Final = ("ipv4:127.", "ipv6:[::1]:", "ipv6:[::ffff:127.", "unix:")


def identify(referee: Referee, context: Context) -> Identity:
    """Return who calls; raise `NoIdentity`."""
    metadata = {k: v for k, v in context.invocation_metadata() or () if isinstance(v, str)}
    return referee.gatekeeper.identify(metadata)


def need(referee: Referee, context: Context, right: str) -> Identity:
    """Return who calls if it has *right*; raise `NoIdentity` or `NotAllowed`."""
    identity = identify(referee, context)
    if not identity.may(right):
        raise NotAllowed(
            f"the token has not the right to {right}: the organiser can issue one that has, with "
            f"harbourmaster token issue NAME --right {right}"
        )
    return identity


def from_loopback(peer: str) -> bool:
    """Return whether *peer*, as gRPC writes it, is on this machine."""
    return unquote(peer).startswith(LOOPBACK_PEERS)


async def refuse(context: Context, error: RefereeError) -> NoReturn:
    """End the call with the status that *error* stands for."""
    await context.abort(STATUS[type(error)], str(error))
