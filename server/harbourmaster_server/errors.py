"""Everything that the referee raises for its callers.

RefereeError
├── BadRequest          a field is missing or out of range
├── UnknownMatch        there is no such match
├── AlreadyExists       the id is taken by another match, or the token by another session
├── NotNow              the deal is sealed, the match goes on, the version is another
├── LimitExceeded       a limit of the session or of the referee
│   └── NotRead         what was sent was not read for too long
├── NoIdentity          the token is missing, unknown or revoked
├── NotAllowed          the token has not the right to do that
├── TakenOver           another session took this one over
├── ShuttingDown        the referee takes nothing new
└── CannotStart         the referee cannot be started as it is configured
"""

from collections.abc import Mapping
from typing import Final

import grpc


class RefereeError(Exception):
    """Something that the caller can act on; the message says how."""


class BadRequest(RefereeError):
    """A field is missing or out of range; the message names it."""


class UnknownMatch(RefereeError):
    """There is no such match, session, game or tournament."""


class AlreadyExists(RefereeError):
    """The id is taken by another match, or the token by another session."""


class NotNow(RefereeError):
    """What was asked for is not possible in this state."""


class LimitExceeded(RefereeError):
    """A limit was exceeded; the message names it."""


class NotRead(LimitExceeded):
    """What was sent was not read for too long."""


class NoIdentity(RefereeError):
    """The token is missing, unknown or revoked."""


class NotAllowed(RefereeError):
    """The token has not the right to do that."""


class TakenOver(RefereeError):
    """Another session took this one over."""


class ShuttingDown(RefereeError):
    """The referee shuts down and takes nothing new."""


class CannotStart(RefereeError):
    """The referee cannot be started as it is configured."""


STATUS: Final[Mapping[type[RefereeError], grpc.StatusCode]] = {
    BadRequest: grpc.StatusCode.INVALID_ARGUMENT,
    UnknownMatch: grpc.StatusCode.NOT_FOUND,
    AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    NotNow: grpc.StatusCode.FAILED_PRECONDITION,
    LimitExceeded: grpc.StatusCode.RESOURCE_EXHAUSTED,
    NotRead: grpc.StatusCode.RESOURCE_EXHAUSTED,
    NoIdentity: grpc.StatusCode.UNAUTHENTICATED,
    NotAllowed: grpc.StatusCode.PERMISSION_DENIED,
    TakenOver: grpc.StatusCode.ABORTED,
    ShuttingDown: grpc.StatusCode.UNAVAILABLE,
}
"""The gRPC status that each error stands for."""
