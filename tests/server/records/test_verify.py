"""A record that was changed is refused, whatever was changed and however carefully."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from harbourmaster.v1 import bot_service_pb2, match_service_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_server.records import RecordError, SigningKey
from harbourmaster_server.records.chain import Chain, frame
from harbourmaster_server.records.signing import sign_record
from harbourmaster_server.verify import verify, verify_file
from support.arena import open_arena, run

Entries = list[pb.RecordEntry]


async def _play(folder: Path, *, resign: bool) -> match_service_pb2.MatchInfo:
    async with open_arena(folder) as arena:
        first, second = await arena.bot("first"), await arena.bot("second")
        match_id = await arena.match("first", "second", seed=bytes(range(32)))
        if resign:
            await first.reply(resignation=bot_service_pb2.Resignation())
            return await arena.referee.wait(match_id)
        return await arena.play_out(match_id, first, second)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A referee's folder with one record in it."""
    folder = tmp_path_factory.mktemp("referee")
    run(_play(folder, resign=False))
    return folder


@pytest.fixture
def path(folder: Path) -> Path:
    """The record."""
    (path,) = (folder / "records").glob("*.hmr")
    return path


@pytest.fixture
def key(folder: Path) -> SigningKey:
    """The referee's key."""
    return SigningKey.load_or_make(folder)


def parsed(path: Path) -> Entries:
    from harbourmaster_server.records import read_record

    return [pb.RecordEntry.FromString(data) for data in read_record(path)]


def forged(entries: Entries, key: SigningKey) -> list[bytes]:
    """Return *entries* with every hash computed anew, signed with *key*."""
    chain = Chain()
    for entry in entries[:-1]:
        chain.append(entry)
    sign_record(chain, key, pb.RecordEntry(elapsed_micros=entries[-1].elapsed_micros))
    return chain.entries


def moves(entries: Entries) -> list[pb.RecordMove]:
    return [entry.move for entry in entries if entry.WhichOneof("entry") == "move"]


def ending(entries: Entries) -> pb.RecordEnd:
    return next(entry.end for entry in entries if entry.WhichOneof("entry") == "end")


def test_a_record_as_it_was_written_is_good(path: Path, key: SigningKey) -> None:
    report = verify_file(path, key.public)

    assert report.game == "anchorline"
    assert report.moves == len(moves(parsed(path)))
    assert report.key_known
    assert report.warnings == ()


def test_without_a_trusted_key_the_report_warns(path: Path) -> None:
    assert "anybody could have signed" in verify_file(path).warnings[0]


def test_two_plays_of_one_game_share_the_hash_and_nothing_else(
    path: Path, key: SigningKey, tmp_path: Path
) -> None:
    info = run(_play(tmp_path, resign=False))

    assert info.game_hash.hex() == verify_file(path, key.public).game_hash
    assert info.deal_commitment != parsed(path)[0].start.deal_commitment


def _another_move(entries: Entries) -> None:
    first, second = moves(entries)[0], moves(entries)[2]
    first.move.anchorline.place.cell.x, first.move.anchorline.place.cell.y = -1, -1
    if first.move == second.move:
        first.move.anchorline.place.cell.y = 1


def _another_result(entries: Entries) -> None:
    seats = ending(entries).outcome.seats
    seats[0].placement, seats[1].placement = seats[1].placement, seats[0].placement


def _another_score(entries: Entries) -> None:
    ending(entries).outcome.seats[0].score += 1


def _another_time(entries: Entries) -> None:
    moves(entries)[3].thought_micros += 1_000_000


def _another_seed(entries: Entries) -> None:
    entries[0].start.deal.seed = bytes(32)


def _another_salt(entries: Entries) -> None:
    entries[0].start.deal.salt = bytes(32)


def _left_out(entries: Entries) -> None:
    del entries[5]


def _swapped(entries: Entries) -> None:
    entries[5], entries[6] = entries[6], entries[5]


def _another_hash(entries: Entries) -> None:
    ending(entries).game_hash = bytes(32)


CHANGES = [
    _another_move,
    _another_result,
    _another_score,
    _another_time,
    _another_seed,
    _another_salt,
    _left_out,
    _swapped,
    _another_hash,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_record_that_was_changed_is_refused(
    path: Path, key: SigningKey, change: Callable[[Entries], None]
) -> None:
    entries = parsed(path)
    change(entries)

    with pytest.raises(RecordError):
        verify([entry.SerializeToString() for entry in entries], key.public)


@pytest.mark.parametrize("change", CHANGES)
def test_so_is_one_in_which_every_hash_was_computed_anew_and_signed_with_the_same_key(
    path: Path, key: SigningKey, change: Callable[[Entries], None]
) -> None:
    """Even the referee itself cannot write down a game that the rules do not allow."""
    entries = parsed(path)
    change(entries)

    with pytest.raises(RecordError):
        verify(forged(entries, key), key.public)


def test_a_consistent_forgery_is_refused_for_its_signature(path: Path, key: SigningKey) -> None:
    forger = SigningKey(bytes(32))
    copied = forged(parsed(path), forger)

    assert verify(copied, None).moves
    with pytest.raises(RecordError, match="signed with another key"):
        verify(copied, key.public)


def test_a_signature_that_was_taken_from_elsewhere_is_refused(path: Path, key: SigningKey) -> None:
    entries = parsed(path)
    entries[-1].signature.signature = key.sign(sha256(b"something else").digest())

    with pytest.raises(RecordError, match="signature is not good"):
        verify([entry.SerializeToString() for entry in entries], key.public)


@pytest.mark.parametrize("keep", [0.01, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_refused(
    path: Path, key: SigningKey, tmp_path: Path, keep: float
) -> None:
    data = path.read_bytes()
    cut = tmp_path / "cut.hmr"
    cut.write_bytes(data[: int(len(data) * keep)])

    with pytest.raises(RecordError):
        verify_file(cut, key.public)


def test_a_file_cut_off_between_two_entries_is_refused(
    path: Path, key: SigningKey, tmp_path: Path
) -> None:
    entries = [entry.SerializeToString() for entry in parsed(path)]
    cut = tmp_path / "cut.hmr"
    cut.write_bytes(b"".join(frame(entry) for entry in entries[:-1]))

    with pytest.raises(RecordError, match="not signed"):
        verify_file(cut, key.public)


def test_a_file_that_is_no_record_is_refused(tmp_path: Path, key: SigningKey) -> None:
    other = tmp_path / "other.hmr"
    other.write_bytes(b"something else entirely")

    with pytest.raises(RecordError):
        verify_file(other, key.public)
    with pytest.raises(RecordError, match="cannot read"):
        verify_file(tmp_path / "absent.hmr", key.public)


def test_a_resignation_verifies(tmp_path: Path) -> None:
    info = run(_play(tmp_path, resign=True))

    report = verify_file(tmp_path / "records" / f"{info.match_id}.hmr")
    assert report.outcome == "Anchorline ended by last_seat: seat 1 wins; scores 0, 0"


def unchained(entries: Sequence[bytes]) -> Entries:
    """Take the entries for sound, whatever they follow."""
    return [pb.RecordEntry.FromString(data) for data in entries]


def nothing(*_: object) -> None:
    """Find nothing wrong."""


@pytest.mark.parametrize(
    ("away", "change"),
    [
        (["_check_end"], _another_result),
        (["_check_end"], _another_score),
        (["_check_end"], _another_hash),
        (["_check_clock"], _another_time),
        (["_check_deal"], _another_salt),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_twin_without_its_check_a_forgery_by_the_referee_itself_is_seen_to_pass(
    away: list[str],
    change: Callable[[Entries], None],
    path: Path,
    key: SigningKey,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in away:
        monkeypatch.setattr(f"harbourmaster_server.verify.{name}", nothing)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test_so_is_one_in_which_every_hash_was_computed_anew_and_signed_with_the_same_key(
            path, key, change
        )


def test_twin_without_the_chain_a_changed_record_is_seen_to_pass(
    path: Path, key: SigningKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harbourmaster_server.verify.check_chain", unchained)
    monkeypatch.setattr("harbourmaster_server.verify._check_end", nothing)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test_a_record_that_was_changed_is_refused(path, key, _another_score)


def test_twin_without_a_look_at_the_signature_forged_and_cut_records_are_seen_to_pass(
    path: Path, key: SigningKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harbourmaster_server.verify._check_signature", nothing)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test_a_consistent_forgery_is_refused_for_its_signature(path, key)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test_a_signature_that_was_taken_from_elsewhere_is_refused(path, key)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test_a_file_cut_off_between_two_entries_is_refused(path, key, tmp_path)
