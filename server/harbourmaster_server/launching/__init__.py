"""Launching bots as processes of this machine, and making sure that none outlives its use.

    async with Launcher() as launcher:
        bot = await launcher.launch(LaunchSpec(name="Ada", command="python3 ada.py", ...))
        ...
        ending = await bot.stop()
    # here every bot is dead, whatever happened above

Each bot has a *warden*, a small process between the referee and the bot (`warden`): it ends the bot
and all its descendants when the referee asks, when the bot itself ends, and when the referee dies,
be it by `kill -9`. The bot runs in a session of its own, so that a Ctrl-C in the terminal reaches
the referee alone, and the referee decides the end. Linux only.

What it does not do: launched bots are trusted. A bot that asks another service of the machine
(systemd, cron, a container daemon) to start something for it has got that something out of reach.
"""

from harbourmaster_server.launching.ending import BotExit, Cause
from harbourmaster_server.launching.errors import BotCommandError, LaunchError
from harbourmaster_server.launching.launcher import LaunchedBot, Launcher
from harbourmaster_server.launching.spec import LaunchSpec, Limits

__all__ = [
    "BotCommandError",
    "BotExit",
    "Cause",
    "LaunchError",
    "LaunchSpec",
    "LaunchedBot",
    "Launcher",
    "Limits",
]
