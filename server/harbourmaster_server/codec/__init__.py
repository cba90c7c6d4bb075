"""Engine values to messages and back: one module per game, all with the same functions.

Each module has `write_options`, `read_options`, `write_view`, `read_view`, `write_move`,
`read_move`, `write_event`, `read_event` and `REFUSAL_CODES`. A `write_…` fills the message of its
own game that it is given, which spares a copy; a `read_move` raises `ValueError` with a sentence
if a part is missing, and leaves it to the engine to judge what is there.
"""

from harbourmaster_server.codec._codec import (
    FORFEIT_REASONS,
    SEAT_END_REASONS,
    Codec,
    WrongGame,
    codec_for,
)

__all__ = ["FORFEIT_REASONS", "SEAT_END_REASONS", "Codec", "WrongGame", "codec_for"]
