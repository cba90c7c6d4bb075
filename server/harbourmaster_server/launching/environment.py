"""The environment of a launched bot: an allow list, so that no secret of the referee slips in.

Passed through from the referee's environment are only the variables of `PASSED` and those that
begin with `LC_`: what a program needs to be found, to find its libraries, and to know language and
time zone. Everything else, the referee's tokens, keys and database address above all, stays behind.
Proxy settings stay behind too: gRPC would send a bot's call to localhost through the proxy.

Added are what the caller gives (`HARBOURMASTER_ADDRESS` and `HARBOURMASTER_TOKEN`), `TMPDIR` where
the bot has a fresh folder, and `HARBOURMASTER_LAUNCH`, the mark by which `leftovers` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping

ADDRESS = "HARBOURMASTER_ADDRESS"
"""Where the bot dials: `host:port`."""
TOKEN = "HARBOURMASTER_TOKEN"
"""The bearer token that the bot presents."""
LAUNCH = "HARBOURMASTER_LAUNCH"
"""The id of this launch; in the environment of the bot and of all that it starts."""

PASSED = frozenset(
    {
        "CARGO_HOME",
        "DOTNET_ROOT",
        "GOPATH",
        "GOROOT",
        "HOME",
        "JAVA_HOME",
        "LANG",
        "LANGUAGE",
        "LD_LIBRARY_PATH",
        "LOGNAME",
        "NODE_PATH",
        "PATH",
        "PYTHONHOME",
        "PYTHONPATH",
        "RUSTUP_HOME",
        "SHELL",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "TMPDIR",
        "TZ",
        "USER",
        "VIRTUAL_ENV",
    }
)


def bot_environment(
    own: Mapping[str, str], additions: Mapping[str, str], launch_id: str, temporary: str | None
) -> dict[str, str]:
    """Return the whole environment of a bot.

    *own* is the referee's, *additions* win over it, *temporary* is the bot's folder for temporary
    files if it has one of its own.
    """
    passed = {
        name: value for name, value in own.items() if name in PASSED or name.startswith("LC_")
    }
    if temporary is not None:
        passed["TMPDIR"] = temporary
    return {**passed, **additions, LAUNCH: launch_id}
