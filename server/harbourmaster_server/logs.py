"""One line per event: text for people, JSON for programs."""

import json as json_text
import logging
from typing import TextIO

import structlog

from harbourmaster_server.unblocked import Unblocked, standard_error


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
    return log


def _note_as_json(lines: int) -> str:
    return json_text.dumps({"event": "lines were dropped", "lines": lines, "level": "warning"})
