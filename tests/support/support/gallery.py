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
from harbourmaster.v1 import match_service_pb2_grpc

PER_CHANNEL = 50


async def read(call: Any, there: asyncio.Semaphore) -> int:
    """Read to the end and return how many events came."""
    await call.read()
    there.release()
    count = 0
    while (message := await call.read()) is not grpc.aio.EOF:
        count += len(message.events.events)
        if message.HasField("outcome"):
            break
    return count


async def main(address: str, match_id: str, count: int, say: Callable[[str], object]) -> None:
    """Watch until the match is over."""
    channels = [
        grpc.aio.insecure_channel(address, options=[("gallery", number)])
        for number in range(-(-count // PER_CHANNEL))
    ]
    request = pb.WatchMatchRequest(match_id=match_id)
    stubs = map(match_service_pb2_grpc.MatchServiceStub, channels)
    calls: list[Any] = [stub.WatchMatch(request) for stub in stubs for _ in range(PER_CHANNEL)]
    there = asyncio.Semaphore(0)
    readers = [asyncio.create_task(read(call, there)) for call in calls[: count // 2]]
    for _ in readers:
        await there.acquire()
    say("there\n")
    told = await asyncio.gather(*readers)
    say("\n".join(map(str, told)) + "\n")


if __name__ == "__main__":
    # Watchers sit at other machines; here they get what the players leave.
    os.nice(19)
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]).write_text))
