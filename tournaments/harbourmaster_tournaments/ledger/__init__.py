"""The ledger: an append-only book of a tournament, from which everything else is computed."""

from harbourmaster_tournaments.ledger.effective import JudgedGame, effective, judge
from harbourmaster_tournaments.ledger.errors import (
    BadImport,
    BadRuling,
    LedgerBusy,
    LedgerError,
    LedgerMissing,
    LedgerOwned,
    LedgerUnavailable,
    NotPlanned,
    SchemaMismatch,
    TermsChanged,
)
from harbourmaster_tournaments.ledger.rows import (
    CAUSED_VOID,
    Entrant,
    GameRow,
    Receipt,
    Ruling,
    RulingKind,
    ToPlay,
)
from harbourmaster_tournaments.ledger.store import Ledger
from harbourmaster_tournaments.ledger.transfer import read_lines, write_lines

__all__ = [
    "CAUSED_VOID",
    "BadImport",
    "BadRuling",
    "Entrant",
    "GameRow",
    "JudgedGame",
    "Ledger",
    "LedgerBusy",
    "LedgerError",
    "LedgerMissing",
    "LedgerOwned",
    "LedgerUnavailable",
    "NotPlanned",
    "Receipt",
    "Ruling",
    "RulingKind",
    "SchemaMismatch",
    "TermsChanged",
    "ToPlay",
    "effective",
    "judge",
    "read_lines",
    "write_lines",
]
