"""Small files are there whole or not at all, whoever else writes and whatever the disk does."""

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harbourmaster_server.errors import CannotStart, NoIdentity
from harbourmaster_server.files import write_whole
from harbourmaster_server.identity import Identity, Tokens
from harbourmaster_server.records.signing import SigningKey


def test_a_full_disk_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_whole(path, b"before")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"after")

    assert path.read_bytes() == b"before"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_key_is_made_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            SigningKey.load_or_make(tmp_path)

    assert SigningKey.load_or_make(tmp_path).public == SigningKey.load_or_make(tmp_path).public


def test_a_damaged_key_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "referee.key").write_bytes(b"short")

    with pytest.raises(CannotStart, match="holds 5 bytes and not a key of 32"):
        SigningKey.load_or_make(tmp_path)


def test_of_tokens_that_are_issued_at_once_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"

    def issue(number: int) -> str:
        return Tokens(path).issue(Identity(f"bot{number}"))

    with ThreadPoolExecutor(16) as pool:
        issued = list(pool.map(issue, range(64)))

    tokens = Tokens(path)
    assert [tokens.identify(token).bot for token in issued] == [f"bot{n}" for n in range(64)]


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"a": 1}', b'{"a": {"bot": "x"}}', b"\xff"])
def test_a_damaged_file_of_tokens_is_told_and_revokes_nothing(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "tokens.json"
    running = Tokens(path)
    token = running.issue(Identity("a"))
    path.write_bytes(content)

    assert running.identify(token).bot == "a"
    with pytest.raises(CannotStart, match="does not hold tokens"):
        Tokens(path)
    with pytest.raises(CannotStart, match="does not hold tokens"):
        running.issue(Identity("b"))
    assert path.read_bytes() == content


def test_removing_the_file_of_tokens_revokes_all_of_them(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    token = tokens.issue(Identity("a"))

    (tmp_path / "tokens.json").unlink()

    with pytest.raises(NoIdentity):
        tokens.identify(token)
