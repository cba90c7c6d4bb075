"""What the end of a call means: the one place that knows gRPC's statuses."""

from collections.abc import Mapping
from typing import Final

import grpc

from harbourmaster import errors

_REFUSALS: Final[Mapping[grpc.StatusCode, tuple[type[errors.Refused], str]]] = {
    grpc.StatusCode.UNAUTHENTICATED: (
        errors.BadToken,
        "give the token as --token or HARBOURMASTER_TOKEN",
    ),
    grpc.StatusCode.PERMISSION_DENIED: (
        errors.NotAllowed,
        "ask the organiser for a token that may play",
    ),
    grpc.StatusCode.INVALID_ARGUMENT: (errors.BadRequest, "correct what the message names"),
    grpc.StatusCode.FAILED_PRECONDITION: (
        errors.VersionMismatch,
        "install the version of the harbourmaster package that fits the referee",
    ),
    grpc.StatusCode.NOT_FOUND: (
        errors.UnknownGame,
        "ask for a game that the referee has, or for none to play any",
    ),
    grpc.StatusCode.ALREADY_EXISTS: (
        errors.AlreadyConnected,
        "stop the other bot with this token, or use another token",
    ),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (
        errors.LimitExceeded,
        "ask for less, or ask the organiser to raise the limit",
    ),
    grpc.StatusCode.ABORTED: (
        errors.TakenOver,
        "run only one bot with this token, or nothing if that was meant",
    ),
    grpc.StatusCode.UNIMPLEMENTED: (
        errors.NotAReferee,
        "check the address: what listens there does not know the call of a bot",
    ),
}
"""The statuses that trying again does not change, with what to do about them."""


class Dropped(Exception):
    """The connection is gone, or was never made; trying again may help."""


class ResumeRefused(Exception):
    """The referee does not know the resume token: it has to be greeted as a stranger."""


def error_of(code: grpc.StatusCode, details: str, *, resuming: bool) -> Exception:
    """Return what the end of a call with *code* means: a `Refused`, or one of the two above.

    *resuming* tells whether the call took up an earlier session and was not welcomed yet.
    """
    if resuming and code is grpc.StatusCode.NOT_FOUND:
        return ResumeRefused(details)
    if code not in _REFUSALS:
        return Dropped(f"{details or 'no reason given'} ({code.name})")
    kind, advice = _REFUSALS[code]
    return kind(f"the referee refused: {details or code.name.lower()}; {advice}")
