"""The arm for games of other packages: their own codec makes the payload."""

from collections.abc import Mapping
from typing import Any

from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.game import Game, PayloadCodec


class ExternalArm:
    """Has the functions of a game's codec module, over the game's own payloads."""

    def __init__(self, game: Game) -> None:
        """Take the codec that *game* brings; raise `ValueError` if it brings none."""
        if game.payload is None:
            raise ValueError(f"the game {game.id} brings no codec, so that no bot can play it")
        self._game = game
        self._payload: PayloadCodec = game.payload
        self.REFUSAL_CODES: Mapping[str, Any] = {code: code for code in game.codes}

    def write_options(self, options: Mapping[str, Any], out: pb.ExternalGame) -> None:
        """Write resolved *options*."""
        self._write(self._payload.options_to_bytes(options), out)

    def read_options(self, message: pb.ExternalGame) -> dict[str, Any]:
        """Return the options that *message* holds."""
        return self._payload.options_from_bytes(self._read(message))

    def write_view(self, view: Any, out: pb.ExternalGame) -> None:
        """Write *view*."""
        self._write(self._payload.view_to_bytes(view), out)

    def read_view(self, message: pb.ExternalGame) -> Any:
        """Return the view that *message* holds."""
        return self._payload.view_from_bytes(self._read(message))

    def write_move(self, move: Any, out: pb.ExternalGame) -> None:
        """Write *move*."""
        self._write(self._payload.move_to_bytes(move), out)

    def read_move(self, message: pb.ExternalGame) -> Any:
        """Return the move that *message* holds; raise `ValueError` if it is none."""
        return self._payload.move_from_bytes(self._read(message))

    def write_event(self, event: Any, out: pb.ExternalGame) -> None:
        """Write *event*."""
        self._write(self._payload.event_to_bytes(event), out)

    def read_event(self, message: pb.ExternalGame) -> Any:
        """Return the event that *message* holds."""
        return self._payload.event_from_bytes(self._read(message))

    def _write(self, payload: bytes, out: pb.ExternalGame) -> None:
        out.game = self._game.id
        out.schema_version = self._payload.schema_version
        out.payload = payload

    def _read(self, message: pb.ExternalGame) -> bytes:
        if message.game != self._game.id:
            raise ValueError(f"the match is of {self._game.id}, but the payload of {message.game}")
        if message.schema_version != self._payload.schema_version:
            raise ValueError(
                f"the payload has schema version {message.schema_version}; "
                f"{self._game.id} is at {self._payload.schema_version}"
            )
        return message.payload
