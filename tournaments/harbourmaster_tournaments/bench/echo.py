"""A bare echo over `grpc.aio`, to hold the referee against: same loop, same options, no game.

Run as a module it is the server; `measure_echo` is the client. Each exchange is one message out and
one in, of the sizes that the referee's own exchanges had in the same run.
"""

import asyncio
import sys
from typing import Any

import grpc

from harbourmaster_server.server import OPTIONS
from harbourmaster_server.timekeeping import new_event_loop
from harbourmaster_tournaments.bench.processes import Child

METHOD = "/harbourmaster.bench.Echo/Echo"


async def serve(size: int) -> None:
    """Answer every message with one of *size* bytes, until the process is ended."""
    answer = bytes(size)

    async def echo(_: Any, context: "grpc.aio.ServicerContext[Any, Any]") -> None:
        await context.write(answer)
        while await context.read() is not grpc.aio.EOF:
            await context.write(answer)

    handler: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(echo)
    server = grpc.aio.server(options=OPTIONS)
    service, method = METHOD.strip("/").split("/")
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {method: handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"listening on 127.0.0.1:{port}\n")
    sys.stdout.flush()
    await server.wait_for_termination()


async def measure_echo(server: Child, streams: int, exchanges: int, size: int) -> float:
    """Return the server's microseconds of processor time for each exchange.

    *exchanges* in all go over *streams* streams, four to a connection.
    """
    channels = [
        grpc.aio.insecure_channel(server.address, options=[("bench.channel", n)])
        for n in range(-(-streams // 4))
    ]
    message = bytes(size)
    each = max(1, exchanges // streams)
    ready = asyncio.Barrier(streams + 1)
    finished = asyncio.Barrier(streams + 1)

    async def stream(channel: grpc.aio.Channel) -> None:
        call: Any = channel.stream_stream(METHOD)()
        await call.read()
        await ready.wait()
        for _ in range(each):
            await call.write(message)
            await call.read()
        await finished.wait()
        await call.done_writing()

    async with asyncio.TaskGroup() as tasks:
        for number in range(streams):
            tasks.create_task(stream(channels[number // 4]))
        await ready.wait()
        before = server.cpu_seconds()
        await finished.wait()
        used = server.cpu_seconds() - before
    for channel in channels:
        await channel.close()
    return used / (each * streams) * 1e6


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(serve(int(sys.argv[1])))
