"""Records and the journal: what is written before anything leaves, and what remains."""

from harbourmaster_server.records.chain import Chain, RecordError, check_chain, read_record
from harbourmaster_server.records.journal import Journal
from harbourmaster_server.records.signing import SigningKey
from harbourmaster_server.records.store import RecordStore

__all__ = [
    "Chain",
    "Journal",
    "RecordError",
    "RecordStore",
    "SigningKey",
    "check_chain",
    "read_record",
]
