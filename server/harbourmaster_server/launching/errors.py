"""Why a bot could not be launched.

LaunchError               the bot is not running; the sentence says why
└── BotCommandError       its command is at fault: the organiser or the author must mend it
"""


class LaunchError(RuntimeError):
    """A bot could not be launched, and nothing of it is running."""


class BotCommandError(LaunchError):
    """The command of a bot is empty, does not exist, or cannot be executed."""
