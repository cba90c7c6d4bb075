"""The referee's side of launched bots: start them, wait for them, and end them all."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from harbourmaster_server.launching.ending import BotExit, ExitReport, ending_of, unknown_ending
from harbourmaster_server.launching.environment import bot_environment
from harbourmaster_server.launching.errors import BotCommandError, LaunchError
from harbourmaster_server.launching.leftovers import kill_leftovers, wardens
from harbourmaster_server.launching.spec import LaunchSpec

WARDEN = Path(__file__).with_name("warden.py")
START_SECONDS = 30.0
"""Time for a warden to come up and start its bot; long, for machines under full load."""
PATIENCE = 10.0
"""Time after a bot's deadline in which its warden must have reported; then it is given up."""
MESSAGE_BYTES = 1 << 20
BURIAL_SECONDS = 0.005
BURIAL_TRIES = 1000


class Launcher:
    """Owns launched bots; use it as `async with`. When it is left, none of them is alive.

    That holds for a normal end, an exception and a cancellation alike. All bots are asked to end at
    once and have their time in parallel; a cancellation while they have it kills them immediately.
    """

    def __init__(self) -> None:
        self._bots: set[LaunchedBot] = set()
        self._open = False

    @property
    def bots(self) -> frozenset[LaunchedBot]:
        """The bots that are not known to be dead."""
        return frozenset(self._bots)

    async def launch(self, spec: LaunchSpec) -> LaunchedBot:
        """Start a bot, and return once its program runs (which says nothing of its connecting).

        Raises `BotCommandError` if the command is empty, does not exist or cannot be executed, and
        `LaunchError` for everything else: folder, limits, stderr file, a launcher that is closed.
        """
        if not self._open:
            raise LaunchError(f"bot {spec.name!r}: the launcher is not open; use `async with`")
        bot = LaunchedBot(spec, self._bots.discard)
        bot.begin()
        self._bots.add(bot)
        try:
            async with asyncio.timeout(START_SECONDS):
                await bot.started()
        except BaseException as error:
            bot.ask_to_stop(0.0)
            if isinstance(error, TimeoutError):
                raise LaunchError(
                    f"bot {spec.name!r}: it did not start within {START_SECONDS:g} s; "
                    "the machine may be overloaded"
                ) from error
            raise
        return bot

    async def stop_all(self, seconds: float | None = None) -> None:
        """End all bots in parallel; each has *seconds*, or its own shutdown time."""
        await asyncio.gather(*(bot.stop(seconds) for bot in self._bots))

    async def __aenter__(self) -> Self:
        self._open = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open = False
        stopping = asyncio.ensure_future(self.stop_all())
        try:
            await asyncio.shield(stopping)
        except asyncio.CancelledError:
            for bot in self._bots:
                bot.ask_to_stop(0.0)
            await stopping
            raise


class LaunchedBot:
    """A bot that this referee started, together with its warden. Made by `Launcher.launch`."""

    def __init__(self, spec: LaunchSpec, forget: Callable[[LaunchedBot], None]) -> None:
        self.spec = spec
        self.launch_id = secrets.token_hex(16)
        self._forget = forget
        self._loop = asyncio.get_running_loop()
        self._started: asyncio.Future[int | LaunchError] = self._loop.create_future()
        self._exit: asyncio.Future[BotExit] = self._loop.create_future()
        self._report: ExitReport | None = None
        self._seconds: float | None = None
        self._fresh_folder: Path | None = None
        self._control: socket.socket
        self._warden: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        """The process id of the bot; it leads its own session and process group."""
        outcome = self._started.result()
        if isinstance(outcome, LaunchError):
            raise outcome
        return outcome

    @property
    def running(self) -> bool:
        """Whether the bot, or anything that it started, may still be alive."""
        return not self._exit.done()

    def begin(self) -> None:
        """Start the warden and give it its order; raises as `Launcher.launch` does."""
        try:
            order = self._order()
            self._control, self._warden = start_warden(order)
            wardens.add(self._warden.pid)
        except OSError as error:
            if self._fresh_folder is not None:
                shutil.rmtree(self._fresh_folder, ignore_errors=True)
            raise LaunchError(f"bot {self.spec.name!r}: cannot be launched: {error}") from error
        self._loop.add_reader(self._control, self._hear)

    async def started(self) -> None:
        """Wait until the bot's program runs; raises as `Launcher.launch` does."""
        outcome = await asyncio.shield(self._started)
        if isinstance(outcome, LaunchError):
            await self.wait()
            raise outcome

    async def wait(self) -> BotExit:
        """Wait until the bot and all its descendants are dead, and return how it ended."""
        return await asyncio.shield(self._exit)

    async def stop(self, seconds: float | None = None) -> BotExit:
        """Ask the bot to end, kill it after *seconds* (its own shutdown time if `None`), and wait.

        A bot that is dead already is left as it is. Returns how it ended.
        """
        seconds = self.spec.shutdown_seconds if seconds is None else seconds
        self.ask_to_stop(seconds)
        try:
            async with asyncio.timeout(seconds + PATIENCE):
                return await self.wait()
        except TimeoutError:
            self._warden.kill()
            return await self.wait()

    def ask_to_stop(self, seconds: float) -> None:
        """Ask the bot to end within *seconds*, without waiting; 0 kills it at once.

        Asking again can only shorten the time.
        """
        self._seconds = seconds if self._seconds is None else min(self._seconds, seconds)
        with contextlib.suppress(OSError):
            self._control.send(json.dumps({"stop": seconds}).encode())

    def _order(self) -> dict[str, object]:
        """Return what the warden is to do; see `warden.Order`."""
        spec, limits = self.spec, self.spec.limits
        words = spec.words(Path.cwd())
        if spec.stderr_file is not None:
            spec.stderr_file.parent.mkdir(parents=True, exist_ok=True)
        if spec.folder is None:
            self._fresh_folder = Path(tempfile.mkdtemp(prefix="harbourmaster-bot-"))
        folder = os.path.abspath(self._fresh_folder or spec.folder or ".")
        temporary = folder if self._fresh_folder else None
        return {
            "referee": os.getpid(),
            "command": words,
            "environment": bot_environment(os.environ, spec.environment, self.launch_id, temporary),
            "folder": folder,
            "fresh_folder": self._fresh_folder is not None,
            "stderr_file": os.path.abspath(spec.stderr_file) if spec.stderr_file else None,
            "stderr_bytes": spec.stderr_bytes,
            "shutdown": spec.shutdown_seconds,
            "memory": limits.memory,
            "cpu": limits.cpu_seconds,
            "file_size": limits.file_size,
            "open_files": limits.open_files,
        }

    def _hear(self) -> None:
        """Take one message of the warden; the end of its socket means that it is gone."""
        try:
            heard = self._control.recv(MESSAGE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            heard = b""
        if heard:
            self._note(json.loads(heard))
            return
        self._loop.remove_reader(self._control)
        self._control.close()
        self._bury_warden()

    def _note(self, message: dict[str, Any]) -> None:
        """Remember what the warden reported; it counts once the warden itself is gone."""
        match message:
            case {"event": "started", "pid": pid}:
                self._started.set_result(pid)
            case {"event": "failed", "step": step, "problem": problem}:
                self._started.set_result(start_error(self.spec, step, problem))
            case {"event": "exited", "report": report}:
                self._report = report

    def _bury_warden(self, tries: int = BURIAL_TRIES) -> None:
        """Collect the dead warden; a moment passes between the end of its socket and its own."""
        if self._warden.poll() is None:
            if tries == 0:
                self._warden.kill()
            self._loop.call_later(BURIAL_SECONDS, self._bury_warden, tries - 1)
            return
        wardens.discard(self._warden.pid)
        if self._report is not None:
            spec = self.spec
            given = spec.shutdown_seconds if self._seconds is None else self._seconds
            self._end(ending_of(self._report, spec.limits, given, spec.stderr_file))
        else:
            self._loop.run_in_executor(
                None, kill_leftovers, self.launch_id, self._fresh_folder
            ).add_done_callback(self._end_unreported)

    def _end_unreported(self, sweep: asyncio.Future[list[int]]) -> None:
        """Settle a launch whose warden said nothing at the end, once its leftovers are dead."""
        reason = f"its warden died (status {self._warden.returncode}), so it was killed"
        if not self._started.done():
            self._started.set_result(LaunchError(f"bot {self.spec.name!r}: {reason}"))
        self._end(unknown_ending(reason, self.spec.stderr_file, sweep.result()))

    def _end(self, ending: BotExit) -> None:
        self._forget(self)
        self._exit.set_result(ending)


def start_warden(order: dict[str, object]) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start a warden with its *order*, and return the socket to it and its process.

    The order goes over the socket, for command lines can be read by every user of the machine.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        ours.setblocking(False)
        ours.send(json.dumps(order).encode())
        warden = subprocess.Popen(
            [sys.executable, "-I", "-S", "-E", str(WARDEN), str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            cwd="/",
            env={},
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    return ours, warden


def start_error(spec: LaunchSpec, step: str, problem: str) -> LaunchError:
    """Say why a bot did not start; *step* and *problem* are the warden's."""
    bot = f"bot {spec.name!r}"
    if step == "command":
        program = spec.words(Path.cwd())[0]
        return BotCommandError(
            f"{bot}: cannot run {program!r}: {problem}; give a program on PATH, or the path of an "
            "executable file (a script needs a first line that begins with #!)"
        )
    if step == "folder":
        return LaunchError(f"{bot}: cannot enter its folder {spec.folder}: {problem}")
    return LaunchError(f"{bot}: cannot set up its {step}: {problem}")
