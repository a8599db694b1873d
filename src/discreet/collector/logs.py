"""The log of the service: a line of JSON for each event, and one now and then for all traffic together.

No line is about one request: a line for each upload, with its time, would give every stored report its time of day.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, TextIO

from ..core.errors import StoreFailed

LOGGER = logging.getLogger("discreet.collector")


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON: time, level, event and what belongs to it; of an error its kind and place.

    What a store says of its disk or database repeats nothing that was sent, and tells the operator what to mend.
    """

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        line: dict[str, Any] = {"time": moment, "level": record.levelname.lower(), "event": record.getMessage()}
        line |= getattr(record, "about", {})
        if record.exc_info and record.exc_info[0] is not None:
            line |= {"error": record.exc_info[0].__name__, "at": _error_place(record.exc_info[2])}
            if isinstance(problem := record.exc_info[1], StoreFailed):
                line["reason"] = str(problem)
        return json.dumps(line, ensure_ascii=True)


def _error_place(trace: TracebackType | None) -> str:
    """Where an error was raised, as file and line; its message may repeat what was sent, so it is not kept."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"


def set_up_logs(stream: TextIO | None = None) -> None:
    """Write logs to standard error, or to `stream`; those of the server below only from warnings on."""
    handler = logging.StreamHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(JsonFormatter())
    for name, level in (("discreet.collector", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(level)
        logger.propagate = False
    for name in ("uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logging.getLogger(name).handlers[:] = []
        logging.getLogger(name).propagate = name == "uvicorn.error"
        logging.getLogger(name).setLevel(logging.WARNING)


def log_event(name: str, **about: Any) -> None:
    """Log an event."""
    LOGGER.info(name, extra={"about": about})


def log_failure(name: str, problem: BaseException) -> None:
    """Log an unexpected error."""
    LOGGER.error(name, exc_info=problem)
