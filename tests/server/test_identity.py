"""Who may do what, over which connection: tokens, rights, plain text and TLS."""

import contextlib
import importlib
import pkgutil
import socket
import stat
from io import StringIO
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from harbourmaster import v1
from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.errors import CannotStart
from harbourmaster_server.identity import ADMIN, PLAY, WATCH, Identity, Tokens
from harbourmaster_tournaments.cli.main import main
from support.certificates import make_certificate
from support.live import Live, RawBot, Served, live, match_stub, stubs
from support.patience import PATIENCE

HEALTH = "grpc.health.v1.Health"
NEEDED = {
    "CreateMatch": ADMIN,
    "UnsealMatch": ADMIN,
    "GetMatch": WATCH,
    "ListMatches": WATCH,
    "StreamRecord": WATCH,
    "WatchMatch": WATCH,
}
REFUSED = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)


def answer(referee: Live, method: str, token: str) -> grpc.StatusCode:
    """Call *method* with *token*; return the status."""
    stub = stubs(referee.address)
    request = getattr(pb, f"{method}Request")()
    if method == "CreateMatch":
        request.terms.CopyFrom(match_pb2.MatchTerms(game="anchorline"))
        request.bots.extend(["a", "b"])
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    try:
        response = getattr(stub, method)(request, metadata=metadata, timeout=PATIENCE)
        if hasattr(response, "__next__"):
            next(response)
    except grpc.RpcError as error:
        code: grpc.StatusCode = error.code()
        return code
    return grpc.StatusCode.OK


def test_every_method_of_the_service_is_in_the_table_above() -> None:
    [service] = [s for s in pb.DESCRIPTOR.services_by_name.values() if s.name == "MatchService"]
    assert {method.name for method in service.methods} == set(NEEDED)


@pytest.mark.parametrize("method", NEEDED)
def test_p63_a_method_takes_the_right_it_needs_and_no_other(method: str, tmp_path: Path) -> None:
    with live(tmp_path, open_mode=False) as referee:
        tokens = {
            right: referee.referee.tokens.issue(Identity(right, rights=(right,)))
            for right in (PLAY, WATCH, ADMIN)
        }
        assert answer(referee, method, "") is grpc.StatusCode.UNAUTHENTICATED
        assert answer(referee, method, "x" * 43) is grpc.StatusCode.UNAUTHENTICATED
        good = {ADMIN, NEEDED[method]}
        for right, token in tokens.items():
            assert (answer(referee, method, token) not in REFUSED) == (right in good), right


def test_every_call_of_every_service_but_health_needs_a_token(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    token = Tokens(data / "tokens.json").issue(Identity("anybody"))
    with (
        Served(data, open_mode=False) as served,
        grpc.insecure_channel(served.address) as channel,
    ):
        ours = [name for name in listed_services(channel, token) if name != HEALTH]
        assert len(ours) >= 5
        for module in pkgutil.iter_modules(v1.__path__, "harbourmaster.v1."):
            importlib.import_module(module.name)
        for name in ours:
            service = descriptor_pool.Default().FindServiceByName(name)
            for method in service.methods:
                call: Any = channel.stream_stream(f"/{name}/{method.name}")
                with pytest.raises(grpc.RpcError) as refused:
                    list(call(iter([first_message(method.name)]), timeout=PATIENCE))
                code = refused.value.code()
                assert code is grpc.StatusCode.UNAUTHENTICATED, method.full_name


def first_message(method: str) -> bytes:
    if method != "Play":
        return b""
    hello = bot_pb.Hello(protocol_version=bot_pb.ProtocolVersion(major=1), name="bot")
    return bot_pb.PlayRequest(events=[bot_pb.BotEvent(hello=hello)]).SerializeToString()


def listed_services(channel: grpc.Channel, token: str) -> list[str]:
    make: Any = reflection_pb2_grpc.ServerReflectionStub
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    metadata = (("authorization", f"Bearer {token}"),)
    [answer] = make(channel).ServerReflectionInfo(iter([asked]), metadata=metadata)
    return [service.name for service in answer.list_services_response.service]


def test_playing_takes_a_token_with_the_right_to_play(tmp_path: Path) -> None:
    with live(tmp_path, open_mode=False) as referee:
        player = referee.referee.tokens.issue(Identity("a"))
        watcher = referee.referee.tokens.issue(Identity("w", rights=(WATCH,)))
        with RawBot(referee.address, "a") as nobody:
            code, said = nobody.status()
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert "HARBOURMASTER_TOKEN" in said
        with RawBot(referee.address, "w", token=watcher) as watching:
            assert watching.status()[0] is grpc.StatusCode.PERMISSION_DENIED
        with RawBot(referee.address, "somebody else", token=player) as good:
            # The token says who it is, not the name.
            assert good.next("welcome").bot == "a"


def command(*arguments: str) -> str:
    """Run `harbourmaster token` in this process and return what it prints."""
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(StringIO()) as out:
        main(["token", *arguments])
    assert ended.value.code == 0
    return out.getvalue()


def test_a_revoked_token_opens_nothing_and_its_hash_is_all_that_was_kept(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = command("issue", "a", "--owner", "eve", "--data", str(data))
    stored = data / "tokens.json"
    assert len(token.strip()) == 43  # 32 bytes in base64
    assert token.strip() not in stored.read_text()
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    assert "a of eve: play" in command("list", "--data", str(data))
    assert Tokens(stored).identify(token.strip()).bot == "a"

    command("revoke", "a", "--data", str(data))

    with (
        live(data, open_mode=False) as referee,
        RawBot(referee.address, "a", token=token.strip()) as bot,
    ):
        code, said = bot.status()
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "not known, or was revoked" in said


def test_health_needs_no_token(tmp_path: Path) -> None:
    with live(tmp_path, open_mode=False) as referee:
        channel = grpc.insecure_channel(referee.address)
        health: Any = health_pb2_grpc.HealthStub(channel)
        request = health_pb2.HealthCheckRequest(service="harbourmaster.v1.BotService")
        assert health.Check(request).status == health_pb2.HealthCheckResponse.SERVING
        channel.close()


def test_a_bot_cannot_play_end_or_slow_the_match_of_others(tmp_path: Path) -> None:
    with (
        live(tmp_path) as referee,
        RawBot(referee.address, "a") as first,
        RawBot(referee.address, "b") as second,
        RawBot(referee.address, "intruder") as intruder,
    ):
        for bot in (first, second, intruder):
            bot.next("welcome")
        match_id = referee.match("a", "b").match_id
        request = first.next("decision_request")
        intruder.answer(request)
        reply = bot_pb.MoveReply(match_id=match_id, decision=1, attempt=1)
        reply.resignation.SetInParent()
        intruder.send(move_reply=reply)
        intruder.send(match_ready=bot_pb.MatchReady(match_id=match_id, seat=1))
        receipts = [intruder.next("move_receipt") for _ in range(2)]
        assert {r.status for r in receipts} == {bot_pb.MOVE_RECEIPT_STATUS_STALE}
        first.answer(request)
        assert second.next("decision_request").decision == 2
        assert "decision_request" not in intruder.kinds()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_plain_text_off_the_loopback_is_refused_unless_it_is_asked_for(
    host: str, tmp_path: Path
) -> None:
    with pytest.raises(CannotStart, match="--insecure"), live(tmp_path, server={"host": host}):
        pass


def test_and_is_served_when_it_is_asked_for(tmp_path: Path) -> None:
    with (
        live(tmp_path, server={"host": "0.0.0.0", "insecure": True}) as referee,
        RawBot(referee.address, "a") as bot,
    ):
        assert bot.next("welcome").bot == "a"


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
def test_p10_localhost_is_reached_under_each_of_its_names(host: str, tmp_path: Path) -> None:
    with live(tmp_path) as referee, RawBot(f"{host}:{referee.server.port}", "a") as bot:
        assert bot.next("welcome").bot == "a"


def test_with_tls_an_encrypted_call_is_taken_and_a_plain_one_is_not(tmp_path: Path) -> None:
    pair = make_certificate(tmp_path)
    with live(tmp_path / "data", server={"tls": pair}) as referee:
        with secure(referee.server.port, pair[0].read_bytes()) as channel:
            listed = match_stub(channel).ListMatches(pb.ListMatchesRequest(), timeout=PATIENCE)
            assert not listed.matches
        with pytest.raises(grpc.RpcError) as refused:
            stubs(referee.address).ListMatches(pb.ListMatchesRequest(), timeout=PATIENCE)
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE


def secure(port: int, roots: bytes) -> grpc.Channel:
    return grpc.secure_channel(f"localhost:{port}", grpc.ssl_channel_credentials(roots))


def test_off_the_loopback_with_tls_needs_no_insecure(tmp_path: Path) -> None:
    pair = make_certificate(tmp_path)
    with (
        live(tmp_path / "data", server={"host": "0.0.0.0", "tls": pair}) as referee,
        secure(referee.server.port, pair[0].read_bytes()) as channel,
    ):
        listed = match_stub(channel).ListMatches(pb.ListMatchesRequest(), timeout=PATIENCE)
    assert not listed.matches


@pytest.mark.parametrize("encrypted", [True, False])
def test_bots_launched_here_have_a_plain_address_on_the_loopback(
    encrypted: bool, tmp_path: Path
) -> None:
    secured = {"tls": make_certificate(tmp_path)} if encrypted else {"insecure": True}
    options = {"host": "0.0.0.0", "launches": True, **secured}
    with live(tmp_path / "data", server=options) as referee:
        address = referee.server.launched_address
        listed = stubs(address).ListMatches(pb.ListMatchesRequest(), timeout=PATIENCE)
    assert not listed.matches
    assert address.startswith("127.0.0.1:")


def test_without_bots_to_launch_a_referee_with_tls_has_no_plain_port(tmp_path: Path) -> None:
    pair = make_certificate(tmp_path)
    with live(tmp_path / "data", server={"tls": pair}) as referee:
        assert referee.server.launched_address == referee.server.address


def test_a_certificate_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = (tmp_path / "no.pem", tmp_path / "no.key")
    with pytest.raises(CannotStart, match=r"cannot read .*no\.key"):  # noqa: SIM117
        with live(tmp_path, server={"tls": missing}):
            pass


def test_what_is_no_certificate_with_its_key_is_told_and_not_taken_for_a_port_in_use(
    tmp_path: Path,
) -> None:
    certificate, key = make_certificate(tmp_path)
    (tmp_path / "other").mkdir()
    other, _ = make_certificate(tmp_path / "other")
    junk = tmp_path / "junk.pem"
    junk.write_text("junk")
    for pair in ((junk, junk), (certificate, junk), (other, key), (key, certificate)):
        with pytest.raises(CannotStart, match="are not a certificate and its key"):  # noqa: SIM117
            with live(tmp_path / "data", server={"tls": pair}):
                pass


def test_why_nobody_can_listen_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        places = {
            ("127.0.0.1", other.getsockname()[1]): "address already in use",
            ("192.0.2.1", 0): "cannot assign requested address",
        }
        for (host, port), why in places.items():
            asked = {"host": host, "port": port, "insecure": True}
            with pytest.raises(CannotStart, match=why), live(tmp_path, server=asked):
                pass
