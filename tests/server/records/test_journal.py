"""The journal keeps what was written, and nothing that was torn."""

import os
from pathlib import Path

import pytest

from harbourmaster_server.records import Journal
from harbourmaster_server.records.journal import read_journal


def segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.journal"))


def test_what_was_flushed_is_read_back_by_match(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for match, entry in [(1, b"a"), (2, b"b"), (1, b"c")]:
        journal.append(match, entry)
    journal.flush()

    assert read_journal(tmp_path) == {1: [b"a", b"c"], 2: [b"b"]}


def test_what_was_not_flushed_is_not_there(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(1, b"a")

    assert read_journal(tmp_path) == {}
    assert journal.pending


@pytest.mark.parametrize("cut", range(1, 21))
def test_a_torn_last_frame_is_left_out_and_nothing_else(tmp_path: Path, cut: int) -> None:
    journal = Journal(tmp_path)
    journal.append(1, b"whole")
    journal.append(1, b"torn.")
    journal.flush()
    (path,) = segments(tmp_path)
    os.truncate(path, path.stat().st_size - cut)

    assert read_journal(tmp_path) == {1: [b"whole"]}


def test_a_damaged_frame_ends_the_reading(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for entry in (b"first", b"second"):
        journal.append(1, entry)
    journal.flush()
    (path,) = segments(tmp_path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)

    assert read_journal(tmp_path) == {1: [b"first"]}


def test_a_segment_goes_when_no_match_needs_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path, segment_bytes=10)
    journal.append(1, b"a long entry of the first")
    journal.flush()
    journal.append(2, b"a long entry of the second")
    journal.flush()
    before = len(segments(tmp_path))
    journal.release(1)

    assert before == 3
    assert read_journal(tmp_path) == {2: [b"a long entry of the second"]}


def test_a_disk_that_refuses_loses_nothing_and_leaves_nothing_torn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.append(1, b"before")
    journal.flush()
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:5]))
    journal.append(1, b"after")
    with pytest.raises(OSError, match="No space left"):
        journal.flush()
    monkeypatch.setattr(os, "write", real)
    assert read_journal(tmp_path) == {1: [b"before"]}
    journal.flush()

    assert read_journal(tmp_path) == {1: [b"before", b"after"]}


def test_damage_before_good_frames_is_never_passed_over_wherever_it_is(tmp_path: Path) -> None:
    """Also in the length of a frame, behind which no other seems to begin where one does."""
    journal = Journal(tmp_path)
    for entry in (b"first", b"second", b"third", b"last"):
        journal.append(1, entry)
    journal.flush()
    (path,) = segments(tmp_path)
    sound = path.read_bytes()
    for place in range(sound.index(b"third")):
        for bit in (1, 128):
            data = bytearray(sound)
            data[place] ^= bit
            path.write_bytes(data)
            found = read_journal(tmp_path)
            assert any(b"" in entries for entries in found.values()), place
            assert found[1][-1] == b"last"
