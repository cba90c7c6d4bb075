"""A call in bare HTTP/2 frames, of a peer that leaves no room for any answer."""

import socket
import struct
from typing import Final

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE: Final = 4


def call_without_room(address: str, path: str) -> socket.socket:
    """Call the method at *path* with an empty message and a window of 0 bytes for the answer.

    The frames are those of RFC 9113, the headers literals of RFC 7541, section 6.2.2.
    """
    host, _, port = address.rpartition(":")
    headers = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": address,
        "content-type": "application/grpc",
        "te": "trailers",
    }
    peer = socket.create_connection((host, int(port)))
    peer.sendall(
        PREFACE
        + _frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, 0))
        + _frame(HEADERS, END_HEADERS, 1, b"".join(map(_literal, headers, headers.values())))
        + _frame(DATA, END_STREAM, 1, bytes(5))
    )
    return peer


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">IBBI", len(payload), kind, flags, stream)[1:] + payload


def _literal(name: str, value: str) -> bytes:
    parts = [bytes([len(text)]) + text.encode() for text in (name, value)]
    return bytes(1) + b"".join(parts)
