"""Many quick bots in one process, which write down their own times, at most 2 ms too long.

Run as `python -m support.fleet ADDRESS FILE THINK_MS NAME…`: every NAME is a bot with a session of
its own, four sessions to a connection. When a bot's matches are over the process goes on until it
is told to end, and then writes a line `match decision own_micros` per answer to FILE.
"""

import asyncio
import signal
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import grpc

from harbourmaster.v1 import bot_service_pb2 as pb
from support.live import PLAY


class Fleet:
    """The bots of one process."""

    def __init__(self, think_ms: float) -> None:
        self.think = think_ms / 1000
        self.times: list[tuple[str, int, int]] = []
        self.alive = time.monotonic_ns()
        """When this process last had time, with nothing to read."""

    async def beat(self) -> None:
        """Note again and again that this process has time."""
        while True:
            self.alive = time.monotonic_ns()
            await asyncio.sleep(0.002)

    async def play(self, channel: Any, name: str) -> None:
        """Play as *name* until the call ends."""
        call = channel.stream_stream(
            PLAY,
            request_serializer=pb.PlayRequest.SerializeToString,
            response_deserializer=pb.PlayResponse.FromString,
        )()
        version = pb.ProtocolVersion(major=1)
        hello = pb.Hello(protocol_version=version, name=name, offered_moves_wanted=True)
        await call.write(pb.PlayRequest(events=[pb.BotEvent(hello=hello)]))
        rng = Random(name)
        while (message := await call.read()) is not grpc.aio.EOF:
            # A request that waited while this process stood still is the bot's own delay.
            came = min(self.alive, time.monotonic_ns())
            for event in message.events:
                if event.HasField("match_start"):
                    start = event.match_start
                    ready = pb.MatchReady(match_id=start.match_id, seat=start.seat)
                    await call.write(pb.PlayRequest(events=[pb.BotEvent(match_ready=ready)]))
                elif event.HasField("decision_request"):
                    await self.answer(call, event.decision_request, came, rng)

    async def answer(self, call: Any, request: pb.DecisionRequest, came: int, rng: Random) -> None:
        """Answer *request*, which came at *came*, and write down how long it took."""
        if self.think:
            await asyncio.sleep(self.think)
        reply = pb.MoveReply(
            match_id=request.match_id,
            decision=request.decision,
            attempt=request.attempt,
            offered_index=rng.randrange(len(request.offered.moves)),
        )
        out = pb.PlayRequest(events=[pb.BotEvent(move_reply=reply)])
        own = (time.monotonic_ns() - came) // 1000
        self.times.append((request.match_id, request.decision, own))
        await call.write(out)


async def main(address: str, think_ms: str, *names: str) -> list[tuple[str, int, int]]:
    """Play until SIGTERM, and return the times."""
    fleet = Fleet(float(think_ms))
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    tasks, channels = [asyncio.create_task(fleet.beat())], []
    for place, name in enumerate(names):
        if place % 4 == 0:
            options = [("grpc.use_local_subchannel_pool", 1)]
            channels.append(grpc.aio.insecure_channel(address, options=options))
        tasks.append(asyncio.create_task(fleet.play(channels[-1], name)))
    await over.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for channel in channels:
        await channel.close()
    return fleet.times


if __name__ == "__main__":
    address, file, think_ms, *names = sys.argv[1:]
    times = asyncio.run(main(address, think_ms, *names))
    Path(file).write_text("".join(f"{match} {number} {own}\n" for match, number, own in times))
