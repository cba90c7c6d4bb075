"""`play`: a blocking function that turns a function of a decision into a bot."""

import asyncio
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Final

from harbourmaster import _settings
from harbourmaster._messages import write_reply
from harbourmaster._session import Asked, Closed, Ended, Happened, News, Session, Started
from harbourmaster._settings import Settings
from harbourmaster._values import Choose, Decision, Match, Result, resign
from harbourmaster.v1 import bot_service_pb2 as pb

Log = Callable[[str], None]

_STOP_SECONDS: Final = 5.0


def say(text: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"harbourmaster: {text}\n")
    sys.stderr.flush()


def play(
    choose: Choose,
    *,
    address: str | None = None,
    token: str | None = None,
    name: str | None = None,
    version: str | None = None,
    games: Iterable[str | pb.GameSupport] | None = None,
    open_matches: int = 1,
    open_decisions: int = 1,
    offered_moves: bool = True,
    reconnect: bool = True,
    give_up_after: float = 60.0,
    tls: bool | str | Path | None = None,
    resign_on_error: bool = False,
    on_start: Callable[[Match], object] | None = None,
    on_end: Callable[[Result], object] | None = None,
    on_event: Callable[[Match, Any], object] | None = None,
    log: Log | None = say,
) -> None:
    """Play matches, answering every decision with what *choose* returns, until the session ends.

    At SIGINT or SIGTERM it takes no more matches and plays the open ones; a second one ends it.

    - *address*: `host:port` of the referee; else HARBOURMASTER_ADDRESS; else `DEFAULT_ADDRESS`.
    - *token*: who the bot is; else HARBOURMASTER_TOKEN. A referee in open mode needs none.
    - *name*: what the bot is called in tables, 1 to 64 characters; else the program's name.
    - *version*: the bot's own version, to show.
    - *games*: the ids of the games that it plays; without, any.
    - *open_matches*: how many matches it plays at once.
    - *open_decisions*: how many decisions it works on at once. With 1, *choose* is called in the
      thread that called `play`; with more, in that many threads at the same time.
    - *offered_moves*: whether decisions shall come with moves to choose from.
    - *reconnect*: whether to connect again after a drop and take up every open match.
    - *give_up_after*: after how many seconds without a connection to give up, at the earliest after
      the time for which the referee keeps a session.
    - *tls*: whether to encrypt, or the file with the certificates to trust; else HARBOURMASTER_TLS.
    - *resign_on_error*: whether to show what *choose* raises and resign, instead of ending.
    - *on_start* is called before a match begins: no clock runs before it returns. *on_end* is
      called when a match is over, *on_event* with every event as it happens.
    - *log* is called with each sentence about connections and matches; `None` for silence.

    Raises what `errors` draws, and whatever *choose* or another function of the bot raises.
    """
    settings = Settings(
        address=_settings.settled_address(address),
        token=_settings.settled_token(token),
        name=_settings.settled_name(name),
        games=_settings.settled_games(games),
        open_matches=open_matches,
        open_decisions=open_decisions,
        offered_moves=offered_moves,
        match_events=on_event is not None,
        reconnect=reconnect,
        give_up_after=give_up_after,
        tls=_settings.settled_tls(tls),
        software_version=version or _settings.SOFTWARE_VERSION,
    )
    hooks = _Hooks(choose, resign_on_error, on_start, on_end, on_event, log or _silence)
    _Player(settings, hooks).play()


@dataclass(frozen=True, slots=True)
class _Hooks:
    """The bot's own functions."""

    choose: Choose
    resign_on_error: bool
    on_start: Callable[[Match], object] | None
    on_end: Callable[[Result], object] | None
    on_event: Callable[[Match, Any], object] | None
    log: Log

    def reply(self, decision: Decision) -> pb.MoveReply:
        """Return the bot's answer to *decision* as a message."""
        try:
            return write_reply(decision, self.choose(decision))
        except Exception:
            if not self.resign_on_error:
                raise
            traceback.print_exc()
            self.log(f"match {decision.match.id}: choose failed; resigning")
            return write_reply(decision, resign)


class _Player:
    """A session in a thread of its own, and the bot in the thread that calls `play`."""

    def __init__(self, settings: Settings, hooks: _Hooks) -> None:
        self._hooks = hooks
        self._inbox: SimpleQueue[News] = SimpleQueue()
        self._work: SimpleQueue[Decision | None] = SimpleQueue()
        self._workers = settings.open_decisions if settings.open_decisions > 1 else 0
        self._loop = asyncio.new_event_loop()
        self._session = Session(
            settings, self._inbox, hooks.log, ready_at_once=hooks.on_start is None
        )
        self._task = self._loop.create_task(self._session.run())

    def play(self) -> None:
        """Do what the inbox says until the session is over."""
        connecting = threading.Thread(target=self._connect, name="harbourmaster", daemon=True)
        with _polite_signals(lambda: self._post(self._session.leave)):
            connecting.start()
            # Daemons, so that one that hangs does not keep the process.
            for _ in range(self._workers):
                threading.Thread(target=self._choose_on, daemon=True).start()
            try:
                while not self._handle(_next(self._inbox)):
                    pass
            finally:
                for _ in range(self._workers):
                    self._work.put(None)
                self._post(self._task.cancel)
                connecting.join(_STOP_SECONDS)

    def _handle(self, news: News) -> bool:
        """Do what *news* asks for; return whether it was the last."""
        match news:
            case Asked(decision) if self._workers:
                self._work.put(decision)
            case Asked(decision):
                self._choose(decision)
            case Started(match):
                if self._hooks.on_start is not None:
                    self._hooks.on_start(match)
                self._post(self._session.ready, match)
            case Happened(match, events):
                for event in events:
                    if self._hooks.on_event is not None:
                        self._hooks.on_event(match, event)
            case Ended(result):
                if self._hooks.on_end is not None:
                    self._hooks.on_end(result)
            case Closed(error):
                if error is not None:
                    raise error
                return True
        return False

    def _choose(self, decision: Decision) -> None:
        # It may have waited here while its time ran out.
        if self._session.is_open(decision):
            self._post(self._session.answer, decision, self._hooks.reply(decision))

    def _choose_on(self) -> None:
        """Answer decisions, as one of several threads."""
        while (decision := self._work.get()) is not None:
            try:
                self._choose(decision)
            except BaseException as error:
                self._inbox.put(Closed(error))

    def _post(self, call: Callable[..., object], *values: object) -> None:
        """Call *call* in the session's thread, unless that has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call, *values)

    def _connect(self) -> None:
        """Run the session; the only thing that its thread does."""
        error: BaseException | None = None
        try:
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            pass
        except BaseException as raised:
            error = raised
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
            self._inbox.put(Closed(error))


@contextmanager
def _polite_signals(leave: Callable[[], object]) -> Iterator[None]:
    """Call *leave* at the first SIGINT or SIGTERM; only the main thread can do that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = False

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise SystemExit(128 + number)
        asked = True
        leave()

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def _next(inbox: "SimpleQueue[News]") -> News:
    """Wait for news. Windows handles signals only between two waits."""
    if os.name != "nt":
        return inbox.get()
    while True:
        with suppress(Empty):
            return inbox.get(timeout=0.5)


def _silence(text: str) -> None:
    pass
