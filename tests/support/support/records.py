"""Matches played by scripted bots to their records, for what reads records."""

from pathlib import Path
from typing import Any

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import match_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_engine.registry import games
from harbourmaster_server.records import check_chain
from support.arena import Arena, ScriptedBot, open_arena, run

SEED = bytes(range(32))


def play_some(
    folder: Path,
    game: str,
    decisions: int,
    *,
    think: float = 120,
    terms: match_pb2.MatchTerms | None = None,
) -> tuple[list[pb.RecordEntry], list[ScriptedBot]]:
    """Play *decisions* of *game* and let whoever is asked then resign, each after *think* ms.

    Returns the record and the bots, which know what they were sent.
    """

    async def work() -> tuple[list[pb.RecordEntry], list[ScriptedBot]]:
        async with open_arena(folder) as arena:
            seats = games()[game].min_seats
            bots = [await arena.bot(f"bot{seat}") for seat in range(seats)]
            names = [bot.name for bot in bots]
            match_id = await arena.match(*names, game=game, terms=terms, seed=SEED)
            for _ in range(decisions):
                await arena.time.advance(think)
                bot = to_answer(arena, match_id, bots)
                request = bot.request
                index = 7 * request.decision % len(request.offered.moves)
                await bot.reply(offered_index=index, note="as offered")
            await to_answer(arena, match_id, bots).reply(resignation=bot_pb.Resignation())
            return await record_of(arena, match_id), bots

    return run(work())


def to_answer(arena: Arena, match_id: str, bots: list[ScriptedBot]) -> ScriptedBot:
    """Return the bot that is asked now."""
    (match,) = [match for match in arena.referee.open_matches if match.id == match_id]
    assert match.decision is not None
    return bots[match.decision.seat]


async def record_of(arena: Arena, match_id: str) -> list[pb.RecordEntry]:
    """Return the record of a match that is over, or comes to its end."""
    await arena.referee.wait(match_id)
    return check_chain(arena.referee.load_record(match_id))


def entries_of(entries: list[pb.RecordEntry], kind: str) -> list[Any]:
    """Return the contents of the entries of one *kind*."""
    return [getattr(entry, kind) for entry in entries if entry.WhichOneof("entry") == kind]
