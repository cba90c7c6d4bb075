"""The warden: one small process that starts one bot and sees to it that nothing of it survives.

The referee runs this file as a script (`python -I -S -E warden.py FD`), once per launched bot, and
talks to it over the socket FD. It needs nothing but the standard library, and no import of ours.

Why a process of its own: a referee that is killed with -9 can clean up nothing. The warden notices
that its socket closed, and ends the bot. It is a *child subreaper* (prctl(2)): a descendant whose
parent dies becomes its child, however often it forked or called setsid. So "`wait` says that there
is no child left" is the same as "nothing of this bot is alive", and needs no trust in a list.

The socket keeps messages apart (SOCK_SEQPACKET), each is one JSON object. From the referee: first
the order (`Order`), then any number of `{"stop": SECONDS}`. From the warden: `started` with the
pid, or `failed` with the step and the problem; at the end, when all are dead, `exited`.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import IO, TypedDict

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

TICK = 1.0
"""Seconds between two looks at whether the referee is still the parent."""
LIMIT_TICK = 0.1
"""Seconds between two looks at memory and processor time, when there is a limit."""
SCAN_INTERVAL = 1.0
"""Least seconds between two searches of /proc for new descendants, when there is a limit."""
SCAN_SHARE = 200
"""A search that took t seconds is not repeated for 200 t: at most 0.5 % of a core."""
KILL_PATIENCE = 5.0
"""Seconds of killing after which what is left (in the kernel, or another user's) is reported."""
TAIL_BYTES = 2048
CHUNK_BYTES = 65536
MESSAGE_BYTES = 1 << 20
LAST_CHUNKS = 64
SHARES_TOLD = os.path.exists("/proc/self/smaps_rollup")
"""Pieces of output read once all are dead: more than a pipe holds, should a stranger hold it."""
MARK_ROOM = 100


class Order(TypedDict):
    """What the referee wants to be run."""

    referee: int
    command: list[str]
    environment: dict[str, str]
    folder: str
    fresh_folder: bool
    stderr_file: str | None
    stderr_bytes: int
    shutdown: float
    memory: int | None
    cpu: float | None
    file_size: int | None
    open_files: int | None


class Process(TypedDict):
    """One line of the process table: group, parent, memory (bytes), processor time (seconds)."""

    parent: int
    group: int
    memory: int
    cpu: float


def prctl(option: int, value: int) -> None:
    """Call prctl(2), which the standard library lacks."""
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")


# The process tree


def look_at(pid: int) -> Process | None:
    """Read one process from /proc/PID/stat (proc(5)), or `None` if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    ticks = sum(int(field) for field in fields[11:15])
    return {
        "parent": int(fields[1]),
        "group": int(fields[2]),
        "memory": int(fields[21]) * resource.getpagesize(),
        "cpu": ticks / os.sysconf("SC_CLK_TCK"),
    }


def descendants(root: int) -> dict[int, Process]:
    """Return all living or unreaped descendants of *root*, by process id."""
    children: dict[int, list[int]] = {}
    table: dict[int, Process] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (process := look_at(int(name))) is not None:
            table[int(name)] = process
            children.setdefault(process["parent"], []).append(int(name))
    found: dict[int, Process] = {}
    waiting = children.get(root, [])
    while waiting:
        pid = waiting.pop()
        found[pid] = table[pid]
        waiting += children.get(pid, [])
    return found


def shared_fairly(pid: int, resident: int) -> int:
    """Return its memory in bytes, a shared page by its share; *resident* if that is not told."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line[:4] == b"Pss:")
    except (OSError, StopIteration) as error:
        return resident if isinstance(error, PermissionError) or not SHARES_TOLD else 0


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process, or to group g as process -g, if it is there and ours."""
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def kill(pid: int, group: int) -> None:
    """Kill a process, and with it the rest of its group unless that is the warden's own.

    A group is killed in one step of the kernel, so a bot cannot outrun it by forking. The warden
    leads a session, so every other group among its descendants holds descendants only.
    """
    send(pid, signal.SIGKILL)
    if group != os.getpgrp():
        send(-group, signal.SIGKILL)


# What the bot prints


class CappedLog:
    """A file with the first and the newest part of what a bot printed, never over *cap* bytes.

    The first half is written as it comes; the newest is held here and written at the end, after a
    line that says how much is missing in between. A disk that is full costs the file, not the bot.
    """

    def __init__(self, path: str | None, cap: int) -> None:
        self.problem = ""
        self.total = 0
        self.tail = b""
        self._room = cap // 2
        self._newest_room = cap - cap // 2 - MARK_ROOM
        self._newest = bytearray()
        self._newest_total = 0
        self._file: IO[bytes] | None = open(path, "wb", buffering=0) if path else None  # noqa: SIM115

    def write(self, chunk: bytes) -> None:
        """Take the next bytes; never raises, and never keeps more than the cap."""
        self.total += len(chunk)
        self.tail = (self.tail + chunk)[-TAIL_BYTES:]
        first, rest = chunk[: self._room], chunk[self._room :]
        self._room -= len(first)
        self._store(first)
        self._newest_total += len(rest)
        self._newest += rest
        if len(self._newest) > 2 * self._newest_room:
            del self._newest[: -self._newest_room]

    def close(self) -> None:
        """Write the newest part, and before it what is missing."""
        newest = bytes(self._newest[-self._newest_room :])
        if missing := self._newest_total - len(newest):
            self._store(b"\n[%d bytes were left out here]\n" % missing)
        self._store(newest)
        if self._file:
            self._file.close()

    def _store(self, data: bytes) -> None:
        while data and self._file and not self.problem:
            try:
                data = data[self._file.write(data) :]
            except OSError as error:
                self.problem = f"cannot write the bot's output: {error.strerror}"


# Starting the bot


class StartError(Exception):
    """The bot could not be started; the step is "command", "folder", "limits" or "output"."""

    def __init__(self, step: str, problem: str) -> None:
        super().__init__(problem)
        self.step = step
        self.problem = problem


def start(order: Order, output: int) -> int:
    """Start the bot with its output going to the descriptor *output*, and return its process id."""
    reader, writer = os.pipe()
    warden = os.getpid()
    pid = os.fork()
    if pid == 0:
        become_the_bot(order, output, writer, warden)
    os.close(writer)
    with open(reader, "rb") as pipe:
        trouble = pipe.read()
    if trouble:
        os.waitpid(pid, 0)
        step, problem = json.loads(trouble)
        raise StartError(step, problem)
    return pid


def become_the_bot(order: Order, output: int, trouble: int, warden: int) -> None:
    """Turn this fresh child into the bot, or end it and write [step, problem] to *trouble*.

    Should the warden be killed, the kernel kills the bot (its descendants are then the launcher's
    affair): hence the look at the parent, which may have died before the kernel was told.
    """
    step = "limits"
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != warden:
            return
        set_limits(order)
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        step = "folder"
        os.chdir(order["folder"])
        step = "command"
        os.execvpe(order["command"][0], order["command"], order["environment"])
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        os.write(trouble, json.dumps([step, problem]).encode())
    finally:
        os._exit(127)


def set_limits(order: Order) -> None:
    """Set the limits that the kernel keeps, and offer the bot first when memory runs out."""
    wanted = [(resource.RLIMIT_CORE, 0)]
    if order["file_size"] is not None:
        wanted.append((resource.RLIMIT_FSIZE, order["file_size"]))
    if order["open_files"] is not None:
        wanted.append((resource.RLIMIT_NOFILE, order["open_files"]))
    for kind, value in wanted:
        resource.setrlimit(kind, (value, value))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def remove_folder(folder: str) -> None:
    """Remove a folder and all in it, as far as that is allowed; links are not followed."""
    for base, folders, files in os.walk(folder, topdown=False):
        for name in files + folders:
            path = os.path.join(base, name)
            with contextlib.suppress(OSError):
                (os.rmdir if name in folders and not os.path.islink(path) else os.unlink)(path)
    with contextlib.suppress(OSError):
        os.rmdir(folder)


# The watch


class Warden:
    """Watches one bot from its start until nothing of it is left."""

    def __init__(self, control: socket.socket, order: Order) -> None:
        self.control = control
        self.order = order
        self.cause = "ended"
        self.forced = False
        self.status: int | None = None
        self.peak = 0
        self.cpu = 0.0
        self.alive = True
        self._bot = 0
        self._stop_at: float | None = None
        self._tree: set[int] = set()
        self._next_scan = 0.0
        self._log = CappedLog(order["stderr_file"], order["stderr_bytes"])
        self._output, self._bot_output = os.pipe()
        os.set_blocking(self._output, False)
        self._limited = order["memory"] is not None or order["cpu"] is not None
        self._poll = select.poll()

    def run(self) -> None:
        """Start the bot, watch it, end it, and report; raises `StartError` if it cannot start."""
        child_ended, wakeup = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, do_nothing)
        try:
            self._bot = start(self.order, self._bot_output)
        finally:
            os.close(self._bot_output)
        report(self.control, {"event": "started", "pid": self._bot})
        for descriptor in (child_ended, self._output, self.control.fileno()):
            self._poll.register(descriptor, select.POLLIN)
        self._reap()
        while not self._over():
            self._watch(child_ended)
        survivors = self.end_all()
        self._close(survivors)

    def end_all(self) -> list[int]:
        """Kill every descendant, and theirs, until none is left; return what would not die."""
        give_up = time.monotonic() + KILL_PATIENCE
        if self.status is None and self._bot:
            kill(self._bot, self._bot)
        self._reap()
        while self.alive:
            found = descendants(os.getpid())
            for pid, process in found.items():
                kill(pid, process["group"])
            if time.monotonic() > give_up:
                return sorted(found)
            time.sleep(0.002)
            self._reap()
        return []

    def _over(self) -> bool:
        """Is it time to kill? Once asked to stop, the whole tree may use the time to tidy up."""
        if self.cause in ("memory", "cpu") or not self.alive:
            return True
        if self._stop_at is None:
            return self.status is not None
        self.forced = time.monotonic() >= self._stop_at
        return self.forced

    def _watch(self, child_ended: int) -> None:
        """Wait for news, at most until the next look at the limits or the deadline."""
        seconds = LIMIT_TICK if self._limited else TICK
        if self._stop_at is not None:
            seconds = min(seconds, max(0.0, self._stop_at - time.monotonic()))
        for descriptor, _ in self._poll.poll(seconds * 1000 + 1):
            if descriptor == self._output:
                self._read_output()
            elif descriptor == child_ended:
                os.read(child_ended, 4096)
            else:
                self._obey()
        self._reap()
        if self._stop_at is None and os.getppid() != self.order["referee"]:
            self._ask_to_stop("orphaned", self.order["shutdown"])
        if self._limited:
            self._check_limits()

    def _obey(self) -> None:
        """Read what the referee says; its silence for ever (end of file) is an order as well."""
        if heard := hear(self.control):
            self._ask_to_stop("stopped", float(json.loads(heard)["stop"]))
        else:
            self._poll.unregister(self.control.fileno())
            self._ask_to_stop("orphaned", self.order["shutdown"])

    def _ask_to_stop(self, cause: str, seconds: float) -> None:
        """Ask the bot and all its descendants to end; asking again may only shorten the time."""
        deadline = time.monotonic() + seconds
        if self._stop_at is None:
            self.cause = cause
            self._stop_at = deadline
            send(-self._bot, signal.SIGTERM)
            for pid, process in descendants(os.getpid()).items():
                if process["group"] != self._bot:
                    send(pid, signal.SIGTERM)
        self._stop_at = min(self._stop_at, deadline)

    def _read_output(self) -> bool:
        """Take one piece of output; `False` if there is none for now or for ever."""
        try:
            chunk = os.read(self._output, CHUNK_BYTES)
        except BlockingIOError:
            return False
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._output)
        self._log.write(chunk)
        return bool(chunk)

    def _reap(self) -> None:
        """Collect the dead; afterwards `alive` says whether any descendant is left."""
        try:
            while True:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
                if pid == 0:
                    return
                self.peak = max(self.peak, usage.ru_maxrss * 1024)
                self.cpu += usage.ru_utime + usage.ru_stime
                if pid == self._bot:
                    self.status = status
        except ChildProcessError:
            self.alive = False

    def _check_limits(self) -> None:
        """Add up the tree's memory and processor time, and end it if it went over a limit."""
        began = time.monotonic()
        if began >= self._next_scan:
            self._tree = set(descendants(os.getpid()))
            spent = time.monotonic() - began
            self._next_scan = began + max(SCAN_INTERVAL, SCAN_SHARE * spent)
        processes = {pid: seen for pid in self._tree if (seen := look_at(pid)) is not None}
        self._tree = set(processes)
        memory = sum(process["memory"] for process in processes.values())
        limit = self.order["memory"]
        if limit is not None and memory > limit:
            memory = sum(shared_fairly(pid, seen["memory"]) for pid, seen in processes.items())
        self.peak = max(self.peak, memory)
        if limit is not None and memory > limit:
            self.cause = "memory"
        cpu_limit = self.order["cpu"]
        cpu = self.cpu + sum(process["cpu"] for process in processes.values())
        if cpu_limit is not None and cpu > cpu_limit:
            self.cause = "cpu"

    def _close(self, survivors: list[int]) -> None:
        """Store the rest of the output, remove the folder if it was ours, and report the end."""
        for _ in range(LAST_CHUNKS):
            if not self._read_output():
                break
        self._log.close()
        if self.order["fresh_folder"]:
            remove_folder(self.order["folder"])
        ending = {
            "code": None if self.status is None else os.waitstatus_to_exitcode(self.status),
            "cause": self.cause,
            "forced": self.forced,
            "peak_memory": self.peak,
            "cpu_seconds": self.cpu,
            "tail": self._log.tail.decode(errors="replace"),
            "output_bytes": self._log.total,
            "problem": self._log.problem,
            "survivors": survivors,
        }
        report(self.control, {"event": "exited", "report": ending})


def do_nothing(number: int, frame: object) -> None:
    """Take a signal without acting on it; unlike SIG_IGN this is not handed on to the bot."""


def report(control: socket.socket, message: dict[str, object]) -> None:
    """Tell the referee, if it still lives."""
    with contextlib.suppress(OSError):
        control.send(json.dumps(message).encode())


def hear(control: socket.socket) -> bytes:
    """Return the next message from the referee, empty if it is gone."""
    try:
        return control.recv(MESSAGE_BYTES)
    except OSError:
        return b""


def serve(control: socket.socket, order: Order) -> None:
    """Run one bot; whatever fails here, nothing of the bot stays alive."""
    warden: Warden | None = None
    try:
        warden = Warden(control, order)
        warden.run()
    except (StartError, OSError) as error:
        step = error.step if isinstance(error, StartError) else "output"
        report(control, {"event": "failed", "step": step, "problem": str(error)})
        if order["fresh_folder"]:
            remove_folder(order["folder"])
    finally:
        if warden is not None:
            warden.end_all()


def main() -> None:
    """Take the order from the socket named on the command line, and carry it out."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, do_nothing)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    with socket.socket(fileno=int(sys.argv[1])) as control:
        control.set_inheritable(False)
        if order := hear(control):
            serve(control, json.loads(order))


if __name__ == "__main__":
    main()
