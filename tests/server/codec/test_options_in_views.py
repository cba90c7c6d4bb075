"""A view holds all that a bot must know to decide: it needs no memory of how the match began."""

import pytest
from google.protobuf.message import Message

from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.game import SPECTATOR
from harbourmaster_server.codec import codec_for
from support.cases import Case, all_cases


def parts(message: Message) -> dict[str, object]:
    """Return the value of each field of *message*, of a list as a list."""
    values = {field.name: getattr(message, field.name) for field in message.DESCRIPTOR.fields}
    return {
        name: list(value) if hasattr(value, "extend") else value for name, value in values.items()
    }


@pytest.mark.parametrize("case", all_cases(), ids=str)
def test_every_option_stands_in_every_view_under_its_own_name(case: Case) -> None:
    codec, state = codec_for(case.game.id), case.start()
    options = codec.options(case.game.resolve(case.seats, case.options))
    wanted = parts(getattr(options, case.game.id))
    for seat in (*range(case.seats), SPECTATOR):
        view = pb.View()
        codec.write_view(state.view(seat), view)
        seen = parts(getattr(view, case.game.id))
        assert {name: seen.get(name) for name in wanted} == wanted
