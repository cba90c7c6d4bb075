"""Everything that the client raises.

HarbourmasterError
├── ConnectionLost          the referee cannot be reached, and trying again was given up
├── BadSetting              an option, such as the address, cannot be used
├── BadAnswer               what `choose` returned cannot be sent as an answer
└── Refused                 the referee said no; asking again changes nothing
    ├── BadToken            the token is missing, unknown or revoked
    ├── NotAllowed          the token has not the right to play
    ├── BadRequest          a field of what was asked for is out of range
    ├── VersionMismatch     the referee speaks another major version of the protocol
    ├── UnknownGame         the referee does not have a game that was asked for
    ├── AlreadyConnected    the token is playing from somewhere else
    ├── LimitExceeded       a limit of the referee was exceeded
    ├── TakenOver           another session took this one over
    └── NotAReferee         whatever listens at the address is not a Harbourmaster referee

What `choose` itself raises is not wrapped: `play` lets it through as it is.
"""


class HarbourmasterError(Exception):
    """What all errors of this package have in common; the message says what to do."""


class ConnectionLost(HarbourmasterError):
    """The referee cannot be reached, and trying again was given up."""


class BadSetting(HarbourmasterError):
    """An option of the bot, such as the address, cannot be used; the message names it."""


class BadAnswer(HarbourmasterError):
    """What `choose` returned cannot be sent as an answer."""


class Refused(HarbourmasterError):
    """The referee said no; asking again changes nothing."""


class BadToken(Refused):
    """The token is missing, unknown or revoked."""


class NotAllowed(Refused):
    """The token has not the right to play."""


class BadRequest(Refused):
    """A field of what was asked for is out of range; the message names it."""


class VersionMismatch(Refused):
    """The referee speaks another major version of the protocol."""


class UnknownGame(Refused):
    """The referee does not have a game that was asked for."""


class AlreadyConnected(Refused):
    """The token is playing from somewhere else, and the referee allows one session only."""


class LimitExceeded(Refused):
    """A limit of the referee was exceeded; the message names it."""


class TakenOver(Refused):
    """Another session with the same token took this one over."""


class NotAReferee(Refused):
    """Whatever listens at the address is not a Harbourmaster referee."""
