"""One line per event: text for people, JSON for programs."""

import json as json_text
import logging
from typing import Final, TextIO

import structlog

from harbourmaster_server.unblocked import Unblocked, standard_error

PEER_WENT: Final = "ExecuteBatchError raised in core by servicer method"
"""How gRPC begins to say that a call ended while something was written to it."""


def set_up_logging(
    *, json: bool = False, level: str = "info", stream: TextIO | None = None
) -> structlog.stdlib.BoundLogger:
    """Return the log, which writes to *stream* (standard error by default).

    Nobody who logs to standard error waits for its reader; see `unblocked`.
    """
    out = stream or standard_error()
    if isinstance(out, Unblocked) and json:
        out.note = _note_as_json
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if json
        else structlog.dev.ConsoleRenderer(colors=out.isatty(), pad_event_to=18)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        logger_factory=structlog.WriteLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    log: structlog.stdlib.BoundLogger = structlog.get_logger()
    _take_over(log)
    return log


class FromLibraries(logging.Handler):
    """Hands on to the log what libraries say, which would go to standard error by itself."""

    def __init__(self, log: structlog.stdlib.BoundLogger) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Log *record*; that a peer went away in the middle of a call is nothing to tell of."""
        text = record.getMessage()
        if text.startswith(PEER_WENT):
            self._log.debug(text, library=record.name)
        else:
            self._log.log(record.levelno, text, library=record.name, exc_info=record.exc_info)


def _take_over(log: structlog.stdlib.BoundLogger) -> None:
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, FromLibraries):
            root.removeHandler(handler)
    root.addHandler(FromLibraries(log))


def _note_as_json(lines: int) -> str:
    return json_text.dumps({"event": "lines were dropped", "lines": lines, "level": "warning"})
