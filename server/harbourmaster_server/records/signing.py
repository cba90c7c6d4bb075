"""The referee's Ed25519 key, which signs every record."""

import os
from pathlib import Path
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_server.errors import CannotStart
from harbourmaster_server.files import PUBLIC, write_whole
from harbourmaster_server.records.chain import Chain

KEY_BYTES = 32


class SigningKey:
    """The secret key of one referee."""

    def __init__(self, secret: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.public: bytes = self._key.public_key().public_bytes_raw()
        """The public key, 32 bytes."""

    @classmethod
    def load_or_make(cls, folder: Path) -> Self:
        """Return the key kept in *folder*; make one at the first start.

        Writes `referee.key` (32 secret bytes, readable by its owner alone) and `referee.pub` (the
        public key in hexadecimal). Raises `OSError` if the folder cannot be used, and `CannotStart`
        if what is kept there is no key.
        """
        path = folder / "referee.key"
        if not path.exists():
            write_whole(path, os.urandom(KEY_BYTES))
        secret = path.read_bytes()
        if len(secret) != KEY_BYTES:
            raise CannotStart(
                f"{path} holds {len(secret)} bytes and not a key of {KEY_BYTES}: put the key back, "
                "or remove the file for a new one, which does not sign for the old one"
            )
        key = cls(secret)
        public, text = folder / "referee.pub", f"{key.public.hex()}\n".encode()
        if not public.exists() or public.read_bytes() != text:
            write_whole(public, text, mode=PUBLIC)
        return key

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature of *message*."""
        return self._key.sign(message)


def read_public_key(path: Path) -> bytes:
    """Return the public key in the file at *path*; raise `ValueError` if it holds none."""
    try:
        key = bytes.fromhex(path.read_text().strip())
    except (OSError, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError(f"{path} does not hold a public key: 64 hexadecimal digits are expected")
    return key


def signature_is_good(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether *signature* over *message* was made with the key of *public_key*."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def sign_record(chain: Chain, key: SigningKey, entry: pb.RecordEntry) -> None:
    """Close *chain* with the signature of its last entry's hash, in *entry*."""
    entry.signature.public_key = key.public
    entry.signature.signature = key.sign(chain.head)
    chain.append(entry)
