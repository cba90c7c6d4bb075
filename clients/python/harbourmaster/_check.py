"""A look whether a referee can be reached, and as whom."""

from harbourmaster._connection import Connection
from harbourmaster._settings import Settings
from harbourmaster._status import Dropped
from harbourmaster.errors import ConnectionLost, NotAReferee
from harbourmaster.v1 import bot_service_pb2 as pb


async def check(settings: Settings) -> pb.Welcome:
    """Connect once, leave again, and return the referee's welcome.

    Raises `Refused` when the referee says no and `ConnectionLost` when it cannot be reached.
    """
    connection = Connection(settings, b"")
    # In the same message as the hello, so that the look is given no match.
    connection.send(leave=pb.Leave())
    try:
        message = await connection.read()
    except Dropped as drop:
        raise ConnectionLost(
            f"{settings.address} cannot be reached: {drop}; check that the referee runs, that "
            "the address is right, and that both sides use TLS or neither does"
        ) from None
    finally:
        await connection.close()
    for event in message.events if message is not None else ():
        if event.WhichOneof("event") == "welcome":
            return event.welcome
    raise NotAReferee(f"what listens at {settings.address} does not say welcome: check the address")
