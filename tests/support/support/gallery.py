"""Many watchers of one match in one process, of which every second one never reads.

Run as `python -m support.gallery ADDRESS MATCH COUNT FILE`: when every reader has got its first
message the process writes `there` to FILE; when all readers were told of the end, how many events
each of them got.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc

from harbourmaster.v1 import match_service_pb2 as pb

WATCH_MATCH = "/harbourmaster.v1.MatchService/WatchMatch"
PER_CHANNEL = 50


async def read(call: Any, there: asyncio.Semaphore) -> list[bytes]:
    """Read to the end and return all messages, which take the least time unparsed."""
    messages = [await call.read()]
    there.release()
    while (message := await call.read()) is not grpc.aio.EOF:
        messages.append(message)
    return messages


def events_in(messages: list[bytes]) -> int:
    """Return how many events came, of a match that was watched to its end."""
    parsed = list(map(pb.WatchMatchResponse.FromString, messages))
    assert parsed[-1].HasField("outcome")
    return sum(len(message.events.events) for message in parsed)


async def main(address: str, match_id: str, count: int, say: Callable[[str], object]) -> None:
    """Watch until the match is over."""
    channels = [
        grpc.aio.insecure_channel(address, options=[("gallery", number)])
        for number in range(-(-count // PER_CHANNEL))
    ]
    request = pb.WatchMatchRequest(match_id=match_id).SerializeToString()
    watch: list[Any] = [channel.unary_stream(WATCH_MATCH) for channel in channels]
    calls: list[Any] = [each(request) for each in watch for _ in range(PER_CHANNEL)]
    there = asyncio.Semaphore(0)
    readers = [asyncio.create_task(read(call, there)) for call in calls[: count // 2]]
    for _ in readers:
        await there.acquire()
    say("there\n")
    told = await asyncio.gather(*readers)
    say("\n".join(map(str, map(events_in, told))) + "\n")


if __name__ == "__main__":
    # Watchers sit at other machines; here they get only what the players leave.
    os.nice(19)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]).write_text))
