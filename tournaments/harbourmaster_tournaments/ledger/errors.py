"""Everything that the ledger raises.

    LedgerError
    ├── LedgerMissing       there is no ledger at that place
    ├── LedgerOwned         another coordinator has it
    ├── LedgerBusy          it stayed locked for longer than we are willing to wait
    ├── LedgerUnavailable   the disk or the database server failed
    ├── SchemaMismatch      it was written by another version, or is no ledger at all
    ├── TermsChanged        the tournament's terms or bots are not those it began with
    ├── NotPlanned          a game or result does not fit what was planned
    ├── BadRuling           a ruling names nothing that it could rule on
    └── BadImport           a file of games cannot be read

Each message is a sentence that says what happened, where, and what to do.
"""


class LedgerError(Exception):
    """The ledger cannot do what was asked. The base of all errors of this package."""


class LedgerMissing(LedgerError):
    """There is no ledger at the place that was named."""


class LedgerOwned(LedgerError):
    """Another coordinator owns the ledger."""


class LedgerBusy(LedgerError):
    """The database stayed locked by somebody else."""


class LedgerUnavailable(LedgerError):
    """The disk, the file or the database server failed."""


class SchemaMismatch(LedgerError):
    """The database holds another schema version, or something that is no ledger."""


class TermsChanged(LedgerError):
    """The tournament was begun with other terms or other bots."""


class NotPlanned(LedgerError):
    """A planned game or a result does not fit the games that were issued."""


class BadRuling(LedgerError):
    """A ruling cannot be made."""


class BadImport(LedgerError):
    """A file of games cannot be read."""
