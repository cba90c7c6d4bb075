"""One line per event: text for people, JSON for programs."""

import logging
import sys
from typing import TextIO

import structlog


def set_up_logging(
    *, json: bool = False, level: str = "info", stream: TextIO | None = None
) -> structlog.stdlib.BoundLogger:
    """Return the log, which writes to *stream* (standard error by default)."""
    out = stream or sys.stderr
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
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    log: structlog.stdlib.BoundLogger = structlog.get_logger()
    return log
