"""A small HTTP server for metrics, which no client can make large.

It shares the process with the referee: whoever opens connections to it and says nothing must not
use up the files and threads that matches need.
"""

import contextlib
import socket
import threading
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app

CLIENTS: Final = 16
"""How many connections are served at once; what comes on top is closed."""
SECONDS: Final = 10.0
"""How long a connection may last: one that is slower is closed."""


class _Handler(WSGIRequestHandler):
    """Serves one request and logs nothing."""

    def handle(self) -> None:
        """Serve the request, unless it takes too long."""
        closing = threading.Timer(SECONDS, _shut, [self.connection])
        closing.daemon = True
        closing.start()
        try:
            super().handle()
        finally:
            closing.cancel()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class _Server(ThreadingMixIn, WSGIServer):
    """Serves a few connections at once, each in a thread of its own."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, family: socket.AddressFamily, address: Any) -> None:
        self.address_family = family
        self._free = threading.BoundedSemaphore(CLIENTS)
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind, without asking the network for the name of this machine."""
        with contextlib.suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "localhost", self.server_address[1]
        self.setup_environ()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve *request* in a thread, or close it if too many are being served."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve *request*, and make room for another one."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that go away or are too slow."""


def _shut(connection: socket.socket) -> None:
    """End *connection*, whatever is read from it or written to it right now."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def serve_registry(registry: CollectorRegistry, host: str, port: int) -> Iterator[int]:
    """Serve the metrics of *registry* on *host* and *port* (0 for a free one); yield the port.

    Raises `OSError` if it cannot listen there.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, address = found[0]
    server = _Server(family, address)
    server.set_app(make_wsgi_app(registry))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
