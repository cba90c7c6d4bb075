"""The version of this package and of the protocol that it speaks."""

from typing import Final

__version__: Final = "0.1.0"

PROTOCOL_MAJOR: Final = 1
PROTOCOL_MINOR: Final = 0
